import CapsuleCore

/// Decides what patterns leave out: what they match, and all below it, as a scan of a live directory does.
struct ExcludedPaths {
    private let globs: [Glob]
    /// Directories that were left out, so far.
    private var directories: Set<RelativePath> = []
    /// What the patterns matched, without what lies below it.
    private(set) var matched: [RelativePath] = []

    init(_ globs: [Glob]) {
        self.globs = globs
    }

    /// Whether an entry goes. A directory must be asked about before what is in it.
    ///
    /// - Parameters:
    ///   - path: where the entry is.
    ///   - pattern: the path that patterns speak of; nil for what they can't reach.
    mutating func take(_ path: RelativePath, isDirectory: Bool, pattern: RelativePath?) -> Bool {
        if !directories.isEmpty, let parent = path.parent, directories.contains(parent) {
            if isDirectory { directories.insert(path) }
            return true
        }
        guard let pattern, globs.contains(where: { $0.matches(pattern) }) else { return false }
        if isDirectory { directories.insert(path) }
        matched.append(pattern)
        return true
    }
}
