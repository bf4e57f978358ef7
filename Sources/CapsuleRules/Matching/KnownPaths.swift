package import CapsuleCore

/// The paths of two containers, for finding out if a pattern can match any of them.
package struct KnownPaths {
    /// The most tests, as patterns times paths. Above this limit, all patterns are assumed to match.
    private static let workLimit = 1 << 28

    private let paths: [RelativePath]
    /// The most names, in one directory or in all of them, among which a similar one is searched for.
    private static let nameLimit = 10_000
    private let names: [[UInt8]: Set<[UInt8]>]
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
    /// For a pattern without directories that matches names in some, such as `*.gif`, suggests `**/*.gif`.
    ///
    /// For a pattern that begins with the wrapper's `AppData/`, suggests the pattern without it, unless there is such a directory.
    ///
    /// - Returns: the suggested patterns, and true if the component is the last one.
    package func suggestions(for pattern: Glob) -> (words: [String], isLast: Bool) {
        if let inside = ContainerNames.insideAppData(pattern.pattern), names[[]]?.contains(ContainerNames.appData) != true {
            return ([inside], false)
        }
        if !pattern.pattern.contains(RelativePath.slash), let deep = try? Glob(Array("**/".utf8) + pattern.pattern),
            paths.contains(where: { deep.matches($0) })
        {
            return ([String(decoding: deep.pattern, as: UTF8.self)], false)
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
