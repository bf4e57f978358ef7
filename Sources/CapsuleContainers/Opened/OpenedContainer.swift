package import CapsuleCore
package import CapsulePropertyList
import CapsuleSystem

/// A container that was found, judged and listed. The bytes of its files can be read.
package struct OpenedContainer: Sendable {
    /// The argument that names the container on the command line; nil if there is none.
    package var argument: [UInt8]?
    package var name: [UInt8]
    package var layout: ContainerLayout
    package var source: SourceDescription
    /// The app groups' identifiers, sorted by their bytes.
    package var groups: [[UInt8]]
    /// The entries in the order of the index. Unless the cache has them, the digest of a live file is zero, and its attributes are
    /// unknown.
    package var entries: [TreeEntry]
    /// True if the digests and attributes of the entries are known.
    package var isDigested: Bool
    package var contents: EntryContents
    /// True if live files must still have the digests of their entries when they are read again.
    package var isFixed = false
    package var omitted: [Omission]
    /// The number of ``omitted`` that the user asked for. They come first.
    package var wantedOmissions: Int
    /// The number of the wanted omissions that were made when this version was packed. They come last among these.
    package var earlierOmissions = 0
    package var overlays: [PlistValue] = []
    package var evidence: [String]
    package var statCache: StatCacheSession?
    /// The modes of the files that the container was read from. A file made of it must not be readable by anyone who can't read all
    /// of them.
    package var inputModes: [FileMode] = []
    /// The remarks on entries that were read differently from how the container has them: a sentence each, in lower case, without a
    /// period.
    var remarks: [String] = []
    /// The note on the directory of an archive whose content is the container; nil if there is none around it, or only a bundle's.
    package var wrapperNote: String?

    package init(
        name: [UInt8], layout: ContainerLayout, source: SourceDescription, groups: [[UInt8]], entries: [TreeEntry],
        isDigested: Bool, contents: EntryContents, omitted: [Omission], wantedOmissions: Int, earlierOmissions: Int = 0,
        overlays: [PlistValue] = [], evidence: [String], statCache: StatCacheSession? = nil,
        inputModes: [FileMode] = [], remarks: [String] = []
    ) {
        self.name = name
        self.layout = layout
        self.source = source
        self.groups = groups
        self.entries = entries
        self.isDigested = isDigested
        self.contents = contents
        self.omitted = omitted
        self.wantedOmissions = wantedOmissions
        self.earlierOmissions = earlierOmissions
        self.overlays = overlays
        self.evidence = evidence
        self.statCache = statCache
        self.inputModes = inputModes
        self.remarks = remarks
    }

    package var unwantedOmissions: [Omission] { Array(omitted.dropFirst(wantedOmissions)) }

    /// True if the bytes that are read must match the digests of the entries. The files of a live container may change.
    package var hasFinalDigests: Bool { isDigested && !contents.isLive }
    var unlistedDirectories: [Omission] { omitted.filter(\.isUnlisted) }

    package var unlisted: [RelativePath: String] {
        var reasons: [RelativePath: String] = [:]
        for omission in unlistedDirectories {
            if let path = try? RelativePath(validating: omission.path) {
                reasons[path] = String(omission.reason.dropFirst(Omission.unlisted.count))
            }
        }
        return reasons
    }

    func filtered(_ options: ContainerOptions) throws(CapsuleError) -> OpenedContainer {
        try options.refuseGroups()
        let leftOut = options.leftOut
        if leftOut.isEmpty { return self }
        var excluded = ExcludedPaths(leftOut)
        var numbers: [Int] = []
        for (number, entry) in entries.enumerated() {
            // Patterns can't match entries of the wrapper.
            if entry.root != .wrapper, excluded.excludes(entry.path, isDirectory: entry.kind == .directory, pattern: entry.path) {
                continue
            }
            numbers.append(number)
        }
        var kept = selecting(numbers)
        kept.omitted =
            excluded.matched.map { Omission(path: $0.bytes, reason: options.reason(forLeavingOut: $0.bytes)) } + omitted
        kept.wantedOmissions += excluded.matched.count
        return kept
    }

    package func selecting(_ numbers: [Int]) -> OpenedContainer {
        if numbers.count == entries.count { return self }
        var selected = self
        selected.entries = numbers.map { entries[$0] }
        selected.contents.select(numbers)
        return selected
    }

    package func open(_ number: Int) throws(CapsuleError) -> any OpenContent {
        try contents.open(entries[number], number: number)
    }

    package func makeReader() -> ContentReader { ContentReader(contents) }
    package func isDatabase(_ number: Int) -> Bool { contents.isDatabase(entries[number], number: number) }

    /// The mode for a new file with the container's data. Users who can't list the container's own directory, or can't read the
    /// file that the container comes from, can't read the new file. A keychain is for the owner alone.
    package var fileMode: FileMode {
        if hasKeychain { return FileMode(CreationMask.fileMode & 0o600) }
        let reach = entries.lazy.filter(Self.isTop).reduce(UInt16(0o066)) { $0 & $1.mode.rawValue }
        return FileMode(CreationMask.fileMode & (0o600 | reach)).closed(as: inputModes)
    }

    /// Closes the container's own directory, and those of its app groups, to everyone who has no access to the same directory in
    /// one of the other containers. Entries may come from there with modes that leave the protection to the directory.
    package mutating func close(as others: [OpenedContainer]) {
        var modes: [RelativePath: FileMode] = [:]
        for entry in others.lazy.flatMap(\.entries) where Self.isTop(entry) {
            // Keep the owner's bits, and all bits other than read, write and search.
            let mode = FileMode(entry.mode.rawValue | 0o7700)
            modes[entry.path] = modes[entry.path].map { $0.within(mode) } ?? mode
        }
        for number in entries.indices where Self.isTop(entries[number]) {
            guard let mode = modes[entries[number].path] else { continue }
            entries[number].mode = entries[number].mode.within(mode)
        }
    }

    private static func isTop(_ entry: TreeEntry) -> Bool {
        guard entry.kind == .directory else { return false }
        return entry.root == .wrapper || entry.root.groupNumber != nil && entry.path.components.count == ContainerNames.groupDepth
    }
}

