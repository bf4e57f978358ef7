import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleMerge
import CapsuleOverlay
import CapsulePropertyList
import CapsuleSystem

extension FileRecordApplier {
    func drift(of record: FileRecord, at place: EntryPath) -> CapsuleError {
        let reason =
            switch (record.old, edits[place]?.entry) {
            case (nil, let entry?) where record.new == nil: "exists as a \(entry.kind.word), but the overlay expects nothing here"
            case (nil, let entry?): "already exists as a \(entry.kind.word), but the overlay creates it"
            case (.some, nil): "does not exist"
            case (let old?, let entry?) where old.kind != entry.kind:
                "is a \(entry.kind.word), but the overlay was made for a \(old.kind.word)"
            case (let old?, let entry?): old.difference(from: entry)
            case (nil, nil): "does not exist"
            }
        return CapsuleError(reason, path: HostPath(record.path.bytes))
    }

    /// Returns the error that ends the application. It lists each place and says what to do.
    /// - Parameter differences: the values of property lists that operations did not expect.
    func refusal(with differences: [CapsuleError]) -> CapsuleError {
        let known = Set(drifts.map(\.path))
        let values = differences.filter { !known.contains($0.path) }
        let places = drifts + conflicts + values
        let isForceable = isForceable && values.allSatisfy { hasRecord(of: $0.path) }
        if places.count == 1, let only = values.first {
            var error = CapsuleError(
                only.code, only.message + "; nothing was changed", path: only.path,
                hint: isForceable ? Self.force(otherWay) : only.hint)
            error.place = only.place
            return error
        }
        let reason =
            options.merges
            ? "the overlay can't be merged with the target" : "the target differs from the state that the overlay expects"
        var error = CapsuleError(
            "\(reason)\(places.count == 1 ? "" : " in \(places.count) places"); nothing was changed",
            hint: options.forces || !isForceable ? nil : lacksForcedContents ? otherWay : Self.force(otherWay))
        error.details = places.map(\.atItsPath)
        return error
    }

    private static func force(_ otherWay: String) -> String { "'--force' writes the overlay's files anyway; \(otherWay)" }

    private func hasRecord(of path: HostPath?) -> Bool {
        package.overlay.files.contains { path == HostPath($0.path.bytes) && $0.new?.content != nil }
    }

    private var otherWay: String {
        if !options.merges { return "'--three-way' merges the overlay's changes with the target" }
        return lacksContents
            ? "to merge, make the overlay with 'capsule diff --overlay --carry-whole', without '--one-way'"
            : "to decide each conflict, merge the containers with 'capsule merge'"
    }
}

extension FileState {
    fileprivate func difference(from entry: TreeEntry) -> String {
        if let content, entry.size != content.size || entry.digest != content.digest {
            return "its content is not what the overlay was made for"
        }
        if entry.target != target { return "its link target is not what the overlay was made for" }
        if let mode, entry.mode != mode { return "has mode \(entry.mode.octal), but the overlay was made for \(mode.octal)" }
        return "its extended attributes are not what the overlay was made for"
    }
}

extension FileRecordApplier {
    /// The result of an attempt to merge.
    enum Merging {
        /// The merge was handled: the file is merged, or will be when its record is settled, or its conflicts are noted.
        case done
        case uncarried
        /// One of the two sides has no file there.
        case impossible
    }

    /// Merges the overlay's change to a file with the target's change. Both started from the file that the overlay was made for,
    /// or from no file.
    /// - Parameter changed: receives the record with the merged mode and attributes if the content needs no merge.
    mutating func merge(
        _ record: FileRecord, at place: EntryPath, _ changed: inout [FileRecord]
    ) throws(CapsuleError) -> Merging {
        guard let new = record.new, new.kind == .file, record.old.map({ $0.kind == .file }) ?? true, var item = edits[place],
            item.entry.kind == .file
        else { return .impossible }
        let hasKnownContent = [new.content, record.old?.content].contains { $0?.isContent(of: item.entry) == true }
        var contents: MergedContents?
        if new.content != nil, !hasKnownContent {
            let present = ComparedContent(try item.open(in: edits.base), size: item.entry.size)
            if try present.isMergeable() {
                guard let theirs = try carried(new) else { return .uncarried }
                var base: ComparedContent?
                if let old = record.old {
                    base = try carried(old)
                    if base == nil { return .uncarried }
                }
                contents = MergedContents(
                    path: record.path, base: base?.size == 0 ? nil : base, ours: present, theirs: theirs)
            }
        }
        let areFactsMerged = mergeFacts(of: record, into: &item)
        if let contents {
            try merge(contents, into: &item)
            settled.insert(record.path)
            edits[place] = item
        } else if new.content != nil, !hasKnownContent {
            conflicts.append(Self.unmerged(record.path, "both changed it"))
        } else if areFactsMerged {
            var record = record
            record.new?.mode = item.entry.mode
            record.new?.attributes = item.entry.attributes
            changed.append(record)
        }
        return .done
    }

