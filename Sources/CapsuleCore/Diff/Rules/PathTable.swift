/// Finds, of many matches, those that a path may fit: one look for all that name a whole path, and then the patterns.
struct PathTable: Sendable {
    /// A match of a pattern, or of any path.
    private struct Pattern: Sendable {
        let number: Int
        /// Where the bytes are that all paths begin with that fit.
        let prefix: Range<Int>
        /// What follows them; nil for anything.
        let glob: Glob?
    }

    /// By the one path that they name, in order.
    private var exact: [[UInt8]: [Int]] = [:]
    /// The others, in order.
    private var patterns: [Pattern] = []
    /// The beginnings of all patterns, one after the other: most paths are told from most patterns by them.
    private var prefixes: [UInt8] = []

    init(_ matches: some Sequence<ChangeMatch>) {
        for (number, match) in matches.enumerated() {
            if let path = match.path?.literal {
                exact[path, default: []].append(number)
                continue
            }
            let start = prefixes.count
            prefixes += match.path?.prefix ?? []
            let isDecided = match.path?.steps == [.deepRun]
            patterns.append(
                Pattern(number: number, prefix: start..<prefixes.count, glob: isDecided ? nil : match.path))
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
        path.bytes.withUnsafeBufferPointer { path in
            prefixes.withUnsafeBufferPointer { prefixes in
                patterns.withUnsafeBufferPointer { patterns in
                    for index in patterns.indices where begins(path, with: prefixes, patterns[index].prefix) {
                        if patterns[index].glob?.matches(path) ?? true { found.append(patterns[index].number) }
                    }
                }
            }
        }
        guard !exact.isEmpty, let whole = exact[path.bytes] else { return found }
        return found.isEmpty ? whole : (found + whole).sorted()
    }

    @inline(__always)
    private func begins(
        _ path: UnsafeBufferPointer<UInt8>, with prefixes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> Bool {
        guard range.count <= path.count else { return false }
        for index in range where prefixes[index] != path[index &- range.lowerBound] { return false }
        return true
    }
}
