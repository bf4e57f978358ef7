import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsulePropertyList

/// Writes one version of a capsule: the first, or one after others.
struct VersionWriter {
    /// The parts of the manifest that don't come from the container.
    struct ManifestInfo {
        var captured: Timestamp
        var label: VersionLabel?
        var note: PlistString?
        /// The overlays that follow those of the container.
        var overlays: [PlistValue] = []
        var other = PlistDictionary()
    }

    struct WrittenVersion {
        let manifest: Manifest
        let length: UInt64
        /// The index blocks that were written, with the digests of the contents that they refer to; empty for a first version.
        var added: [(block: IndexRoot.Block, contents: [ContentDigest])] = []
        var damage = Damage()
    }

    /// The files of the previous version whose data is damaged.
    struct Damage {
        var files = 0
        /// The number of those files that the new version stores again.
        var storedAgain = 0
    }

    let options: PackOptions
    let facts: ManifestInfo
    let progress: (any ProgressObserver)?

    /// Writes a container as the first version.
    /// - Parameter opened: the container, whose entries are taken out of it.
    func write(_ opened: inout OpenedContainer, to writer: CapsuleWriter) throws(CapsuleError) -> WrittenVersion {
        try check(opened)
        let packed = try packing { () throws(CapsuleError) in
            try StreamPacker.pack(&opened, options: options, writer: writer, framing: .capsule, progress: progress)
        }
        return try finish(opened, packed, writer, base: nil)
    }

    func check(_ opened: OpenedContainer) throws(CapsuleError) {
        try refuseLosses(opened.omitted.dropFirst(opened.wantedOmissions))
        guard UInt64(opened.entries.count) <= CapsuleLimits.entries else {
            throw CapsuleError("has \(opened.entries.count) entries, but a capsule holds at most \(CapsuleLimits.entries)")
        }
        var bytes: UInt64 = 0
        for entry in opened.entries {
            bytes += min(entry.size, CapsuleLimits.versionLength)
            guard bytes <= CapsuleLimits.versionLength else {
                throw CapsuleError(
                    "exceeds the \(CapsuleLimits.versionLength >> 40) TiB that a capsule can hold",
                    path: HostPath(entry.path.bytes))
            }
        }
    }

    func packing(_ body: () throws(CapsuleError) -> PackedContainer) throws(CapsuleError) -> PackedContainer {
        let packed: PackedContainer
        do throws(CapsuleError) {
            packed = try body()
        } catch {
            throw error.hinting(ifDenied: Self.skipHint)
        }
        try refuseLosses(packed.omitted[...])
        return packed
    }

    static let skipHint = "'capsule pack --skip-unreadable' skips it and records that"

    /// - Parameter noting: receives each block of the index that was not taken from the base.
    func finish(
        _ opened: OpenedContainer, _ packed: PackedContainer, _ writer: CapsuleWriter, base: BaseVersion?,
        noting: (IndexRoot.Block, [TreeEntry]) -> Void = { _, _ in }
    ) throws(CapsuleError) -> WrittenVersion {
        let index = IndexWriter(entries: packed.entries, base: base?.index) { number in
            let extents = packed.storedExtents(of: number)
            return extents.isEmpty ? base?.extents(of: packed.entries[number]) ?? [] : extents
        }
        let omitted = (opened.omitted + packed.omitted).sorted { $0.path.lexicographicallyPrecedes($1.path) }
        var described: Manifest?
        let facts = facts
        let length = try writer.finish(
            root: { (append) throws(CapsuleError) in
                try index.write { (block) throws(CapsuleError) in
                    let stored = try append(block)
                    noting(stored, block.entries)
                    return stored
                }
            },
            manifest: { root, digest in
                let manifest = Manifest(
                    version: writer.version, name: opened.name, label: facts.label, note: facts.note,
                    captured: facts.captured, source: opened.source, layout: opened.layout, groups: opened.groups,
                    treeDigest: root.treeDigest, contentDigest: root.contentDigest, indexDigest: digest,
                    entries: root.entries, bytes: root.bytes, omitted: omitted,
                    overlays: opened.overlays + facts.overlays, other: facts.other)
                described = manifest
                return manifest
            })
        return WrittenVersion(manifest: described.guaranteed("a finished version has a manifest"), length: length)
    }

    /// Throws with `--strict` if anything was lost unintentionally.
    private func refuseLosses(_ losses: ArraySlice<Omission>) throws(CapsuleError) {
        guard options.isStrict, let first = losses.first else { return }
        throw CapsuleError(
            "can't be stored: \(first.reason)", path: HostPath(first.shownPath),
            hint: losses.count > 1
                ? "and \(losses.count - 1) more; without '--strict' they are skipped and recorded"
                : "without '--strict' it is skipped and recorded")
    }
}
