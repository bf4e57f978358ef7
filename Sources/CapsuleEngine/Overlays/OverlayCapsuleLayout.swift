import CapsuleArchive
import CapsuleCore

/// What an overlay capsule holds, and where: the new files at their paths, and beside them what no stock tool shows.
struct OverlayCapsuleLayout {
    /// The app groups' identifiers, by bytes.
    let groups: [[UInt8]]
    let layout: ContainerLayout
    /// Of the new files that are carried whole, with the directories around them; in the order of the index.
    private(set) var tree: [TreeEntry]
    /// Contents that are carried beside the tree: old ones, and what recipes need. In the order of the index.
    private(set) var carried: [TreeEntry]

    /// Whether there are any bytes to be carried.
    var isEmpty: Bool { carried.isEmpty && tree.allSatisfy { $0.size == 0 } }

    /// A layout of these parts, which need not fit any package.
    init(groups: [[UInt8]], layout: ContainerLayout, tree: [TreeEntry], carried: [TreeEntry]) {
        self.groups = groups
        self.layout = layout
        self.tree = tree
        self.carried = carried
    }

    /// - Throws: for what no capsule holds.
    init(_ package: OverlayPackage) throws(CapsuleError) {
        let layout = package.origin?.layout ?? .directory
        self.layout = layout
        var files: [TreeEntry] = []
        var others: [ContentDigest: UInt64] = [:]
        if let contents = package.contents {
            for record in package.overlay.files {
                if record.isGuard { continue }
                if let entry = try Self.file(of: record, contents) { files.append(entry) }
                for (digest, size) in Self.others(of: record) where size > 0 && contents.has(digest, size: size) {
                    others[digest] = size
                }
            }
        }
        let groups =
            layout == .container
            ? Set(package.origin?.groups ?? []).union(files.compactMap { Self.group(of: $0.path) })
                .sorted { $0.lexicographicallyPrecedes($1) } : []
        guard groups.count <= TreeRoot.maximumGroups else {
            throw CapsuleError("has files of \(groups.count) app groups, but a capsule holds at most \(TreeRoot.maximumGroups)")
        }
        self.groups = groups
        for file in files { others[file.digest] = nil }
        tree = try Self.tree(of: files, layout, groups)
        carried = others.map { digest, size in Self.carried(digest, size) }
        carried.sort(by: TreeEntry.isOrdered)
    }

    /// The new file of a record, if it is carried whole.
    private static func file(
        of record: FileRecord, _ contents: any CarriedContents
    ) throws(CapsuleError) -> TreeEntry? {
        guard let new = record.new, new.kind == .file, let content = new.content, content.recipe == nil,
            record.old?.content?.digest != content.digest
        else { return nil }
        guard content.size == 0 || contents.has(content.digest, size: content.size) else {
            throw CapsuleError("the overlay does not contain its new content", path: HostPath(record.path.bytes))
        }
        return TreeEntry(
            path: record.path, kind: .file, mode: new.mode ?? FileMode(0o644), modified: new.modified ?? .epoch,
            size: content.size, digest: content.digest, attributes: new.attributes ?? [])
    }

    /// What a record's states need beside the tree's files.
    private static func others(of record: FileRecord) -> [(ContentDigest, UInt64)] {
        var others: [(ContentDigest, UInt64)] = []
        let isSame = record.old?.content?.digest == record.new?.content?.digest
        for (state, isOld) in [(record.old, true), (record.new, false)] {
            guard let content = state?.content, !isSame else { continue }
            if isOld || content.recipe != nil, let blob = content.blob { others.append(blob) }
        }
        return others
    }

    /// The identifier of the app group that a path lies in.
    static func group(of path: RelativePath) -> [UInt8]? {
        let components = path.components
        guard components.count > 2, components[0].elementsEqual(ContainerShape.appGroups) else { return nil }
        return Array(components[1])
    }

    private static func carried(_ digest: ContentDigest, _ size: UInt64) -> TreeEntry {
        // Sixty-four digits are a sound path.
        let path = (try? RelativePath(validating: Array(digest.hex.utf8))) ?? .root
        return TreeEntry(
            path: path, root: .carried, kind: .file, mode: FileMode(0o600), modified: .epoch, size: size, digest: digest)
    }

    /// Puts files into directories: those have the time of what changed last, since tools warn of the year 1970.
    private static func tree(
        of files: [TreeEntry], _ layout: ContainerLayout, _ groups: [[UInt8]]
    ) throws(CapsuleError) -> [TreeEntry] {
        let latest = files.map(\.modified).max() ?? .epoch
        func directory(_ path: RelativePath, _ root: TreeRoot) -> TreeEntry {
            TreeEntry(path: path, root: root, kind: .directory, mode: FileMode(0o755), modified: latest)
        }
        var entries = [directory(.root, .wrapper)]
        if layout == .container, let appData = try? RelativePath(validating: ContainerShape.appData) {
            entries.append(directory(appData, .wrapper))
        }
        var made: Set<RelativePath> = []
        for file in files {
            var file = file
            let group = layout == .container ? Self.group(of: file.path).flatMap { groups.firstIndex(of: $0) } : nil
            if let group, let root = TreeRoot.group(group) { file.root = root }
            entries.append(file)
            var parent = file.path.parent
            while let path = parent, !path.isRoot, made.insert(path).inserted {
                let isFrame = file.root != .tree && path.components.count <= 2
                entries.append(directory(path, isFrame ? .wrapper : file.root))
                parent = path.parent
            }
        }
        entries.sort(by: TreeEntry.isOrdered)
        if let problem = TreeShape.problem(in: entries, layout: layout, groups: groups) {
            throw CapsuleError("is not possible in an overlay: \(problem.message)", path: HostPath(problem.path.bytes))
        }
        return entries
    }
}
