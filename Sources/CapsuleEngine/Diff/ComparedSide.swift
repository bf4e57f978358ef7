import CapsuleArchive
import CapsuleContainers
package import CapsuleCore
import CapsulePropertyList
import CapsuleRemote
import CapsuleRules
import CapsuleSQLite
import CapsuleSystem

/// One of the two containers of a comparison: its tree with digests, and the content of its files.
struct ComparedSide: Sendable {
    var tree: TreeSide
    var failures: [Int: CapsuleError] = [:]
    var unlisted: [RelativePath: String] = [:]
    var treeDigest: ContentDigest?
    let contents: EntryContents
    var unmatched: [UnmatchedPath] = []
    /// The tables to compare of databases that are not compared as a whole.
    var tables: [EntryPath: Set<SQLName>] = [:]
    var excluded: [Set<RelativePath>] = []
    /// Sockets, pipes and devices, which no version can store.
    var specialFiles: [Omission] = []
    var isLive = false
    var origin: OverlayPackage.Origin?
    var shownOrigin: SideOrigin?
    var fileMode: FileMode?

    /// The time of the newest entry as a property list's date, which is when the container was captured or shortly before.
    var captured: Double? { tree.entries.lazy.map(\.modified).max()?.plistDate }

    func open(_ index: Int) throws(CapsuleError) -> any OpenContent {
        try contents.open(tree.entries[index], number: index)
    }

    func file(at path: [UInt8], in root: TreeRoot) -> Int? {
        guard let path = try? RelativePath(validating: path), let index = tree.entries.index(of: path, in: root),
            tree.entries[index].kind == .file
        else { return nil }
        return index
    }

    func isDatabase(_ index: Int) -> Bool {
        contents.isDatabase(tree.entries[index], number: index)
    }
}

extension ComparedSide {
    init(
        _ container: Container, _ options: DiffOptions, progress: (any ProgressObserver)? = nil
    ) throws(CapsuleError) {
        var containerOptions = ContainerOptions(groups: options.groups, skipsUnreadable: true, jobs: options.jobs)
        containerOptions.statCache = options.usesCache
        // The groups in the options are for live containers. The other side may be an archive with its own groups.
        if try !container.isLive { containerOptions.groups = [] }
        let opened = try container.open(containerOptions)
        container.warnOfUnreadable(in: opened)
        try self.init(opened, options, progress: progress)
        if options.describesSides { shownOrigin = try SideOrigin(container, opened) }
    }

    init(
        _ container: OpenedContainer, _ options: DiffOptions, progress: (any ProgressObserver)? = nil
    ) throws(CapsuleError) {
        var opened = container
        if !options.paths.isEmpty {
            let named = try NamedTables(options.paths, in: container)
            let selection = try PathSelection(named.paths, in: container, isCompared: true)
            unmatched = named.unmatched + selection.unmatched
            tables = named.tables
            opened = selection.select(from: container)
        }
        if !options.excluded.isEmpty { (opened, excluded) = try opened.excluding(options.excluded) }
        var failures: [Int: CapsuleError] = [:]
        if !opened.isDigested { failures = try EntryDigester(jobs: options.jobs, progress: progress).complete(&opened) }
        opened.statCache?.save()
        for index in failures.keys { opened.entries[index].unknown.insert(.content) }
        tree = TreeSide(opened.entries, groups: opened.groups)
        self.failures = failures
        contents = opened.contents
        origin = OverlayPackage.Origin(name: opened.name, source: opened.source, layout: opened.layout, groups: opened.groups)
        fileMode = opened.fileMode
        if options.paths.isEmpty { specialFiles = container.omitted.filter { $0.special != nil && !options.excludes($0.path) } }
        isLive = opened.contents.isLive
        if isLive { unlisted = opened.unlisted.filter { !options.excludes($0.key.bytes) } }
        if options.needsTreeDigests, failures.isEmpty, unlisted.isEmpty {
            treeDigest = TreeDigester.digest(of: opened.entries, .tree)
        }
    }
}

extension SideOrigin {
    /// Reads the origin from a capsule's manifest, or from the container's own property lists.
    /// - Parameter opened: the container with all of its entries.
    init(_ container: Container, _ opened: OpenedContainer) throws(CapsuleError) {
        let appVersion = Self.appVersion(in: opened)
        guard case .capsule(let capsule, let selector) = try container.resolve() else {
            self.init(bundleIdentifier: opened.source.bundleIdentifier, appVersion: appVersion)
            return
        }
        do throws(CapsuleError) {
            let manifest = try capsule.head(of: try capsule.footer(of: selector)).manifest
            self.init(manifest, of: capsule, appVersion: appVersion)
        } catch {
            throw StoredVersion.error(error, reading: selector, of: capsule)
        }
    }

