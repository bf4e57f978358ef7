package import CapsulePropertyList

/// The paths of two containers, for finding out if a pattern can match any of them.
package struct KnownPaths {
    /// The most tests, as patterns times paths. Above this limit, all patterns are assumed to match.
    private static let workLimit = 1 << 28

    private let paths: [RelativePath]
    /// The most names, in one directory or in all of them, among which a similar one is searched for.
    private static let nameLimit = 10_000
    /// The names in each directory, by its path.
    private let names: [[UInt8]: Set<[UInt8]>]
    /// The names in all directories.
    private let allNames: Set<[UInt8]>

    package init(_ paths: [RelativePath]) {
        var seen: Set<RelativePath> = []
        var names: [[UInt8]: Set<[UInt8]>] = [:]
        for path in paths where seen.insert(path).inserted {
            let slash = path.bytes.lastIndex(of: RelativePath.slash)
            let parent = slash.map { Array(path.bytes[..<$0]) } ?? []
            names[parent, default: []].insert(Array(path.bytes[(slash.map { $0 + 1 } ?? 0)...]))
        }
        self.paths = seen.sorted()
        self.names = names
        allNames = Set(names.values.joined())
    }

    /// Returns true for each match that any path fits. A match without a path always gets true.
    package func matched(by matches: [ChangeMatch]) -> [Bool] {
        var found = matches.map { $0.path == nil }
        guard matches.count * paths.count <= Self.workLimit || matches.allSatisfy({ $0.path?.literal != nil }) else {
            return matches.map { _ in true }
        }
        let table = PathTable(matches)
        for path in paths {
            for number in table.candidates(for: path) { found[number] = true }
        }
        return found
    }

    /// Returns suggestions for a pattern that matches no path: its first component that doesn't exist is replaced by similar names.
    ///
    /// For a pattern that begins with the wrapper's `AppData/`, suggests the pattern without it, unless there is such a directory.
    ///
    /// - Returns: the suggested patterns, and true if the component is the last one.
    package func suggestions(for pattern: Glob) -> (words: [String], isLast: Bool) {
        if let inside = ContainerNames.insideAppData(pattern.pattern), names[[]]?.contains(ContainerNames.appData) != true {
            return ([inside], false)
        }
        let components = pattern.pattern.split(separator: RelativePath.slash, omittingEmptySubsequences: false).map { Array($0) }
        // nil after the first component that is itself a pattern.
        var directory: [UInt8]? = []
        for (number, component) in components.enumerated() {
            let isPattern = component.contains { Glob.special.contains($0) }
            let known = directory.map { names[$0] ?? [] } ?? allNames
            if !isPattern, !known.contains(component) {
                guard known.count <= Self.nameLimit else { return ([], true) }
                let near = Suggestions(
                    for: String(decoding: component, as: UTF8.self),
                    among: known.compactMap { String(validating: $0, as: UTF8.self) }.sorted())
                let words = near.words.map { word in
                    var other = components
                    other[number] = Array(word.utf8)
                    return String(decoding: Array(other.joined(separator: [RelativePath.slash])), as: UTF8.self)
                }
                return (words, number == components.count - 1)
            }
            directory = isPattern ? nil : directory.map { $0.isEmpty ? component : $0 + [RelativePath.slash] + component }
        }
        return ([], true)
    }
}

/// Searches documents for the places that clauses name, one document after another. The caller supplies the documents.
///
/// A place that was not searched for, or whose search would take too long, is assumed to exist.
package struct ClausePointerSearch {
    private struct SoughtPointer {
        let pattern: MatchPointerPattern
        /// True if the place exists, or is assumed to.
        var isSettled = false
        /// The index of the first key of the pattern that no document has, with the keys that exist in its place.
        var near: (word: Int, keys: Set<PlistString>)?
    }

    /// The most clauses that are searched for.
    private static let clauseLimit = 256
    /// The most keys of all documents among which a similar one is searched for.
    private static let keyLimit = 10_000

    private var sought: [SoughtPointer]
    private let paths: PathTable
    /// The limits of the search. Beyond them, the search costs more than a warning is worth.
    private var budget = NestedMatchSearch.Budget(places: 1 << 18, keys: 1 << 24, documents: 256, bytes: 32 << 20, failures: 2)

    /// - Parameter matches: the matches of the clauses that name places. Clauses are referred to by their index in this array.
    init(_ matches: [ChangeMatch]) {
        sought = matches.enumerated().compactMap { number, match in
            match.pointer.map { SoughtPointer(pattern: $0, isSettled: number >= Self.clauseLimit) }
        }
        paths = PathTable(matches)
    }

    /// Returns the clauses that a document at a path may still decide.
    private func candidates(for path: RelativePath) -> [Int] { paths.candidates(for: path).filter { !sought[$0].isSettled } }

    /// Returns true if a document at a path may still decide a clause.
    package func concerns(_ path: RelativePath) -> Bool { !candidates(for: path).isEmpty }

    /// Leaves out clauses that concern more than a number of paths.
    package mutating func leaveOut(of paths: [RelativePath], moreThan limit: Int) {
        var counts = sought.map { _ in 0 }
        for path in paths {
            for number in candidates(for: path) {
                counts[number] += 1
                if counts[number] > limit { sought[number].isSettled = true }
            }
        }
    }

    /// Takes a file that can't be searched. It may contain any place.
    package mutating func assumeAllFound(at path: RelativePath) {
        for number in candidates(for: path) { sought[number].isSettled = true }
    }

    /// Searches the document in a file.
    package mutating func look(into document: PlistValue, at path: RelativePath) {
        for number in candidates(for: path) {
            let pattern = sought[number].pattern
            if NestedMatchSearch.find(pattern, in: document, &budget) != .nothing {
                sought[number].isSettled = true
            } else {
                recordNearest(pattern.missingKey(in: document), number)
            }
        }
    }

    private mutating func recordNearest(_ missing: (word: Int, keys: [PlistString])?, _ number: Int) {
        guard let missing, missing.word >= sought[number].near?.word ?? 0 else { return }
        let known = missing.word == sought[number].near?.word ? sought[number].near?.keys ?? [] : []
        guard known.count + missing.keys.count <= Self.keyLimit else { return }
        sought[number].near = (missing.word, known.union(missing.keys))
    }

    /// Returns suggestions for a place that no document has, and true if its missing key is its last.
    ///
    /// - Returns: nil if the place exists, or is assumed to.
    func missing(_ number: Int) -> (words: [String], isLast: Bool)? {
        let place = sought[number]
        guard !place.isSettled else { return nil }
        guard let near = place.near else { return ([], true) }
        let words = Suggestions(for: place.pattern.words[near.word].string, among: near.keys.map(\.string).sorted()).words
        return (words.map { place.pattern.text(with: $0, at: near.word) }, near.word == place.pattern.words.count - 1)
    }
}
