import CapsuleCore
import CapsuleFileSystem
import CapsulePropertyList

/// Opens a live directory: judges what it is, lists it, and names its parts.
struct LiveContainer {
    private let options: ContainerOptions
    private var content = LiveTreeContent()
    private var entries: [TreeEntry] = []
    private var omitted: [Omission] = []
    private var wanted: [Omission] = []
    private var groups: [[UInt8]] = []

    /// Opens `path`, which must be a directory.
    static func open(_ path: HostPath, options: ContainerOptions) throws(CapsuleError) -> OpenedContainer {
        var opener = LiveContainer(options: options)
        return try opener.open(path)
    }

    private init(options: ContainerOptions) {
        self.options = options
    }

    private mutating func open(_ path: HostPath) throws(CapsuleError) -> OpenedContainer {
        let top = try Self.root(path)
        let real = HostPath(RealPath.resolve(path)?.bytes ?? path.bytes)
        let (directories, files) = try Self.names(in: top)
        let (shape, evidence) = ContainerShape.judge(name: real.name, directories: directories, files: files)
        switch shape {
        case .bundle:
            return try openBundle(top, real, evidence)
        case .container:
            return try openContainer(top, real, [evidence])
        case .macContainer:
            let data = try Self.root(path.appending(ContainerShape.macData))
            return try openContainer(data, real.appending(ContainerShape.macData), [evidence])
        case .directory:
            return try openDirectory(top, real, evidence)
        }
    }

    // MARK: The three layouts

    private mutating func openBundle(_ top: RootDirectory, _ real: HostPath, _ evidence: String) throws(CapsuleError)
        -> OpenedContainer
    {
        let appData = try Self.component(ContainerShape.appData)
        content.add(.wrapper, top)
        content.add(.tree, try Self.directory(appData, in: top))
        entries.append(try Self.entry(of: top, at: .root))
        let found = try scan(top) { path in
            // Patterns speak of tree paths; the wrapper has none.
            if let below = path.relative(to: appData) { return below.isRoot ? nil : below }
            return Self.groupIdentifier(of: path) == nil ? nil : path
        }
        groups = Self.groupIdentifiers(in: found)
        try checkGroupCount()
        for (number, _) in groups.enumerated() {
            if let root = TreeRoot.group(number) { content.add(root, top) }
        }
        for entry in found { entries.append(place(entry, appData)) }
        try addGroups()
        let metadata = ContainerMetadata(
            info: read(ContainerShape.appDataInfo, in: top),
            identity: read(ContainerShape.appData + [0x2F] + ContainerShape.identity, in: top))
        let hasInfo = entries.contains { $0.root == .wrapper && $0.path.bytes == ContainerShape.appDataInfo }
        if !hasInfo { try addInfo(identifier: metadata.bundleIdentifier, modified: entries[0].modified) }
        return finish(
            name: ContainerNaming.name(ofBundle: real.name, identifier: metadata.bundleIdentifier, directory: real.name),
            kind: .bundle, identifier: metadata.bundleIdentifier, evidence: [evidence])
    }

    private mutating func openContainer(_ top: RootDirectory, _ real: HostPath, _ why: [String]) throws(CapsuleError)
        -> OpenedContainer
    {
        content.add(.tree, top)
        let found = try scan(top) { $0 }
        if found.contains(where: { $0.path.bytes == ContainerShape.appGroups }) {
            throw CapsuleError(
                "has a directory AppGroups of its own, where a capsule keeps app groups", path: top.path,
                hint: "rename it, or leave it out with '--exclude AppGroups'")
        }
        for entry in found { entries.append(place(entry, nil)) }
        let metadata = ContainerMetadata(info: nil, identity: read(ContainerShape.identity, in: top))
        let (kind, identifier, evidence) = Self.kind(of: real, metadata.bundleIdentifier)
        try addWrapper(around: top, identifier: identifier)
        try addGroups()
        return finish(
            name: ContainerNaming.name(ofBundle: nil, identifier: identifier, directory: real.name), kind: kind,
            identifier: identifier, evidence: why + evidence)
    }

