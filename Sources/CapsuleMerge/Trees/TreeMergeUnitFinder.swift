import CapsuleCore

/// Finds the databases that files of three trees belong to, and everything that belongs to them.
struct TreeMergeUnitFinder {
    typealias Side = TreeMerge.Side

    private let sides: TreeMergeSides
    private let isDatabase: (Side, Int) -> Bool
    private var known: [Key: Bool] = [:]
    private var searched: [Search: EntryPath?] = [:]

    private struct Key: Hashable {
        let side: Side
        let number: Int
    }

    /// The key of a search, which is made only once: a directory of blobs may hold many files.
    private struct Search: Hashable {
        let root: TreeRoot
        let candidate: DatabaseUnit.Candidate
    }

    init(_ sides: TreeMergeSides, _ isDatabase: @escaping (Side, Int) -> Bool) {
        self.sides = sides
        self.isDatabase = isDatabase
    }

    /// Returns the database of the unit that a place belongs to; nil for a file without a unit, and for a database without other
    /// files.
    mutating func database(of place: EntryPath) -> EntryPath? {
        for candidate in DatabaseUnit.databases(ofMember: place.path) {
            let key = Search(root: place.root, candidate: candidate)
            let found: EntryPath?
            if let known = searched[key] { found = known } else { found = search(for: candidate, in: place.root) }
            searched[key] = .some(found)
            if let found { return found }
        }
        return hasMembers(place) && isDatabase(at: place) ? place : nil
    }

    func unit(of main: EntryPath) -> TreeMerge.Unit {
        var unit = TreeMerge.Unit()
        for log in Self.logs(of: main) where Side.allCases.contains(where: { sides.number($0, at: log) != nil }) {
            unit.logs.append(log)
        }
        guard let support = DatabaseUnit.support(of: main.path) else { return unit }
        var blobs: Set<EntryPath> = []
        for side in Side.allCases {
            let top = EntryPath(root: main.root, path: support)
            guard sides.number(side, at: top) != nil else { continue }
            blobs.insert(top)
            let entries = sides[side].entries
            var number = entries.firstIndex(
                notBefore: RelativePath(unchecked: support.bytes + [RelativePath.slash]), in: main.root)
            while number < entries.count, entries[number].root == main.root, entries[number].path.isAtOrBelow(support) {
                blobs.insert(EntryPath(root: main.root, path: entries[number].path))
                number += 1
            }
        }
        unit.blobs = blobs.sorted()
        return unit
    }

    private static func logs(of main: EntryPath) -> [EntryPath] {
        DatabaseUnit.companionSuffixes.compactMap { suffix in
            (try? RelativePath(validating: main.path.bytes + suffix)).map { EntryPath(root: main.root, path: $0) }
        }
    }

    private func hasMembers(_ main: EntryPath) -> Bool {
        guard Side.allCases.contains(where: { sides.entry($0, at: main)?.kind == .file }) else { return false }
        var others = Self.logs(of: main)
        if let support = DatabaseUnit.support(of: main.path) { others.append(EntryPath(root: main.root, path: support)) }
        return others.contains { other in Side.allCases.contains { sides.number($0, at: other) != nil } }
    }

    private mutating func search(for candidate: DatabaseUnit.Candidate, in root: TreeRoot) -> EntryPath? {
        for side in Side.allCases {
            let entries = sides[side].entries
            var number = entries.firstIndex(notBefore: candidate.path, in: root)
            while number < entries.count, entries[number].root == root,
                entries[number].path.bytes.starts(with: candidate.path.bytes)
            {
                let rest = entries[number].path.bytes.dropFirst(candidate.path.bytes.count)
                if rest.isEmpty || (candidate.isStem && Self.isExtension(rest)), check(side, number) {
                    return EntryPath(root: root, path: entries[number].path)
                }
                if !candidate.isStem { break }
                number += 1
            }
        }
        return nil
    }

    private static func isExtension(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first == UInt8(ascii: ".") && !bytes.dropFirst().contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") }
    }

    private mutating func isDatabase(at place: EntryPath) -> Bool {
        for side in Side.allCases {
            if let number = sides.number(side, at: place), check(side, number) { return true }
        }
        return false
    }

    private mutating func check(_ side: Side, _ number: Int) -> Bool {
        let key = Key(side: side, number: number)
        if let known = known[key] { return known }
        let answer = sides[side].entries[number].kind == .file && isDatabase(side, number)
        known[key] = answer
        return answer
    }
}

