package import CapsuleCore
package import CapsuleSystem

/// Opens a live directory: judges its shape, lists it, and gives its entries their roots and paths.
package struct LiveContainer {
    private let options: ContainerOptions
    private var content = LiveTreeContent()
    private var entries: [TreeEntry] = []
    private var losses = ScanOmissions()
    private var cache: StatCacheSession?
    private let prepare: Preparation
    private var groupDirectories: [RootDirectory] = []

    /// A preparation before anything is listed. It receives the container's own directory and the directories of app groups
    /// elsewhere.
    /// - Returns: true if something may have changed in them.
    package typealias Preparation = (_ top: RootDirectory, _ groups: [RootDirectory]) throws(CapsuleError) -> Bool

    package static func open(
        _ path: HostPath, options: ContainerOptions, preparing prepare: Preparation = { (_, _) in false }
    ) throws(CapsuleError) -> OpenedContainer {
        try withoutActuallyEscaping(prepare) { (prepare) throws(CapsuleError) in
            var opener = LiveContainer(options: options, prepare: prepare)
            return try opener.open(path)
        }
    }

    /// Lists a directory that is already open, as a plain directory whatever its shape.
    package static func open(plain top: RootDirectory, options: ContainerOptions) throws(CapsuleError) -> OpenedContainer {
        let real = (try? RealPath.resolve(top.path)) ?? top.path
        var opener = LiveContainer(options: options) { (_, _) in false }
        return try opener.open(top, real, .directory, "opened as a plain directory")
    }

    package static func shape(of path: HostPath) throws(CapsuleError) -> ContainerShape {
        try judge(try RootDirectory(path), (try? RealPath.resolve(path)) ?? path).0
    }

    private init(options: ContainerOptions, prepare: @escaping Preparation) {
        self.options = options
        self.prepare = prepare
    }

    private mutating func open(_ path: HostPath) throws(CapsuleError) -> OpenedContainer {
        let top = try RootDirectory(path)
        let real = (try? RealPath.resolve(path)) ?? path
        var (shape, evidence) = try Self.judge(top, real)
        shape = options.shape ?? shape
        for group in options.groups { groupDirectories.append(try RootDirectory(group.directory)) }
        if shape == .macContainer {
            // Opened below the judged directory, not by path a second time.
            let data = try top.subdirectory(RelativePath(named: ContainerShape.macData))
            _ = try prepare(data, groupDirectories)
            return try open(data, real.appending(ContainerShape.macData), .container, evidence)
        }
        if try prepare(top, groupDirectories) { (shape, evidence) = try Self.judge(top, real) }
        return try open(top, real, shape, evidence)
    }

    private static func judge(
        _ top: RootDirectory, _ real: HostPath
    ) throws(CapsuleError) -> (ContainerShape, evidence: String) {
        let (directories, files) = try top.names()
        return ContainerShape.judge(name: real.name, directories: directories, files: files)
    }

    private mutating func open(
        _ top: RootDirectory, _ real: HostPath, _ shape: ContainerShape, _ evidence: String
    ) throws(CapsuleError) -> OpenedContainer {
        guard shape != .directory || options.groups.isEmpty else {
            throw CapsuleError(
                .usage, "is not a container, and only a container has app groups", path: top.path,
                hint: "'capsule info' shows the detected layout")
        }
        if shape == .bundle {
            content.add(.wrapper, top)
            content.add(.tree, try top.subdirectory(RelativePath(named: ContainerShape.appData)))
        } else {
            content.add(.tree, top)
        }
        // A cache inside the container would change the files whose digests it keeps. The cache identifies directories by full
        // paths.
        if let directory = options.cacheDirectory, real.bytes.first == UInt8(ascii: "/"),
            (try? directory.path.isInside(real)) == false
        {
            cache = StatCacheSession(
                directory, root: real, began: options.statCacheMoment ?? Host.now, isSaved: options.savesStatCache)
        }
        let facts = try Self.entry(of: top, at: .root)
        var found = try scan(top, shape) { ContainerPlacement.pattern($0, shape) }
        let placement = try ContainerPlacement(
            shape, names: Self.names(of: real), top: facts, entries: found, givenGroups: options.groups.map(\.identifier),
            evidence: evidence, path: top.path, read: { try? top.readFile($0, limit: ContainerMetadata.longestDocument) })
        swap(&entries, &found)
        placement.place(&entries, jobs: options.jobs)
        entries += placement.added
        if let info = placement.info { content.addMadeUp(info, at: RelativePath(named: ContainerShape.appDataInfo)) }
        try addGroups(placement, top, shape)
        cache?.finishListing()
        entries.sortByRoot()
        return OpenedContainer(
            name: placement.name, layout: placement.layout, source: placement.source(), groups: placement.groups,
            entries: entries,
            isDigested: false, contents: EntryContents(content, count: entries.count), omitted: losses.wanted + losses.omitted,
            wantedOmissions: losses.wanted.count,
            evidence: placement.evidence, statCache: cache)
    }

    private static func names(of real: HostPath) -> ContainerPlacement.Names {
        // If the user can't look above the container, nothing above it says what it is.
        let macIdentity = real.directory.appending(ContainerShape.macIdentity)
        let isMacData = real.name == ContainerShape.macData && (try? FileProbe.exists(macIdentity)) == true
        return ContainerPlacement.Names(
            directory: real.name, fallback: real.name, macOwner: isMacData ? real.directory.name : nil)
    }

    private mutating func addGroups(
        _ placement: ContainerPlacement, _ top: RootDirectory, _ shape: ContainerShape
    ) throws(CapsuleError) {
        let inBundle = Set(entries.compactMap { $0.root.groupNumber })
        for (number, identifier) in placement.groups.enumerated() {
            guard let root = TreeRoot.group(number) else { continue }
            if shape == .bundle { content.add(root, top) }
            guard let given = options.groups.firstIndex(where: { $0.identifier == identifier }) else { continue }
            let prefix = try? RelativePath(named: ContainerShape.appGroups).appending(identifier)
            let isThere = inBundle.contains(number) || entries.contains { $0.root == .wrapper && $0.path == prefix }
            try addGroup(identifier, root, groupDirectories[given], at: prefix, isInBundle: isThere)
        }
    }

    private mutating func addGroup(
        _ identifier: [UInt8], _ root: TreeRoot, _ top: RootDirectory, at prefix: RelativePath?, isInBundle: Bool
    ) throws(CapsuleError) {
        guard !isInBundle else {
            throw CapsuleError(.usage, "the bundle already has this app group", path: HostPath(identifier))
        }
        guard let prefix else {
            throw CapsuleError(.usage, "is not an app group identifier", path: HostPath(identifier))
        }
        content.add(root, top, prefix: prefix)
        entries.append(try Self.entry(of: top, at: prefix))
        let known = losses
        var found = try scan(
            top, .directory, below: prefix, pattern: { try? RelativePath(validating: prefix.bytes + [0x2F] + $0.bytes) })
        if identifier == ContainerNames.keychain {
            found = try SimulatorKeychain.files(among: found, in: top)
            losses = known
        }
        for entry in found {
            var placed = entry
            placed.root = root
            ContainerPlacement.mark(&placed)
            entries.append(placed)
        }
    }

    /// Lists a directory and notes what a capsule can't keep.
    /// - Parameter pattern: returns the path that `--exclude` is matched with; nil for an entry that it can't match.
    private mutating func scan(
        _ top: RootDirectory, _ shape: ContainerShape, below prefix: RelativePath = .root,
        pattern: @escaping @Sendable (RelativePath) -> RelativePath?
    ) throws(CapsuleError) -> [TreeEntry] {
        let globs = options.leftOut
        @Sendable func isExcluded(_ path: RelativePath) -> Bool {
            guard let path = pattern(path) else { return false }
            return globs.contains { $0.matches(path) }
        }
        let result = try TreeWalk(
            top, jobs: options.jobs, skipUnreadable: options.skipsUnreadable,
            isTop: { ContainerPlacement.isTop($0, shape) }, isExcluded: globs.isEmpty ? nil : isExcluded,
            cache: cache, isLast: options.groups.isEmpty)
        try Self.refuseUnfinished(result.transactions, in: top)
        let top = prefix.isRoot ? ContainerPlacement.wrapperPath(ofTop: shape) : prefix.bytes
        losses.record(result, reason: options.reason(forLeavingOut:)) { $0.isRoot ? top : pattern($0)?.bytes ?? $0.bytes }
        guard !prefix.isRoot else { return result.entries }
        var entries = result.entries
        for index in entries.indices {
            do throws(PathError) {
                entries[index].path = try RelativePath(validating: prefix.bytes + [0x2F] + entries[index].path.bytes)
            } catch {
                throw CapsuleError(error.message, path: HostPath(entries[index].path.bytes))
            }
        }
        return entries
    }

    /// Throws if a transaction is in progress or unfinished, because the tree may be neither the old one nor the new one. Before a
    /// transaction begins, and after it is done, there are only leftovers.
    private static func refuseUnfinished(_ transactions: [RelativePath], in top: RootDirectory) throws(CapsuleError) {
        for room in transactions {
            for name in [ContainerNames.journal, ContainerNames.leader] {
                guard let path = try? room.appending(name), try top.statusIfThere(of: path) != nil else { continue }
                let place = room.parent ?? .root
                throw CapsuleError(
                    "a transaction is in progress or unfinished, so the data may be half-changed",
                    path: top.hostPath(of: place),
                    hint: "'capsule recover \(top.hostPath(of: place).shellWord)' completes it or rolls it back")
            }
        }
    }

    private static func entry(of top: RootDirectory, at path: RelativePath) throws(CapsuleError) -> TreeEntry {
        let status = try top.status()
        let reading = try ExtendedAttributes.read(top.raw, path: top.path)
        return TreeEntry(
            path: path, root: .wrapper, kind: .directory, mode: status.mode, modified: status.modified,
            attributes: reading.attributes)
    }
}

