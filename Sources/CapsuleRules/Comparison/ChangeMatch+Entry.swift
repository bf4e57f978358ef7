package import CapsuleCore

extension ChangeMatch {
    package func fits(_ entry: EntryChange) -> Bool { fitsPath(of: entry) && fitsLine(of: entry) }

    /// Returns true if a change inside an entry matches. A modified row matches if any changed column does.
    package func fits(_ detail: ChangeDetail, of entry: EntryChange) -> Bool {
        guard fitsPath(of: entry) else { return false }
        let parts = DetailPart.parts(of: detail)
        return parts.contains { fits($0) }
    }

    /// Returns true if the entry's path matches. For a renamed entry, it is enough that one of the two paths matches.
    func fitsPath(of entry: EntryChange) -> Bool {
        guard let path else { return true }
        if path.matches(entry.path) { return true }
        guard case .renamed(let from) = entry.kind else { return false }
        return path.matches(from)
    }

    func fitsLine(of entry: EntryChange) -> Bool {
        !needsDetail && kinds.map { !$0.isDisjoint(with: entry.kinds) } ?? true
    }

    /// Returns the distance of an entry's own line, provided that the entry's path matches; nil if the line matches or is
    /// unrelated.
    func distance(to entry: EntryChange) -> MatchDistance? {
        guard namesPath else { return nil }
        if needsDetail { return entry.kind == .modified ? nil : .wholeFile }
        return fitsLine(of: entry) ? nil : .otherOperation
    }
}

extension PathTable {
    func candidates(for entry: EntryChange) -> [Int] {
        var found = candidates(for: entry.path)
        if case .renamed(let from) = entry.kind { found = Set(found + candidates(for: from)).sorted() }
        return found
    }
}

extension EntryChange {
    var kinds: ChangeKinds {
        switch kind {
        case .added: .added
        case .deleted: .deleted
        case .modified: .modified
        case .renamed: .renamed
        case .type: .type
        }
    }
}
