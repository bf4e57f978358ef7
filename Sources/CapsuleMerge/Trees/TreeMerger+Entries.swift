import CapsuleCore
import CapsulePropertyList

extension TreeMerger {
    /// Merges one entry by its parts, and records the result.
    ///
    /// - Parameter numbers: the number of the entry in each tree, at whatever path it is there.
    mutating func mergeEntry<Failure: Error>(
        _ numbers: Numbers, at place: EntryPath, _ decisions: inout MergeDecisions,
        _ merge: (TreeMerge.Request, inout MergeDecisions) throws(Failure) -> TreeMerge.ContentMergeResult
    ) throws(Failure) {
        switch (numbers.ours, numbers.theirs) {
        case (nil, nil): put(nil, at: place)
        case (let ours?, nil): put(one(.ours, ours, numbers, at: place, &decisions), at: place)
        case (nil, let theirs?): put(one(.theirs, theirs, numbers, at: place, &decisions), at: place)
        case (let ours?, let theirs?):
            let item = try both(ours, theirs, numbers, at: place, &decisions, merge)
            put(item, at: place)
        }
    }

    private mutating func one(
        _ side: Side, _ number: Int, _ numbers: Numbers, at place: EntryPath, _ decisions: inout MergeDecisions
    ) -> Item? {
        guard let base = numbers.base else { return item(side, number) }
        let (before, now) = (sides[.base].entries[base], sides[side].entries[number])
        if sides.areSame(.base, base, side, number) { return nil }
        // A directory in place of a file, or a file in place of a directory, is a new entry. The old one was deleted by both sides.
        if (before.kind == .directory) != (now.kind == .directory) { return item(side, number) }
        let other: Side = side == .ours ? .theirs : .ours
        return resolve(.modifyDelete, numbers, at: place, reason: "\(other) deleted it", &decisions)
    }

    private mutating func both<Failure: Error>(
        _ ours: Int, _ theirs: Int, _ numbers: Numbers, at place: EntryPath, _ decisions: inout MergeDecisions,
        _ merge: (TreeMerge.Request, inout MergeDecisions) throws(Failure) -> TreeMerge.ContentMergeResult
    ) throws(Failure) -> Item? {
        let (own, other) = (sides[.ours].entries[ours], sides[.theirs].entries[theirs])
        let base = sides.entry(.base, numbers.base)
        var result: Item?
        if own.hasContent(of: other) {
            result = item(.ours, ours)
            result?.entry.modified = Self.time(base, own, other)
        } else if isOfBase(.ours, ours, numbers, beside: other) {
            result = item(.theirs, theirs)
        } else if isOfBase(.theirs, theirs, numbers, beside: own) {
            result = item(.ours, ours)
        } else {
            result = try contents(numbers, at: place, &decisions, merge)
        }
        return withMetadata(result, numbers, at: place, &decisions)
    }

    /// Returns true if a side did not change the base's content. If the other side has another kind of entry, the mode must be
    /// unchanged, too, because it would be lost.
    private func isOfBase(_ side: Side, _ number: Int, _ numbers: Numbers, beside other: TreeEntry) -> Bool {
        guard let base = numbers.base else { return false }
        let entry = sides[side].entries[number]
        if entry.kind != other.kind { return sides.areSame(.base, base, side, number) }
        return sides[.base].entries[base].hasContent(of: entry)
    }

    private mutating func contents<Failure: Error>(
        _ numbers: Numbers, at place: EntryPath, _ decisions: inout MergeDecisions,
        _ merge: (TreeMerge.Request, inout MergeDecisions) throws(Failure) -> TreeMerge.ContentMergeResult
    ) throws(Failure) -> Item? {
        let kinds = [Side.ours, .theirs].map { sides.entry($0, numbers[$0])?.kind }
        var reason = numbers.base == nil ? "both added it" : "both changed it"
        if kinds == [.file, .file] {
            switch try mergeFiles(numbers, at: place, isUnit: false, &decisions, merge) {
            case .success(let made): return made.item
            case .failure(let unfit): reason = unfit.reason
            }
        }
        return resolve(numbers.base == nil ? .addAdd : .contents, numbers, at: place, reason: reason, &decisions)
    }

    struct InvalidResolution: Error {
        let reason: String
    }

    struct MergedEntry {
        var item: Item
        let needed: Set<RelativePath>
    }

    /// Merges files by calling `merge`. The result has the later of their times.
    func mergeFiles<Failure: Error>(
        _ numbers: Numbers, at place: EntryPath, isUnit: Bool, _ decisions: inout MergeDecisions,
        _ merge: (TreeMerge.Request, inout MergeDecisions) throws(Failure) -> TreeMerge.ContentMergeResult
    ) throws(Failure) -> Result<MergedEntry, InvalidResolution> {
        guard var item = item(.ours, numbers.ours), let other = sides.entry(.theirs, numbers.theirs) else {
            return .failure(InvalidResolution(reason: "one side deleted it"))
        }
        if let kind = sides.entry(.base, numbers.base)?.kind, kind != .file {
            return .failure(InvalidResolution(reason: "both replaced a \(kind.word) with a file"))
        }
        switch try merge(TreeMerge.Request(path: place.path, files: numbers, isUnit: isUnit), &decisions) {
        case .unfit(let reason): return .failure(InvalidResolution(reason: reason))
        case .made(let number, let size, let digest, let needed):
            item.entry.modified = max(item.entry.modified, other.modified)
            item.entry.size = size
            item.entry.digest = digest
            item.content = .made(number)
            return .success(MergedEntry(item: item, needed: needed))
        }
    }

