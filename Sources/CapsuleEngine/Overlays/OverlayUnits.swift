import CapsuleCore

/// The files of two trees that are one with a database: where one of them changes, the others must be what they were.
struct OverlayUnits {
    let old: ComparedSide
    let new: ComparedSide
    /// By path: their places among the entries of both trees.
    let places: [RelativePath: (old: Int?, new: Int?)]

    /// The paths that records must speak of since something of their units changes: of each unit's database, its logs, whether
    /// they are there or not, and what is in its support directory.
    ///
    /// Never its `-shm`: one that changed has an ordinary record, so that a tree is what it was to be, but whoever applies it
    /// takes the old state of a `-shm` for no precondition. Its bytes tell nothing.
    func guards(for changed: some Sequence<RelativePath>) -> Set<RelativePath> {
        var databases: Set<RelativePath> = []
        // A directory of blobs may hold many.
        var candidates: Set<DatabaseUnit.Candidate> = []
        for path in changed {
            if isDatabase(path) { databases.insert(path) }
            candidates.formUnion(DatabaseUnit.databases(ofMember: path))
        }
        let paths = candidates.contains(where: \.isStem) ? places.keys.sorted() : []
        for candidate in candidates { databases.formUnion(found(candidate, in: paths)) }
        var guards: Set<RelativePath> = []
        var supports: Set<RelativePath> = []
        for database in databases {
            guards.insert(database)
            for suffix in DatabaseUnit.logSuffixes {
                if let log = try? RelativePath(validating: database.bytes + suffix) { guards.insert(log) }
            }
            if let support = DatabaseUnit.support(of: database) { supports.insert(support) }
        }
        if supports.isEmpty { return guards }
        for path in places.keys where path.isAtOrBelow(where: supports.contains) { guards.insert(path) }
        return guards
    }

    /// - Parameter paths: all of them, by bytes.
    private func found(_ candidate: DatabaseUnit.Candidate, in paths: [RelativePath]) -> [RelativePath] {
        var found = isDatabase(candidate.path) ? [candidate.path] : []
        if !candidate.isStem { return found }
        let start = candidate.path.bytes + [UInt8(ascii: ".")]
        for path in paths[Self.firstPlace(in: paths, notBefore: start)...] {
            guard path.bytes.starts(with: start) else { break }
            let isExtension = !path.bytes.dropFirst(start.count).contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") }
            if isExtension, isDatabase(path) { found.append(path) }
        }
        return found
    }

    private static func firstPlace(in paths: [RelativePath], notBefore bytes: [UInt8]) -> Int {
        var (low, high) = (0, paths.count)
        while low < high {
            let middle = (low + high) / 2
            if paths[middle].bytes.lexicographicallyPrecedes(bytes) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func isDatabase(_ path: RelativePath) -> Bool {
        guard let place = places[path] else { return false }
        return place.old.map(old.isDatabase) == true || place.new.map(new.isDatabase) == true
    }
}
