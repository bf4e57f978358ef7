import CapsuleArchive
import CapsuleContainers
package import CapsuleCore
import CapsuleOverlay
import CapsulePropertyList
import CapsuleSystem

/// Writes an overlay with its bytes as an overlay capsule (docs/format.md, section 15).
struct OverlayCapsuleWriter {
    var codec = PackOptions.Codec.gzip
    let captured: Timestamp
    var jobs = 1
    var progress: (any ProgressObserver)?

    /// - Throws: ``CapsuleError`` for a content that no longer matches its record.
    func write(
        _ package: OverlayPackage, _ layout: OverlayCapsuleLayout, to output: any MemberOutput
    ) throws(CapsuleError) -> UInt64 {
        try check(layout)
        let writer = CapsuleWriter(output: output, codec: codec.member, isOverlay: true)
        var options = PackOptions(captured: captured)
        options.jobs = jobs
        var tree = opened(package, layout, layout.tree)
        let files = try StreamPacker.pack(&tree, options: options, writer: writer, framing: .capsule, progress: progress)
        try Self.compare(files, with: layout.tree, package)
        var beside = opened(package, layout, layout.carried)
        let carried = try StreamPacker.pack(
            &beside, adding: PackPlan.Additions(stored: nil), places: [:], isRead: { _ in true }, options: options,
            writer: writer, progress: progress)
        try Self.compare(carried, with: layout.carried, package)
        return try finish(package, layout, files, carried, writer)
    }

    private func check(_ layout: OverlayCapsuleLayout) throws(CapsuleError) {
        var bytes: UInt64 = 0
        for entry in layout.tree + layout.carried {
            bytes += min(entry.size, CapsuleLimits.versionLength)
            guard bytes <= CapsuleLimits.versionLength else {
                throw CapsuleError("exceeds the \(CapsuleLimits.versionLength >> 40) TiB that a capsule can hold")
            }
        }
        guard UInt64(layout.tree.count + layout.carried.count) <= CapsuleLimits.entries else {
            throw CapsuleError("has more than the \(CapsuleLimits.entries) entries that a capsule can hold")
        }
    }

    private func opened(
        _ package: OverlayPackage, _ layout: OverlayCapsuleLayout, _ entries: [TreeEntry]
    ) -> OpenedContainer {
        OpenedContainer(
            name: Self.name(of: package), layout: layout.layout, source: Self.source(of: package), groups: layout.groups,
            // Carried contents may come from live files. They are compared below, with messages that fit both cases.
            entries: entries, isDigested: false,
            contents: EntryContents(PayloadFiles(contents: package.contents), count: entries.count), omitted: [],
            wantedOmissions: 0, evidence: [])
    }

    private static func name(of package: OverlayPackage) -> [UInt8] { package.origin?.name ?? Array("overlay".utf8) }

    private static func source(of package: OverlayPackage) -> SourceDescription {
        package.origin?.source ?? SourceDescription(kind: .directory)
    }

    private static func compare(
        _ packed: PackedContainer, with entries: [TreeEntry], _ package: OverlayPackage
    ) throws(CapsuleError) {
        for (found, wanted) in zip(packed.entries, entries)
        where wanted.kind == .file && (found.digest != wanted.digest || found.size != wanted.size) {
            throw changed(package.path(naming: wanted))
        }
    }

    static func changed(_ path: RelativePath) -> CapsuleError {
        CapsuleError("has changed since it was compared", path: HostPath(path.bytes), hint: "stop the app, then try again")
    }

    private func finish(
        _ package: OverlayPackage, _ layout: OverlayCapsuleLayout, _ files: PackedContainer, _ carried: PackedContainer,
        _ writer: CapsuleWriter
    ) throws(CapsuleError) -> UInt64 {
        let count = files.entries.count
        let index = IndexWriter(entries: files.entries + carried.entries) { number in
            number < count ? files.storedExtents(of: number) : carried.storedExtents(of: number - count)
        }
        let document = package.overlay.document
        return try writer.finish(
            root: { (append) throws(CapsuleError) in try index.write(append) },
            manifest: { root, digest in
                Manifest(
                    version: writer.version, name: Self.name(of: package), captured: captured,
                    source: Self.source(of: package), layout: layout.layout, groups: layout.groups,
                    treeDigest: root.treeDigest, contentDigest: root.contentDigest, indexDigest: digest,
                    entries: root.entries, bytes: root.bytes, overlay: document)
            })
    }
}

extension OverlayPackage {
    /// Returns the path of the record that a carried content is for. For a file of the tree, this is the path of its entry.
    fileprivate func path(naming entry: TreeEntry) -> RelativePath {
        guard entry.root == .carried else { return entry.path }
        let record = overlay.files.first { record in
            [record.old, record.new].contains { state in
                state?.content?.digest == entry.digest || state?.content?.recipe?.carried == entry.digest
            }
        }
        return record?.path ?? entry.path
    }
}

