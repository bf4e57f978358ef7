import CapsuleArchive
import CapsuleCore
import CapsulePropertyList

/// Writes an overlay with its bytes as an overlay capsule (docs/format.md, section 15).
struct OverlayCapsuleWriter {
    /// How members are compressed.
    var codec = PackOptions.Codec.gzip
    /// The moment that the manifest has.
    let captured: Timestamp
    /// How many threads compress.
    var jobs = 1
    var progress: (any ProgressObserver)?

    /// Writes a package whose layout is known.
    ///
    /// - Returns: the capsule's length in bytes.
    /// - Throws: for a content that is not what its record says any more.
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

    /// - Throws: for more than a capsule holds.
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
            // What is carried may come from live files: it is compared below, in words that fit both.
            entries: entries, isDigested: false, content: CarriedProvider(contents: package.contents), omitted: [],
            wantedOmissions: 0, evidence: [])
    }

    private static func name(of package: OverlayPackage) -> [UInt8] { package.origin?.name ?? Array("overlay".utf8) }

    private static func source(of package: OverlayPackage) -> SourceDescription {
        package.origin?.source ?? SourceDescription(kind: .directory)
    }

    /// What was packed must be what the records speak of.
    private static func compare(
        _ packed: PackedContainer, with entries: [TreeEntry], _ package: OverlayPackage
    ) throws(CapsuleError) {
        for (found, wanted) in zip(packed.entries, entries)
        where wanted.kind == .file && (found.digest != wanted.digest || found.size != wanted.size) {
            throw changed(package.path(naming: wanted))
        }
    }

    /// What to say of a content that is another than it was when it was compared.
    static func changed(_ path: RelativePath) -> CapsuleError {
        CapsuleError(
            "has changed since it was compared", path: HostPath(path.bytes), hint: "stop the app, then try again")
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
        return try CapsuleError.wrappingArchive { () throws(ArchiveError) in
            try writer.finish(
                root: { (append) throws(ArchiveError) in try index.write(append) },
                manifest: { root, digest in
                    Manifest(
                        version: writer.version, name: Self.name(of: package), captured: captured,
                        source: Self.source(of: package), layout: layout.layout, groups: layout.groups,
                        treeDigest: root.treeDigest, contentDigest: root.contentDigest, indexDigest: digest,
                        entries: root.entries, bytes: root.bytes, overlay: document)
                })
        }
    }
}

extension OverlayPackage {
    /// The path of the record that a carried content is for: the entry's own, for a file of the tree.
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
