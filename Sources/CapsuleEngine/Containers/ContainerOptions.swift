public import CapsuleCore

/// How to take in a container.
public struct ContainerOptions: Sendable {
    /// Tree paths to leave out.
    public var excluded: [Glob]
    /// Classes of noise to leave out.
    public var dropped: [DroppedNoise] = []
    /// Directories of app groups, by identifier.
    public var groups: [(identifier: [UInt8], directory: HostPath)]
    /// Whether directories that can't be listed are left out.
    public var skipsUnreadable: Bool
    /// How many threads list directories.
    public var jobs: Int
    /// Whether what was read of a live container's files is kept, in the user's cache, for when they have not changed.
    public var statCache = false
    /// Whether what is read now is kept; if not, the cache is looked into only.
    var savesStatCache = true
    /// Where that is kept, if not there.
    var statCacheDirectory: StatCacheDirectory?
    /// The directory that both come to; nil where nothing is kept.
    var cacheDirectory: StatCacheDirectory? { statCache ? statCacheDirectory ?? StatCacheDirectory.ofUser : nil }
    /// When the container is taken to be looked at, in seconds since 1970; nil is the moment itself.
    var statCacheMoment: Int64?

    /// Takes in all, by one thread, unless told otherwise.
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
    /// All patterns of tree paths to leave out.
    var leftOut: [Glob] { excluded + dropped.flatMap(\.paths) }

    /// What the manifest says of a path that ``leftOut`` matched; a pattern of the user's own counts before a class.
    func reason(forLeavingOut path: [UInt8]) -> String {
        guard !excluded.contains(where: { $0.matches(path) }),
            let noise = dropped.first(where: { noise in noise.paths.contains { $0.matches(path) } })
        else { return "excluded" }
        return noise.reason
    }

    /// - Throws: app groups were given, for a container that is no live one.
    func refuseGroups() throws(CapsuleError) {
        guard groups.isEmpty else {
            throw CapsuleError(.usage, "app groups can't be added to an archive", hint: "'--group' is for live containers")
        }
    }
}

/// A class of noise that a container is taken in without, as if it had none.
public struct DroppedNoise: Sendable {
    /// Which it is.
    public let noise: NoiseClass
    /// The tree paths that it is made of.
    let paths: [Glob]

    /// - Throws: `usage` for a class that no rule has, or that is not one of paths alone.
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

    /// Classes by their names, with commas between.
    ///
    /// - Throws: `usage` for a name that is none.
    public static func list(_ names: String) throws(CapsuleError) -> [DroppedNoise] {
        var found: [DroppedNoise] = []
        for name in names.split(separator: ",", omittingEmptySubsequences: false) {
            let noise = NoiseClass(rawValue: String(name))
            if !found.contains(where: { $0.noise == noise }) { found.append(try DroppedNoise(noise)) }
        }
        return found
    }

    /// The paths of what is in its directories, which stay: an app that is installed expects them.
    var contents: [Glob] { paths.filter { $0.pattern.suffix(3).elementsEqual("/**".utf8) } }

    /// What the manifest says of what is left out for it.
    var reason: String { "dropped: \(noise.rawValue)" }
}

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

/// What is done about patterns of the user's that match nothing.
///
/// One that protects protects nothing then, so it is an error unless the user says otherwise; one that leaves something out, or
/// judges, is a warning unless the user says otherwise.
public enum UnmatchedPatterns: Sendable {
    /// The command ends before it writes anything.
    case areErrors
    /// They are told, and the command goes on.
    case areWarnings

    /// The patterns that match nothing, each worth a warning.
    ///
    /// - Parameters:
    ///   - flag: the flag that the patterns belong to, as in `--keep`.
    ///   - hint: what to do about one.
    ///   - matches: whether a pattern matches anything.
    /// - Throws: with each such pattern, if they are errors.
    func find(
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