    private mutating func openDirectory(_ top: RootDirectory, _ real: HostPath, _ evidence: String) throws(CapsuleError)
        -> OpenedContainer
    {
        guard options.groups.isEmpty else {
            throw CapsuleError(
                .usage, "is no container, and only a container has app groups", path: top.path,
                hint: "'capsule info' says what it was taken for")
        }
        content.add(.tree, top)
        entries.append(try Self.entry(of: top, at: .root))
        entries += try scan(top) { $0 }
        return finish(
            name: ContainerNaming.name(ofBundle: nil, identifier: nil, directory: real.name), kind: .directory, identifier: nil,
            evidence: [evidence])
    }

    private mutating func finish(
        name: [UInt8], kind: ContainerKind, identifier: [UInt8]?, evidence: [String]
    ) -> OpenedContainer {
        entries.sort(by: TreeEntry.isOrdered)
        return OpenedContainer(
            name: name, layout: kind == .directory ? .directory : .container,
            source: SourceDescription(kind: kind, bundleIdentifier: identifier.flatMap { PlistString(validating: $0) }),
            groups: groups, entries: entries, isDigested: false, content: content, omitted: wanted + omitted,
            wantedOmissions: wanted.count, evidence: evidence)
    }

    /// What kind of bare container it is, whose, and why.
    private static func kind(of real: HostPath, _ identifier: [UInt8]?) -> (ContainerKind, [UInt8]?, [String]) {
        if ContainerNaming.isUUID(real.name) { return (.simulator, identifier, ["a name that is a UUID, as simulators give"]) }
        if real.name == ContainerShape.macData, FileProbe.exists(real.directory.appending(ContainerShape.macIdentity)) {
            let owner = real.directory.name
            return (
                .macData, identifier ?? (ContainerNaming.isReverseDNS(owner) ? owner : nil), ["Data in a Mac app's container"]
            )
        }
        if ContainerNaming.isReverseDNS(real.name), identifier == nil || identifier == real.name {
            return (.deviceHub, real.name, ["a name that is the bundle identifier, as Device Hub gives"])
        }
        return (.container, identifier, [])
    }

    // MARK: Entries

    /// Gives a scanned entry of a bundle or container its root and its path in the tree.
    private func place(_ entry: TreeEntry, _ appData: RelativePath?) -> TreeEntry {
        var placed = entry
        if let appData {
            if let below = entry.path.relative(to: appData), !below.isRoot {
                placed.path = below
                placed.root = .tree
            } else if let identifier = Self.groupIdentifier(of: entry.path), let number = groups.firstIndex(of: identifier),
                let root = TreeRoot.group(number)
            {
                placed.root = root
            } else {
                placed.root = .wrapper
            }
        }
        if placed.kind == .file, Self.isIdentity(placed) { placed.kind = .identity }
        return placed
    }

    private static func isIdentity(_ entry: TreeEntry) -> Bool {
        // Nearly no entry has the name: look at the end before anything is cut up.
        guard entry.path.bytes.count >= ContainerShape.identity.count, entry.path.bytes.last == ContainerShape.identity.last
        else {
            return false
        }
        let depth = entry.path.components.count
        return entry.path.name.elementsEqual(ContainerShape.identity)
            && (entry.root == .tree ? depth == 1 : entry.root.groupNumber != nil && depth == 3)
    }

    /// What a bundle would add around bare app data.
    private mutating func addWrapper(around top: RootDirectory, identifier: [UInt8]?) throws(CapsuleError) {
        let own = try Self.entry(of: top, at: try Self.component(ContainerShape.appData))
        entries.append(own)
        entries.append(TreeEntry(path: .root, root: .wrapper, kind: .directory, mode: FileMode(0o755), modified: own.modified))
        try addInfo(identifier: identifier, modified: own.modified)
    }