    /// Returns the time of content that is equal on both sides: the new time, or the later of two new ones.
    static func time(_ base: TreeEntry?, _ ours: TreeEntry, _ theirs: TreeEntry) -> Timestamp {
        if let base, base.modified == ours.modified { return theirs.modified }
        if let base, base.modified == theirs.modified { return ours.modified }
        return max(ours.modified, theirs.modified)
    }

    mutating func withMetadata(
        _ item: Item?, _ numbers: Numbers, at place: EntryPath, _ decisions: inout MergeDecisions
    ) -> Item? {
        // Metadata are merged even for an entry that is not kept, because the conflicts must depend only on the trees.
        guard let metadata = mergeMetadata(numbers, at: place, &decisions) else { return item }
        // The base may be taken, and may be another kind of entry.
        guard var item, item.entry.kind == sides.entry(.ours, numbers.ours)?.kind else { return item }
        if let mode = metadata.mode { item.entry.mode = mode }
        if let attributes = metadata.attributes { item.entry.attributes = attributes }
        return item
    }

    /// Merges the mode and the attributes of entries of one kind, each separately.
    ///
    /// - Returns: nil if one entry is taken as it is; a part is nil if nothing is known of it.
    private mutating func mergeMetadata(
        _ numbers: Numbers, at place: EntryPath, _ decisions: inout MergeDecisions
    ) -> (mode: FileMode?, attributes: [ExtendedAttribute]?)? {
        guard let ours = sides.entry(.ours, numbers.ours), let theirs = sides.entry(.theirs, numbers.theirs),
            ours.kind == theirs.kind
        else { return nil }
        // A base of another kind says nothing about the metadata.
        let base = sides.entry(.base, numbers.base).flatMap { $0.kind == ours.kind ? $0 : nil }
        var mode: FileMode?
        if ours.kind != .link {
            let (own, other) = (ours.knownMode, theirs.knownMode)
            let old = base?.knownMode
            mode = Self.merged(old, own, other) ?? mergedMode(old, own, other, at: place, &decisions)
        }
        let (own, other) = (ours.knownAttributes, theirs.knownAttributes)
        guard let own, let other else { return (mode, own ?? other) }
        if own == other { return (mode, own) }
        let old = base?.knownAttributes ?? []
        return (mode, mergeAttributes(old, own, other, at: place, &decisions))
    }

    /// Returns the new one of three values; nil for two different new ones. An unknown value is not a new one.
    private static func merged<Value: Equatable>(_ base: Value?, _ ours: Value?, _ theirs: Value?) -> Value? {
        guard let ours, let theirs else { return ours ?? theirs ?? base }
        if ours == theirs || theirs == base { return ours }
        return ours == base ? theirs : nil
    }

    private mutating func mergedMode(
        _ base: FileMode?, _ ours: FileMode?, _ theirs: FileMode?, at place: EntryPath, _ decisions: inout MergeDecisions
    ) -> FileMode? {
        guard let ours, let theirs else { return nil }
        let values = [base, ours, theirs].map { mode in mode.map { PlistValue.string(PlistString($0.octal)) } }
        func chosen(_ resolution: Resolution?) -> FileMode? {
            switch resolution {
            case nil, .ours: ours
            case .theirs: theirs
            case .base: base
            case .absent: nil
            case .value(let value):
                value.string.flatMap { UInt16($0.string, radix: 8) }.flatMap { $0 <= 0o7777 ? FileMode($0) : nil }
            }
        }
        return chosen(resolve(column: "mode", values, at: place, &decisions) { chosen($0) != nil })
    }

    private mutating func mergeAttributes(
        _ base: [ExtendedAttribute], _ ours: [ExtendedAttribute], _ theirs: [ExtendedAttribute], at place: EntryPath,
        _ decisions: inout MergeDecisions
    ) -> [ExtendedAttribute] {
        let values = [base, ours, theirs].map { list in Dictionary(list.map { ($0.name, $0.value) }) { first, _ in first } }
        let names = Set(values[1].keys).union(values[2].keys).union(values[0].keys)
        var merged: [ExtendedAttribute] = []
        for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let (old, own, other) = (values[0][name], values[1][name], values[2][name])
            let value: [UInt8]?
            if own == other || old == other {
                value = own
            } else if old == own {
                value = other
            } else {
                value = mergedAttribute(name, [old, own, other], at: place, &decisions)
            }
            if let value { merged.append(ExtendedAttribute(name: name, value: value)) }
        }
        return merged
    }

    private mutating func mergedAttribute(
        _ name: [UInt8], _ values: [[UInt8]?], at place: EntryPath, _ decisions: inout MergeDecisions
    ) -> [UInt8]? {
        let column = String(decoding: name, as: UTF8.self)
        let resolution = resolve(column: column, values.map { value in value.map { .data($0) } }, at: place, &decisions) {
            guard case .value(let value) = $0 else { return true }
            return Self.bytes(of: value) != nil
        }
        switch resolution {
        case nil, .ours: return values[1]
        case .theirs: return values[2]
        case .base: return values[0]
        case .absent: return nil
        case .value(let value): return Self.bytes(of: value)
        }
    }

    private func resolve(
        column: String, _ values: [PlistValue?], at place: EntryPath, _ decisions: inout MergeDecisions,
        accepting isFit: (Resolution) -> Bool
    ) -> Resolution? {
        var conflict = Conflict(
            .metadata, path: place.path, base: values[0], ours: values[1], theirs: values[2],
            reason: values[0] == nil ? "both added it" : "both changed it")
        conflict.column = column
        return decisions.resolve(conflict, accepting: isFit)
    }
}