extension [TreeEntry] {
    /// Sorts the entries into the order of the index. This is fast if the tree's entries are together and already in that order,
    /// and few entries are around them. A container's entries are like this if they were listed in order and then got their
    /// roots. The one long range needs no comparisons.
    mutating func sortByRoot() {
        guard let stretch = treeRange(), count - stretch.count <= Self.mostOthers else {
            return sort(by: TreeEntry.isOrdered)
        }
        let others = self[..<stretch.lowerBound] + self[stretch.upperBound...]
        removeSubrange(stretch.upperBound...)
        removeSubrange(..<stretch.lowerBound)
        for entry in others { insert(entry, at: firstIndex(notBefore: entry.path, in: entry.root)) }
    }

    private static var mostOthers: Int { 64 }

    /// Returns the range of the tree's entries; nil if they are in several ranges, or if there are none.
    private func treeRange() -> Range<Int>? {
        guard let start = firstIndex(where: { $0.root == .tree }) else { return nil }
        let end = self[start...].firstIndex { $0.root != .tree } ?? count
        return self[end...].contains { $0.root == .tree } ? nil : start..<end
    }
}

extension RootDirectory {
    package func statusIfThere(of path: RelativePath) throws(CapsuleError) -> FileStatus? {
        do throws(CapsuleError) {
            let parent = try subdirectory(path.parent ?? .root)
            return try Syscall.status(at: parent.raw, HostPath(Array(path.name)))
        } catch {
            if error.code == .notFound { return nil }
            throw error.at(hostPath(of: path))
        }
    }
}