    /// Makes up the bundle's property list from what is known; nothing known, none made.
    private mutating func addInfo(identifier: [UInt8]?, modified: Timestamp) throws(CapsuleError) {
        guard let info = ContainerMetadata.madeUpInfo(identifier: identifier) else { return }
        let path = try Self.component(ContainerShape.appDataInfo)
        content.addMadeUp(info, at: path)
        entries.append(
            TreeEntry(
                path: path, root: .wrapper, kind: .file, mode: FileMode(0o644), modified: modified, size: UInt64(info.count)))
    }

    /// Adds the app groups that the user named with their directories.
    private mutating func addGroups() throws(CapsuleError) {
        if options.groups.isEmpty { return }
        let appGroups = try Self.component(ContainerShape.appGroups)
        // A bundle's groups keep their numbers only if none comes between: number all anew.
        let inBundle = groups
        let all = Set(groups).union(options.groups.map(\.identifier)).sorted { $0.lexicographicallyPrecedes($1) }
        groups = all
        try checkGroupCount()
        let wrapper = content.bases[.wrapper]?.directory
        for index in entries.indices {
            guard let old = entries[index].root.groupNumber, let number = all.firstIndex(of: inBundle[old]),
                let root = TreeRoot.group(number)
            else { continue }
            entries[index].root = root
        }
        for (number, identifier) in all.enumerated() {
            if let root = TreeRoot.group(number), let wrapper { content.add(root, wrapper) }
            guard let given = options.groups.first(where: { $0.identifier == identifier }) else { continue }
            try addGroup(identifier, number, given.directory, below: appGroups, isInBundle: inBundle.contains(identifier))
        }
        if !entries.contains(where: { $0.root == .wrapper && $0.path == appGroups }) {
            let modified = entries.first { $0.root == .wrapper && $0.path.isRoot }?.modified ?? .epoch
            entries.append(
                TreeEntry(path: appGroups, root: .wrapper, kind: .directory, mode: FileMode(0o755), modified: modified))
        }
    }

    private mutating func addGroup(
        _ identifier: [UInt8], _ number: Int, _ directory: HostPath, below appGroups: RelativePath, isInBundle: Bool
    ) throws(CapsuleError) {
        guard !isInBundle else {
            throw CapsuleError(.usage, "the bundle has the app group already", path: HostPath(identifier))
        }
        guard let prefix = try? appGroups.appending(identifier), let root = TreeRoot.group(number) else {
            throw CapsuleError(.usage, "is no identifier of an app group", path: HostPath(identifier))
        }
        let top = try Self.root(directory)
        content.add(root, top, prefix: prefix)
        entries.append(try Self.entry(of: top, at: prefix))
        for entry in try scan(top, below: prefix, pattern: { try? RelativePath(validating: prefix.bytes + [0x2F] + $0.bytes) }) {
            var placed = entry
            placed.root = root
            if placed.kind == .file, Self.isIdentity(placed) { placed.kind = .identity }
            entries.append(placed)
        }
    }

    private func checkGroupCount() throws(CapsuleError) {
        guard groups.count <= TreeRoot.maximumGroups else {
            throw CapsuleError("has \(groups.count) app groups, and a capsule holds \(TreeRoot.maximumGroups)")
        }
    }

    /// The identifier in `AppGroups/ID/…`, for what lies below it.
    private static func groupIdentifier(of path: RelativePath) -> [UInt8]? {
        guard path.bytes.starts(with: ContainerShape.appGroups) else { return nil }
        let components = path.components
        return components.count > 2 && components[0].elementsEqual(ContainerShape.appGroups) ? Array(components[1]) : nil
    }