/// The entries of an overlay capsule: the new files at their paths, and beside the tree the contents that other tools don't show.
struct OverlayCapsuleLayout {
    let groups: [[UInt8]]
    let layout: ContainerLayout
    /// The new files that are carried completely, with the directories around them, in the order of the index.
    private(set) var tree: [TreeEntry]
    /// The contents that are carried beside the tree, in the order of the index: old contents, and the bytes that recipes need.
    private(set) var carried: [TreeEntry]

    var isEmpty: Bool { carried.isEmpty && tree.allSatisfy { $0.size == 0 } }

    init(groups: [[UInt8]], layout: ContainerLayout, tree: [TreeEntry], carried: [TreeEntry]) {
        self.groups = groups
        self.layout = layout
        self.tree = tree
        self.carried = carried
    }

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

    private static func file(
        of record: FileRecord, _ contents: any OverlayPayload
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

    /// Returns the contents that the states of a record need beside the files of the tree.
    private static func others(of record: FileRecord) -> [(ContentDigest, UInt64)] {
        var others: [(ContentDigest, UInt64)] = []
        let isSame = record.old?.content?.digest == record.new?.content?.digest
        for (state, isOld) in [(record.old, true), (record.new, false)] {
            guard let content = state?.content, !isSame else { continue }
            if isOld || content.recipe != nil, let blob = content.blob { others.append(blob) }
        }
        return others
    }

    static func group(of path: RelativePath) -> [UInt8]? {
        let components = path.components
        guard components.count > 2, components[0].elementsEqual(ContainerShape.appGroups) else { return nil }
        return Array(components[1])
    }

    private static func carried(_ digest: ContentDigest, _ size: UInt64) -> TreeEntry {
        // Sixty-four hexadecimal digits are a valid path.
        let path = (try? RelativePath(validating: Array(digest.hex.utf8))) ?? .root
        return TreeEntry(
            path: path, root: .carried, kind: .file, mode: FileMode(0o600), modified: .epoch, size: size, digest: digest)
    }

    /// Returns the files with the directories around them. The directories have the newest time of the files, because tools warn
    /// about the year 1970.
    private static func tree(
        of files: [TreeEntry], _ layout: ContainerLayout, _ groups: [[UInt8]]
    ) throws(CapsuleError) -> [TreeEntry] {
        let latest = files.map(\.modified).max() ?? .epoch
        func directory(_ path: RelativePath, _ root: TreeRoot) -> TreeEntry {
            TreeEntry(path: path, root: root, kind: .directory, mode: FileMode(0o755), modified: latest)
        }
        var entries = [directory(.root, .wrapper)]
        if layout == .container {
            let appData = RelativePath(named: ContainerShape.appData)
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

/// The contents that an overlay carries, for entries with their digests.
private struct PayloadFiles: ContentSource {
    let contents: (any OverlayPayload)?

    /// False, because contents are compared with their digests when they are read, so that nothing must be read twice.
    var isLive: Bool { false }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        if entry.size == 0 { return InMemoryContent([], as: entry) }
        guard let content = try contents?.open(entry.digest, size: entry.size) else {
            throw CapsuleError("the overlay does not contain its content", path: HostPath(entry.path.bytes))
        }
        return RecordedContent(content, as: entry)
    }
}

extension OutputFile {
    /// Writes an overlay with its bytes as an overlay capsule. An overlay without bytes is written as a document.
    /// - Throws: ``CapsuleError`` for bytes that don't match their record, and for a capsule with the name of a document. Nothing
    ///   is written then.
    func write(
        _ package: OverlayPackage, captured: Timestamp, jobs: Int, progress: (any ProgressObserver)? = nil
    ) throws(CapsuleError) {
        let layout = try OverlayCapsuleLayout(package)
        if layout.isEmpty { return try write(package.overlay) }
        try checkName()
        let writer = OverlayCapsuleWriter(captured: captured, jobs: jobs, progress: progress)
        if path == .standardStream {
            guard !stream.isTerminal else {
                throw CapsuleError(
                    "the overlay contains files: refusing to write binary data to a terminal",
                    hint: "redirect it to a file or a pipe")
            }
            let spool = try SpoolFile()
            let length = try writer.write(package, layout, to: SpooledMembers(spool))
            return try stream.copy(spool, length: length)
        }
        CreationMask.prepare()
        let isReplacing = try FileProbe.checkTarget(path, as: .file, replacing: replaces)
        let staged = try StagedFile(for: path)
        _ = try writer.write(package, layout, to: StagedMembers(staged))
        try staged.commit(replacing: isReplacing, mode: mode)
    }

    /// Throws a usage error if the name of the output is that of a document, because an overlay with files is a capsule.
    package func checkName() throws(CapsuleError) {
        let endings = [".json", ".plist"]
        let name = String(decoding: path.name, as: UTF8.self)
        guard let ending = endings.first(where: { name.lowercased().hasSuffix($0) }) else { return }
        throw CapsuleError(
            .usage, "an overlay with files is a capsule, and can't be named '*\(ending)'", path: path,
            hint: "name it '\(name.dropLast(ending.count)).capsule'")
    }
}
