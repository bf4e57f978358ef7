package import CapsulePropertyList

/// The paths of two containers, for whoever asks whether a pattern can fit any.
package struct KnownPaths {
    /// Patterns times paths that are tried; beyond, patterns are taken to fit.
    private static let workLimit = 1 << 28

    private let paths: [RelativePath]
    /// Names of a directory, or of all, among which no near one is looked for.
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

    /// Whether any path fits, for each of the matches; true for one that names no path.
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

    /// What a pattern that fits no path may have been meant to be: its first component that is not there, under another name.
    ///
    /// - Returns: the patterns, and whether the component is the last one.
    package func suggestions(for pattern: Glob) -> (words: [String], isLast: Bool) {
        if let inside = ContainerNames.insideAppData(pattern.pattern), names[[]]?.contains(ContainerNames.appData) != true {
            return ([inside], false)
        }
        let components = pattern.pattern.split(separator: RelativePath.slash, omittingEmptySubsequences: false).map { Array($0) }
        // nil behind the first component that is a pattern itself.
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

/// Looks for the places that clauses name, in one document after another. Whoever has the documents hands them over.
///
/// What was not looked at, or would take too long, is taken to be there.
package struct PlaceSearch {
    private struct Sought {
        let pattern: PlacePattern
        /// Whether the place is there, or is taken to be.
        var isSettled = false
        /// The first key that the pattern names and no document has, with the keys that are there instead.
        var near: (word: Int, keys: Set<PlistString>)?
    }

    /// Clauses that are looked for.
    private static let clauseLimit = 256
    /// Keys of all documents among which a near one is looked for.
    private static let keyLimit = 10_000

    private var sought: [Sought]
    private let paths: PathTable
    /// Where the search begins to cost more than a warning is worth.
    private var budget = InnerPlaces.Budget(places: 1 << 18, keys: 1 << 24, documents: 256, bytes: 32 << 20, failures: 2)

    /// - Parameter matches: those of clauses that name places, by numbers that are their caller's.
    init(_ matches: [ChangeMatch]) {
        sought = matches.enumerated().compactMap { number, match in
            match.pointer.map { Sought(pattern: $0, isSettled: number >= Self.clauseLimit) }
        }
        paths = PathTable(matches)
    }

    /// The clauses that a document may still decide about.
    private func candidates(for path: RelativePath) -> [Int] { paths.candidates(for: path).filter { !sought[$0].isSettled } }

    /// Whether a document at a path may still decide about a clause.
    package func concerns(_ path: RelativePath) -> Bool { !candidates(for: path).isEmpty }

    /// Leaves out clauses that concern more than so many paths.
    package mutating func leaveOut(of paths: [RelativePath], moreThan limit: Int) {
        var counts = sought.map { _ in 0 }
        for path in paths {
            for number in candidates(for: path) {
                counts[number] += 1
                if counts[number] > limit { sought[number].isSettled = true }
            }
        }
    }

    /// Takes a file that can't be looked into: it may have any place.
    package mutating func takeUnknown(at path: RelativePath) {
        for number in candidates(for: path) { sought[number].isSettled = true }
    }

    /// Looks into the document that a file holds.
    package mutating func look(into document: PlistValue, at path: RelativePath) {
        for number in candidates(for: path) {
            let pattern = sought[number].pattern
            if InnerPlaces.find(pattern, in: document, &budget) != .nothing {
                sought[number].isSettled = true
            } else {
                note(pattern.missingKey(in: document), number)
            }
        }
    }

    private mutating func note(_ missing: (word: Int, keys: [PlistString])?, _ number: Int) {
        guard let missing, missing.word >= sought[number].near?.word ?? 0 else { return }
        let known = missing.word == sought[number].near?.word ? sought[number].near?.keys ?? [] : []
        guard known.count + missing.keys.count <= Self.keyLimit else { return }
        sought[number].near = (missing.word, known.union(missing.keys))
    }

    /// What a place that no document has may have been meant to be, and whether the key that is missing is its last.
    ///
    /// - Returns: nil for a place that is there, or is taken to be.
    func missing(_ number: Int) -> (words: [String], isLast: Bool)? {
        let place = sought[number]
        guard !place.isSettled else { return nil }
        guard let near = place.near else { return ([], true) }
        let words = Suggestions(for: place.pattern.words[near.word].string, among: near.keys.map(\.string).sorted()).words
        return (words.map { place.pattern.text(with: $0, at: near.word) }, near.word == place.pattern.words.count - 1)
    }
}
