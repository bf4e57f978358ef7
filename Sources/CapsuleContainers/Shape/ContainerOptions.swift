public import CapsuleCore

/// Options for opening a container.
public struct ContainerOptions: Sendable {
    /// The patterns of tree paths to leave out.
    public var excluded: [Glob]
    /// The classes of noise to leave out.
    public var dropped: [DroppedNoise] = []
    /// The app groups to add: their identifiers and directories.
    public var groups: [(identifier: [UInt8], directory: HostPath)]
    /// True if directories that the user may not list are left out. Otherwise, they are errors.
    public var skipsUnreadable: Bool
    /// The number of threads that list directories.
    public var jobs: Int
    /// True if what is read of a live container's files is kept in the user's cache, for when the files have not changed.
    public var statCache = false
    /// True if what is read now is saved in the cache. Otherwise, the cache is only read.
    package var savesStatCache = true
    /// The directory of the cache; nil for the user's cache directory.
    var statCacheDirectory: StatCacheDirectory?
    /// The directory in which the cache is kept; nil if there is no cache.
    package var cacheDirectory: StatCacheDirectory? { statCache ? statCacheDirectory ?? StatCacheDirectory.ofUser : nil }
    /// The time at which the container counts as read, in seconds since 1970; nil for the present.
    var statCacheMoment: Int64?

    /// Creates options. By default, nothing is left out and one thread lists directories.
    public init(
        excluded: [Glob] = [], groups: [(identifier: [UInt8], directory: HostPath)] = [], skipsUnreadable: Bool = false,
        jobs: Int = 1
    ) {
        self.excluded = excluded
        self.groups = groups
        self.skipsUnreadable = skipsUnreadable
        self.jobs = jobs
    }
}

extension ContainerOptions {
    /// The patterns of all tree paths to leave out: ``excluded`` and those of ``dropped``.
    var leftOut: [Glob] { excluded + dropped.flatMap(\.paths) }

    /// Returns the reason that the manifest gives for leaving out a path that ``leftOut`` matched. A pattern of the user takes
    /// precedence over a class of noise.
    func reason(forLeavingOut path: [UInt8]) -> String {
        guard !excluded.contains(where: { $0.matches(path) }),
            let noise = dropped.first(where: { noise in noise.paths.contains { $0.matches(path) } })
        else { return "excluded" }
        return noise.reason
    }

    /// - Throws: `usage` if app groups were given, because only a live container accepts them.
    func refuseGroups() throws(CapsuleError) {
        guard groups.isEmpty else {
            throw CapsuleError(.usage, "app groups can't be added to an archive", hint: "'--group' is for live containers")
        }
    }
}

/// A class of noise to leave out when a container is read.
public struct DroppedNoise: Sendable {
    /// The class.
    public let noise: NoiseClass
    /// The patterns of the tree paths that belong to the class.
    let paths: [Glob]

    /// - Throws: `usage` for a class that no rule has, or that is not defined by paths alone.
    public init(_ noise: NoiseClass, rules: NoiseRules = NoiseRules()) throws(CapsuleError) {
        self.noise = noise
        do throws(OverlayError) {
            paths = try rules.paths(of: noise)
        } catch {
            let known = rules.classesOfPaths.map(\.rawValue)
            throw CapsuleError(
                .usage, "\(error.message): the class must be \(Suggestions.alternatives(known))",
                misspelt: (noise.rawValue, known))
        }
    }

    /// Returns the classes in a list of names that are separated by commas.
    ///
    /// - Throws: `usage` for a name that is not a class that can be left out.
    public static func list(_ names: String) throws(CapsuleError) -> [DroppedNoise] {
        var found: [DroppedNoise] = []
        for name in names.split(separator: ",", omittingEmptySubsequences: false) {
            let noise = NoiseClass(rawValue: String(name))
            if !found.contains(where: { $0.noise == noise }) { found.append(try DroppedNoise(noise)) }
        }
        return found
    }

    /// The patterns that match only what is inside directories: those that end with `/**`. The directories themselves stay, because
    /// an installed app expects them.
    package var contents: [Glob] { paths.filter { $0.pattern.suffix(3).elementsEqual("/**".utf8) } }

    /// The reason that the manifest gives for what is left out with this class.
    package var reason: String { "dropped: \(noise.rawValue)" }
}

/// Decides which entries patterns leave out: those that match, and everything below them, as in a scan of a live directory.
package struct ExcludedPaths {
    private let globs: [Glob]
    /// The directories that were left out so far.
    private var directories: Set<RelativePath> = []
    /// The paths that the patterns matched, without the entries below them.
    private(set) var matched: [RelativePath] = []

    package init(_ globs: [Glob]) {
        self.globs = globs
    }

    /// Returns true if an entry is left out. A directory must be passed before its contents.
    ///
    /// - Parameters:
    ///   - path: the entry's path.
    ///   - pattern: the path that patterns are matched with; nil for an entry that patterns can't reach.
    package mutating func excludes(_ path: RelativePath, isDirectory: Bool, pattern: RelativePath?) -> Bool {
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

/// Decides how patterns of the user that match nothing are reported.
///
/// A pattern that protects something and matches nothing protects nothing, so it is an error unless the user says otherwise. A
/// pattern that leaves something out, or that judges changes, is a warning unless the user says otherwise.
public enum UnmatchedPatterns: Sendable {
    /// Such a pattern is an error: the command ends before it writes anything.
    case areErrors
    /// Such a pattern is a warning: it is reported, and the command goes on.
    case areWarnings

    /// Returns the patterns that match nothing. Each of them needs a warning.
    ///
    /// - Parameters:
    ///   - flag: the flag that the patterns belong to, such as `--keep`.
    ///   - hint: the hint for such a pattern.
    ///   - matches: returns true if a pattern matches anything.
    /// - Throws: an error that names each such pattern, if they are errors.
    package func find(
        in patterns: [Glob], of flag: String, hint: String, where matches: (Glob) -> Bool
    ) throws(CapsuleError) -> [Glob] {
        let found = patterns.filter { !matches($0) }
        guard self == .areErrors, let first = found.first else { return found }
        var error = CapsuleError("'\(flag) \(HostPath(first.pattern))' matches nothing; nothing was written", hint: hint)
        if found.count > 1 {
            error = CapsuleError("\(found.count) patterns of '\(flag)' match nothing; nothing was written", hint: hint)
            error.details = found.map { "\(HostPath($0.pattern))" }
        }
        throw error
    }
}
