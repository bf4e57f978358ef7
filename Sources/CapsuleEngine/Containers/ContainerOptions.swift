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
