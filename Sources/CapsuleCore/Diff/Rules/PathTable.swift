/// Finds, of many matches, those that a path may fit: one look for all that name a whole path, and then the patterns.
struct PathTable: Sendable {
    /// By the one path that they name, in order.
    private var exact: [[UInt8]: [Int]] = [:]
    /// Those of a pattern or of any path, in order.
    private var patterns: [(number: Int, path: Glob?)] = []

    init(_ matches: some Sequence<ChangeMatch>) {
        for (number, match) in matches.enumerated() {
            if let path = match.path?.literal {
                exact[path, default: []].append(number)
            } else {
                patterns.append((number, match.path))
            }
        }
    }

    /// The numbers of the matches whose path an entry has, in order.
    func candidates(for entry: EntryChange) -> [Int] {
        var found = candidates(for: entry.path)
        if case .renamed(let from) = entry.kind { found = Set(found + candidates(for: from)).sorted() }
        return found
    }

    /// The numbers of the matches whose path fits, in order.
    func candidates(for path: RelativePath) -> [Int] {
        var found: [Int] = []
        for (number, glob) in patterns where glob?.matches(path) ?? true { found.append(number) }
        guard !exact.isEmpty, let whole = exact[path.bytes] else { return found }
        return found.isEmpty ? whole : (found + whole).sorted()
    }
}