/// The files of live directories: the bundle, the app data, and app groups in other directories.
package struct LiveTreeContent: ContentSource {
    /// A directory, and the prefix that its paths have in the paths of entries.
    package struct Base: Sendable {
        let directory: RootDirectory
        package let prefix: RelativePath
    }

    /// The directories by root. A group that is in the bundle has the directory of the wrapper.
    package private(set) var bases: [TreeRoot: Base] = [:]
    private(set) var madeUp: [RelativePath: [UInt8]] = [:]

    package init() {}
    package var isLive: Bool { true }

    package mutating func add(_ root: TreeRoot, _ directory: RootDirectory, prefix: RelativePath = .root) {
        bases[root] = Base(directory: directory, prefix: prefix)
    }

    mutating func addMadeUp(_ bytes: [UInt8], at path: RelativePath) {
        madeUp[path] = bytes
    }

    func path(of entry: TreeEntry) -> HostPath? {
        if entry.root == .wrapper, madeUp[entry.path] != nil { return nil }
        guard let base = bases[entry.root], let path = entry.path.relative(to: base.prefix) else { return nil }
        return base.directory.hostPath(of: path)
    }

    package func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        try LiveTreeReader(self).open(entry, number: number)
    }

    package func makeReader() -> FileReader { LiveTreeReader(self) }
}

