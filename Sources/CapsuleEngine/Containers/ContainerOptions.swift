public import CapsuleCore

/// How to take in a container.
public struct ContainerOptions: Sendable {
    /// Tree paths to leave out.
    public var excluded: [Glob]
    /// Directories of app groups, by identifier.
    public var groups: [(identifier: [UInt8], directory: HostPath)]
    /// Whether directories that can't be listed are left out.
    public var skipsUnreadable: Bool
    /// How many threads list directories.
    public var jobs: Int
    /// Whether what was read of a live container's files is kept, in the user's cache, for when they have not changed.
    public var statCache = false
    /// Where that is kept, if not there.
    var statCacheDirectory: StatCacheDirectory?
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
    /// - Throws: app groups were given, for a container that is no live one.
    func refuseGroups() throws(CapsuleError) {
        guard groups.isEmpty else {
            throw CapsuleError(.usage, "an archive has the app groups that it has", hint: "'--group' is for live containers")
        }
    }
}
