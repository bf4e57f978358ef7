import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// One of the two containers of a comparison: its tree with digests, and its files' bytes.
struct ComparedSide: Sendable {
    /// Entries with digests.
    var tree: TreeSide
    /// Why files could not be read, by their places.
    var failures: [Int: CapsuleError] = [:]
    /// Why directories could not be listed, by their paths.
    var unlisted: [RelativePath: String] = [:]
    /// The digest of the whole tree, where it is known.
    var treeDigest: ContentDigest?
    let content: any ContentProvider
    /// Of the paths that are compared, those that it does not have.
    var unmatched: [UnmatchedPath] = []
    /// Sockets, pipes and devices, which no version holds.
    var specialFiles: [Omission] = []
    /// Whether it is a directory of this machine.
    var isLive = false
    /// What the container is; nil where that is not asked for.
    var origin: OverlayPackage.Origin?
    /// Which app and version it is, for reports; nil where that is not asked for.
    var shownOrigin: SideOrigin?
    /// The mode of a file that holds what the container holds; nil where that is not asked for.
    var fileMode: FileMode?

    /// Opens a file.
    func open(_ place: Int) throws(CapsuleError) -> any OpenContent {
        try content.open(tree.entries[place], number: place)
    }

    /// The place of a file with a path; nil if there is none.
    func file(at path: [UInt8], in root: TreeRoot) -> Int? {
        guard let path = try? RelativePath(validating: path), let place = tree.entries.place(of: path, in: root),
            tree.entries[place].kind == .file
        else { return nil }
        return place
    }

    /// Whether a file is a database, by its first bytes; false for one that can't be read.
    func isDatabase(_ place: Int) -> Bool {
        content.isDatabase(tree.entries[place], number: place)
    }
}

extension ComparedSide {
    /// Opens a container and finds out what its files' digests are.
    init(
        _ container: Container, _ options: ComparisonOptions, progress: (any ProgressObserver)? = nil
    ) throws(CapsuleError) {
        var containerOptions = ContainerOptions(groups: options.groups, skipsUnreadable: true, jobs: options.jobs)
        containerOptions.statCache = options.usesCache
        // Groups are for live containers; the other side may well be an archive that has its own.
        if try !container.isLive { containerOptions.groups = [] }
        let opened = try container.open(containerOptions)
        container.warnOfUnreadable(in: opened)
        try self.init(opened, options, progress: progress)
        if options.describesSides { shownOrigin = try SideOrigin(container, opened) }
    }

    /// Finds out the digests of the files of a container that is open.
    init(
        _ container: OpenedContainer, _ options: ComparisonOptions, progress: (any ProgressObserver)? = nil
    ) throws(CapsuleError) {
        var opened = container
        if !options.paths.isEmpty {
            let selection = try PathSelection(options.paths, in: container, isCompared: true)
            unmatched = selection.unmatched
            opened = selection.select(from: container)
        }
        var failures: [Int: CapsuleError] = [:]
        if !opened.isDigested { failures = try SideDigester(jobs: options.jobs, progress: progress).complete(&opened) }
        opened.statCache?.save()
        tree = TreeSide(
            opened.entries, groups: opened.groups, withoutModes: opened.withoutModes, hasAttributes: opened.hasAttributes,
            unread: Set(failures.keys))
        self.failures = failures
        content = opened.content
        origin = OverlayPackage.Origin(
            name: opened.name, source: opened.source, layout: opened.layout, groups: opened.groups)
        fileMode = opened.fileMode
        if options.paths.isEmpty { specialFiles = container.omitted.filter { $0.special != nil } }
        isLive = opened.content.isLive
        if isLive { unlisted = opened.unlisted }
        if options.needsTreeDigests, failures.isEmpty, unlisted.isEmpty {
            treeDigest = TreeDigester.digest(of: opened.entries, .tree)
        }
    }
}