    init(_ manifest: Manifest, of capsule: CapsuleReader, appVersion: PlistString? = nil) {
        self.init(manifest, in: capsule.file.path.name, appVersion: appVersion)
        label = capsule.readableLabels().labels.first { $0.version == manifest.version }?.label
    }

    /// Returns the app's version from `AppDataInfo.plist`. Other programs write this file, so errors in reading it are ignored.
    private static func appVersion(in opened: OpenedContainer) -> PlistString? {
        let path = RelativePath(named: ContainerShape.appDataInfo)
        guard let number = opened.entries.index(of: path, in: .wrapper), opened.entries[number].kind == .file,
            opened.entries[number].size <= ContainerMetadata.longestDocument,
            let file = try? opened.open(number)
        else { return nil }
        let content = ComparedContent(file, size: opened.entries[number].size)
        let version = ContainerMetadata.string(in: try? content.all(), ["CFBundleShortVersionString", "CFBundleVersion"])
        return version.flatMap { PlistString(validating: $0) }
    }
}

/// Two versions of one capsule that one argument names: `FILE` for the last two, `FILE@1..2` for any
/// two; `FILE:PATH` and `FILE@1..2:PATH` for one file in both.
package struct ComparedVersions: Sendable {
    package let old: [UInt8]
    package let new: [UInt8]

    private static let separator = Array("..".utf8)

    /// Returns true for `FILE@1..2`. Paths may follow such an argument, because it names both sides.
    package static func isRange(_ argument: [UInt8]) -> Bool {
        guard ContainedName(argument) == nil, let at = argument.lastIndex(of: UInt8(ascii: "@")), at > 0 else { return false }
        let range = argument[(at + 1)...]
        guard range.indices.contains(where: { range[$0...].starts(with: separator) }) else { return false }
        return (try? FileProbe.exists(HostPath(argument))) == false
    }

    /// - Throws: a usage error for an argument that names only one side; `notFound` for a file that does not exist.
    package init(of argument: [UInt8]) throws(CapsuleError) {
        if let name = ContainedName(argument) {
            let versions = try Self.init(of: name.container)
            let path = [UInt8(ascii: ":")] + name.path
            (old, new) = (versions.old + path, versions.new + path)
            return
        }
        let path = HostPath(argument)
        if RemoteAddress.isAddress(argument) {
            let (address, version) = RemoteAddress.split(argument)
            let (start, end) = try Self.ends(of: version ?? Array("~1..".utf8), argument)
            (old, new) = (RemoteAddress.join(address, version: start), RemoteAddress.join(address, version: end))
            return
        }
        if try FileProbe.exists(path) {
            guard InputKind(of: argument) == .container, !FileProbe.isDirectory(path) else { throw Self.isAlone(argument) }
            (old, new) = (argument + Array("@~1".utf8), argument + Array("@latest".utf8))
            return
        }
        guard let at = argument.lastIndex(of: UInt8(ascii: "@")), at > 0 else {
            if InputKind(of: argument) != .either || path == .standardStream { throw Self.isAlone(argument) }
            throw CapsuleError(.notFound, "cannot open: no such file or directory", path: path)
        }
        let (start, end) = try Self.ends(of: Array(argument[(at + 1)...]), argument)
        (old, new) = (argument[...at] + start, argument[...at] + end)
    }

    private static func ends(of range: [UInt8], _ argument: [UInt8]) throws(CapsuleError) -> (start: [UInt8], end: [UInt8]) {
        guard let middle = range.indices.first(where: { range[$0...].starts(with: Self.separator) }) else {
            throw Self.isAlone(argument)
        }
        guard middle > 0 else {
            throw CapsuleError(
                .usage, "the range has no start", path: HostPath(RemoteAddress.shown(argument)),
                hint: "write 'FILE@1..2'; a range without an end goes to the latest")
        }
        let end = Array(range[(middle + Self.separator.count)...])
        return (Array(range[..<middle]), end.isEmpty ? Array("latest".utf8) : end)
    }

    private static func isAlone(_ argument: [UInt8]) -> CapsuleError {
        CapsuleError(
            .usage, "'diff' takes two containers or files, and this is one", path: HostPath(RemoteAddress.shown(argument)),
            hint: "'capsule diff FILE.capsule' compares its last two versions, 'FILE.capsule@1..2' any two")
    }
}