extension TreeMerger {
    /// Merges a database and everything that belongs to it. If only one side changed any of it, that side is taken. Otherwise the
    /// rows are merged.
    mutating func mergeUnit<Failure: Error>(
        _ unit: TreeMerge.Unit, at main: EntryPath, _ decisions: inout MergeDecisions,
        _ merge: (TreeMerge.Request, inout MergeDecisions) throws(Failure) -> TreeMerge.ContentMergeResult
    ) throws(Failure) {
        let members = [main] + unit.logs + unit.blobs
        // Processes share the index of a log in memory, so the content of its `-shm` file says nothing.
        let telling = members.filter { !TreeMerge.Unit.isSharedMemory($0) }
        let numbers = sides.numbers(at: main)
        let isSameOnBothSides = telling.allSatisfy { sides.hasSameContent($0, .ours, .theirs) }
        let hasOurs = hasChange(.ours, in: telling, of: main, numbers)
        let hasTheirs = hasChange(.theirs, in: telling, of: main, numbers)
        if isSameOnBothSides || !(hasOurs && hasTheirs) {
            let winner: Side? = isSameOnBothSides || hasOurs == hasTheirs ? nil : hasOurs ? .ours : .theirs
            for member in members { choose(member, of: winner, &decisions) }
            return
        }
        var reason: String?
        var kind = numbers.base == nil ? Conflict.Kind.addAdd : .contents
        let files = [Side.ours, .theirs].map { sides.entry($0, numbers[$0])?.kind == .file }
        if files == [true, true] {
            switch try mergeFiles(numbers, at: main, isUnit: true, &decisions, merge) {
            case .success(let made):
                put(withMetadata(made.item, numbers, at: main, &decisions), at: main)
                for log in unit.logs { put(nil, at: log) }
                for blob in unit.blobs {
                    try mergeEntry(sides.numbers(at: blob), at: blob, &decisions, merge)
                    if made.needed.contains(blob.path) { keepFile(at: blob) }
                }
                return
            case .failure(let unfit): reason = unfit.reason
            }
        } else if numbers.base != nil, numbers.ours == nil || numbers.theirs == nil {
            kind = .modifyDelete
            reason = "\(numbers.ours == nil ? Side.ours : .theirs) deleted it"
        }
        resolve(TreeMerge.AtomicGroup(kind: kind, reason: reason ?? "both changed it", places: members), at: main, &decisions)
    }

    /// Returns true if a side changed any of a unit's contents. A changed mode of the database counts if the other side deleted the
    /// database.
    private func hasChange(_ side: Side, in members: [EntryPath], of main: EntryPath, _ numbers: Numbers) -> Bool {
        if members.contains(where: { !sides.hasSameContent($0, .base, side) }) { return true }
        let other: Side = side == .ours ? .theirs : .ours
        guard let base = numbers.base, let number = numbers[side], numbers[other] == nil else { return false }
        return !sides.areSame(.base, base, side, number)
    }

    /// Takes a unit's file from the only side that changed the unit. Metadata are merged as usual.
    ///
    /// - Parameter winner: the side; nil if neither changed the unit, or both did in the same way.
    private mutating func choose(_ place: EntryPath, of winner: Side?, _ decisions: inout MergeDecisions) {
        let numbers = sides.numbers(at: place)
        var result: Item?
        if let winner {
            result = item(winner, numbers[winner])
        } else if TreeMerge.Unit.isSharedMemory(place), !sides.hasSameContent(place, .ours, .theirs) {
            // SQLite creates the file again if it is missing.
            result =
                sides.hasSameContent(place, .base, .ours)
                ? item(.theirs, numbers.theirs)
                : sides.hasSameContent(place, .base, .theirs) ? item(.ours, numbers.ours) : nil
        } else if let ours = numbers.ours, let theirs = numbers.theirs {
            result = item(.ours, ours)
            result?.entry.modified = Self.time(
                sides.entry(.base, numbers.base), sides[.ours].entries[ours], sides[.theirs].entries[theirs])
        }
        put(withMetadata(result, numbers, at: place, &decisions), at: place)
    }

    /// Restores a file that would be deleted, from the first tree that has it.
    private mutating func keepFile(at place: EntryPath) {
        guard edits[place] == .some(nil) else { return }
        for side in [Side.ours, .theirs, .base] {
            guard let number = sides.number(side, at: place), sides[side].entries[number].kind == .file else { continue }
            return put(item(side, number), at: place)
        }
    }
}

extension TreeMergeSides {
    fileprivate func hasSameContent(_ place: EntryPath, _ one: Side, _ other: Side) -> Bool {
        switch (entry(one, at: place), entry(other, at: place)) {
        case (nil, nil): true
        case (let entry?, let otherEntry?): entry.hasContent(of: otherEntry)
        default: false
        }
    }
}