    /// Merges the mode and the attributes.
    /// - Returns: false if they could not be merged. The conflict is noted then.
    private mutating func mergeFacts(of record: FileRecord, into item: inout ContainerEdits.Item) -> Bool {
        func known(_ mode: FileMode) -> FileMode { mode.restorable(for: .file) }
        let own = (mode: known(item.entry.mode), attributes: item.entry.attributes)
        // A fact that the old state does not record may have been as it is now.
        let mode = Self.merged(
            record.old.map { $0.mode.map(known) ?? own.mode }, own.mode, record.new?.mode.map(known) ?? own.mode)
        let attributes = Self.merged(
            record.old.map { $0.attributes ?? own.attributes } ?? [], own.attributes, record.new?.attributes ?? own.attributes)
        guard let mode, let attributes else {
            conflicts.append(CapsuleError("both sides changed its mode or attributes", path: HostPath(record.path.bytes)))
            return false
        }
        if mode != own.mode { item.entry.mode = mode }
        item.entry.attributes = attributes
        return true
    }

    /// Returns the value that is new among three values; nil if both sides are new and differ.
    private static func merged<Value: Equatable>(_ base: Value?, _ ours: Value, _ theirs: Value) -> Value? {
        if ours == theirs || theirs == base { return ours }
        return ours == base ? theirs : nil
    }

    private mutating func merge(
        _ contents: MergedContents, into item: inout ContainerEdits.Item
    ) throws(CapsuleError) {
        let path = contents.path
        var merging = MergeOptions(captured: options.moment)
        merging.arrays = options.context.arrays
        var merger = ContentMerger([], labels: MergeLabels(ours: "", theirs: ""), merging)
        var decisions = MergeDecisions()
        let outcome = try merger.merge(contents, &decisions)
        for conflict in decisions.conflicts {
            let pointer = conflict.pointer.map { " at \($0.isRoot ? "the root" : $0.description)" } ?? ""
            conflicts.append(
                CapsuleError(
                    "\(conflict.kind.rawValue)\(pointer) was changed both by the overlay and in the target",
                    path: HostPath(path.bytes)
                ))
        }
        switch outcome {
        case .unfit(let reason): conflicts.append(Self.unmerged(path, reason))
        case .made(let number, let size, let digest, _):
            (item.entry.size, item.entry.digest, item.entry.modified) = (size, digest, options.moment)
            item.origin = merger.made[number]
        }
    }

    private static func unmerged(_ path: RelativePath, _ reason: String) -> CapsuleError {
        CapsuleError("can't be merged with the overlay's version: \(reason)", path: HostPath(path.bytes))
    }

    private func carried(_ state: FileState) throws(CapsuleError) -> ComparedContent? {
        guard let content = state.content else { return nil }
        if content.size == 0 { return ComparedContent([]) }
        guard content.recipe == nil, content.size <= ComparedContent.longest,
            let file = try package.contents?.open(content.digest, size: content.size)
        else { return nil }
        let whole = ComparedContent(file, size: content.size)
        guard let bytes = try whole.all(), SHA256Hasher.digest(of: bytes) == content.digest else { return nil }
        return whole
    }
}

extension FileState.Content {
    fileprivate func isContent(of entry: TreeEntry) -> Bool { entry.size == size && entry.digest == digest }
}

extension ComparedContent {
    fileprivate func isMergeable() throws(CapsuleError) -> Bool {
        guard size <= Self.longest else { return false }
        return try ContentFormats.candidates(self).contains(where: \.isMergeable)
    }
}