extension FileMode {
    /// Returns the mode for a file that is made of others. Only users who can read all of them can read it; its owner always can.
    package func closed(as modes: [FileMode]) -> FileMode { modes.reduce(self) { $0.within(FileMode($1.rawValue | 0o600)) } }
    package func within(_ other: FileMode) -> FileMode { FileMode(rawValue & other.rawValue) }
}

/// Options for opening a container.
package struct ContainerOptions: Sendable {
    package var excluded: [Glob]
    package var dropped: [DroppedNoise] = []
    package var groups: [(identifier: [UInt8], directory: HostPath)]
    /// True if a container without the device's keychain is an error.
    package var needsKeychain = false
    /// True if directories that the user may not list are left out. Otherwise, they are errors.
    package var skipsUnreadable: Bool
    package var jobs: Int
    /// True if what is read of a live container's files is kept in the user's cache, for when the files have not changed.
    package var statCache = false
    /// True if what is read now is saved in the cache. Otherwise, the cache is only read.
    package var savesStatCache = true
    var statCacheDirectory: StatCacheDirectory?
    package var cacheDirectory: StatCacheDirectory? { statCache ? statCacheDirectory ?? StatCacheDirectory.ofUser : nil }
    package var shape: ContainerShape?
    /// The time at which the container counts as read, in seconds since 1970; nil for the present.
    var statCacheMoment: Int64?

    package init(
        excluded: [Glob] = [], groups: [(identifier: [UInt8], directory: HostPath)] = [], skipsUnreadable: Bool = false,
        jobs: Int = 1
    ) {
        self.excluded = excluded
        self.groups = groups
        self.skipsUnreadable = skipsUnreadable
        self.jobs = jobs
    }

    var leftOut: [Glob] { excluded + dropped.flatMap(\.paths) }

    /// Returns the reason that the manifest gives for leaving out a path that ``leftOut`` matched. A pattern of the user takes
    /// precedence over a class of noise.
    func reason(forLeavingOut path: [UInt8]) -> String {
        guard !excluded.contains(where: { $0.matches(path) }),
            let noise = dropped.first(where: { noise in noise.paths.contains { $0.matches(path) } })
        else { return "excluded" }
        return noise.reason
    }

    func refuseGroups() throws(CapsuleError) {
        guard groups.isEmpty else {
            throw CapsuleError(.usage, "app groups can't be added to an archive", hint: "'--group' is for live containers")
        }
    }
}

/// Decides which entries patterns leave out: those that match, and everything below them, as in a scan of a live directory.
package struct ExcludedPaths {
    private let globs: [Glob]
    private var directories: Set<RelativePath> = []
    private(set) var matched: [RelativePath] = []

    package init(_ globs: [Glob]) {
        self.globs = globs
    }

    /// A directory must be passed before its contents.
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

/// Decides how patterns of the user that match nothing are reported. A pattern that protects something and matches nothing
/// protects nothing, so it is an error unless the user says otherwise. A pattern that leaves something out, or that judges
/// changes, is a warning unless the user says otherwise.
package enum UnmatchedPatterns: Sendable {
    case areErrors
    case areWarnings

    /// Returns the patterns that match nothing. Each of them needs a warning.
    /// - Throws: an error that names each such pattern, if they are errors.
    package func find(
        in patterns: [Glob], of flag: String, hint: (Glob) -> String, where matches: (Glob) -> Bool
    ) throws(CapsuleError) -> [Glob] {
        let found = patterns.filter { !matches($0) }
        guard self == .areErrors, let first = found.first else { return found }
        let hint = hint(first)
        var error = CapsuleError("'\(flag) \(HostPath(first.pattern))' matches nothing; nothing was written", hint: hint)
        if found.count > 1 {
            error = CapsuleError("\(found.count) patterns of '\(flag)' match nothing; nothing was written", hint: hint)
            error.details = found.map { "\(HostPath($0.pattern))" }
        }
        throw error
    }
}