    private static func groupIdentifiers(in entries: [TreeEntry]) -> [[UInt8]] {
        entries.filter { $0.path.bytes.starts(with: ContainerShape.appGroups) }.compactMap { entry in
            let components = entry.path.components
            return entry.kind == .directory && components.count == 2 && components[0].elementsEqual(ContainerShape.appGroups)
                ? Array(components[1]) : nil
        }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    // MARK: The file system

    /// Lists a directory and notes what no capsule keeps.
    ///
    /// - Parameter pattern: the path that `--exclude` speaks of; nil for what it can't reach.
    private mutating func scan(
        _ top: RootDirectory, below prefix: RelativePath = .root, pattern: @escaping @Sendable (RelativePath) -> RelativePath?
    ) throws(CapsuleError) -> [TreeEntry] {
        let globs = options.excluded
        @Sendable func isExcluded(_ path: RelativePath) -> Bool {
            guard let path = pattern(path) else { return false }
            return globs.contains { $0.matches(path) }
        }
        let result = try TreeWalk(
            top, jobs: options.jobs, skipUnreadable: options.skipsUnreadable, isExcluded: globs.isEmpty ? nil : isExcluded)
        func whole(_ path: RelativePath) -> [UInt8] {
            pattern(path)?.bytes ?? path.bytes
        }
        for path in result.excluded { wanted.append(Omission(path: whole(path), reason: "excluded")) }
        for (path, kind) in result.special { omitted.append(Omission(path: whole(path), reason: Self.word(for: kind))) }
        for (path, error) in result.unreadable {
            omitted.append(Omission(path: whole(path), reason: "its content is unreadable: \(error.message)"))
        }
        for (path, name) in result.longAttributes {
            guard let path = try? RelativePath(validating: whole(path)) else { continue }
            omitted.append(.longAttribute(name, of: path))
        }
        var firsts: [TreeScanner.FileIdentity: [UInt8]] = [:]
        for (entry, file) in result.hardLinks {
            let path = whole(result.entries[entry].path)
            if let first = firsts[file] {
                omitted.append(
                    Omission(
                        path: path, reason: "hard link to \(String(decoding: first, as: UTF8.self)), kept as a file of its own"))
            } else {
                firsts[file] = path
            }
        }
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

    private static func word(for kind: FileStatus.Kind) -> String {
        switch kind {
        case .socket: "socket"
        case .pipe: "pipe"
        case .device: "device"
        case .directory, .file, .link: "unknown"
        }
    }

    private static func root(_ path: HostPath) throws(CapsuleError) -> RootDirectory {
        try CapsuleError.wrapping { () throws(FileSystemError) in try RootDirectory(path) }
    }

    private static func directory(_ path: RelativePath, in top: RootDirectory) throws(CapsuleError) -> RootDirectory {
        try CapsuleError.wrapping { () throws(FileSystemError) in try top.subdirectory(path) }
    }

    private static func names(in top: RootDirectory) throws(CapsuleError) -> (directories: Set<[UInt8]>, files: Set<[UInt8]>) {
        try CapsuleError.wrapping { () throws(FileSystemError) in try top.names() }
    }

    /// The wrapper's entry for a directory that was opened itself.
    private static func entry(of top: RootDirectory, at path: RelativePath) throws(CapsuleError) -> TreeEntry {
        try CapsuleError.wrapping { () throws(FileSystemError) in
            let status = try top.status()
            let reading = try ExtendedAttributes.read(top.raw, path: top.path)
            return TreeEntry(
                path: path, root: .wrapper, kind: .directory, mode: status.mode, modified: status.modified,
                attributes: reading.attributes)
        }
    }

    private static func component(_ bytes: [UInt8]) throws(CapsuleError) -> RelativePath {
        do throws(PathError) {
            return try RelativePath(validating: bytes)
        } catch {
            throw CapsuleError(error.message, path: HostPath(bytes))
        }
    }

    /// The bytes of a small file; nil if there is none that can be read.
    private func read(_ path: [UInt8], in top: RootDirectory) -> [UInt8]? {
        guard let path = try? RelativePath(validating: path) else { return nil }
        return try? top.readFile(path, limit: ContainerMetadata.longestDocument)
    }
}