extension EntryContents {
    package var live: LiveTreeContent? { sources.first as? LiveTreeContent }

    package func livePath(of entry: TreeEntry, number: Int) -> HostPath? {
        let file = self.file(of: entry, number: number)
        return (sources[file.source] as? LiveTreeContent)?.path(of: file.entry)
    }
}

/// Opens files through their directory, which stays open. Files come in order, so the next file is mostly in the same directory.
private final class LiveTreeReader: FileReader {
    private let content: LiveTreeContent
    private var parent: RootDirectory?
    private var parentPath: RelativePath?
    private var parentRoot: TreeRoot?

    init(_ content: LiveTreeContent) {
        self.content = content
        super.init(content)
    }

    override func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        if entry.root == .wrapper, let bytes = content.madeUp[entry.path] { return InMemoryContent(bytes, as: entry) }
        guard let base = content.bases[entry.root], let path = entry.path.relative(to: base.prefix) else {
            throw CapsuleError("is not in any opened directory", path: HostPath(entry.path.bytes))
        }
        do throws(CapsuleError) {
            let directory = try directory(of: path, in: base.directory, entry.root)
            return LiveContent(adopting: try directory.openFile(named: path.name), at: path, in: base.directory)
        } catch {
            throw error.at(base.directory.hostPath(of: path))
        }
    }

    private func directory(
        of path: RelativePath, in base: RootDirectory, _ root: TreeRoot
    ) throws(CapsuleError) -> RootDirectory {
        guard let wanted = path.parent, !wanted.isRoot else { return base }
        if let parent, parentRoot == root, parentPath == wanted { return parent }
        let opened = try base.subdirectory(wanted)
        (parent, parentPath, parentRoot) = (opened, wanted, root)
        return opened
    }
}

/// A file of a live directory, open for reading.
private final class LiveContent: OpenContent {
    private let descriptor: OwnedDescriptor
    private let directory: RootDirectory
    private let place: RelativePath

    init(adopting descriptor: consuming OwnedDescriptor, at place: RelativePath, in directory: RootDirectory) {
        self.place = place
        self.directory = directory
        self.descriptor = descriptor
    }

    /// The path for messages, built only when needed: most files never need it.
    private var path: HostPath { directory.hostPath(of: place) }

    /// - Throws: also if the entry is no longer a file.
    func status() throws(CapsuleError) -> ContentStatus {
        let status = try Syscall.status(of: descriptor.raw, path: path)
        guard status.kind == .file else {
            throw CapsuleError("is no longer a file", path: path, hint: "stop the app, then pack again")
        }
        return ContentStatus(size: status.size, mode: status.mode, modified: status.modified, live: status)
    }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        return try Syscall.read(descriptor.raw, at: offset, into: buffer, path: path)
    }

    func nextData(from offset: UInt64) -> UInt64 {
        Syscall.nextData(descriptor.raw, from: offset) ?? offset
    }

    func hasSibling(withSuffix suffix: [UInt8]) -> Bool {
        guard let parent = try? directory.subdirectory(place.parent ?? .root) else { return false }
        guard let status = try? Syscall.status(at: parent.raw, HostPath(Array(place.name) + suffix)) else { return false }
        switch status.kind {
        // An empty log has no content.
        case .file: return status.size > 0
        case .link, .directory: return true
        // A container never holds these, so another attempt would not, either.
        case .pipe, .socket, .device: return false
        }
    }

    func attributes() throws(CapsuleError) -> ExtendedAttributes.Reading? {
        return try ExtendedAttributes.read(descriptor.raw, path: path)
    }
}
