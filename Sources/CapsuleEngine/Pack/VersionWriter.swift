import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

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

    /// The result of writing a version.
    struct WrittenVersion {
        let manifest: Manifest
        /// The length of the capsule in bytes.
        let length: UInt64
        /// The index blocks that were written, with the digests of the contents that they refer to; empty for a first version.
        var added: [(block: IndexRoot.Block, contents: [ContentDigest])] = []
        /// The damage that was found in the previous version.
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
    ///
    /// - Parameter opened: the container, whose entries are taken out of it.
    func write(_ opened: inout OpenedContainer, to writer: CapsuleWriter) throws(CapsuleError) -> WrittenVersion {
        try check(opened)
        let packed = try packing { () throws(CapsuleError) in
            try StreamPacker.pack(&opened, options: options, writer: writer, framing: .capsule, progress: progress)
        }
        return try finish(opened, packed, writer, base: nil)
    }

    /// Writes a container as a version after others. Contents that the capsule already has are not stored again.
    ///
    /// - Parameter opened: the container, whose entries are taken out of it.
    func write(
        _ opened: inout OpenedContainer, to writer: CapsuleWriter, after history: CapsuleHistory
    ) throws(CapsuleError) -> WrittenVersion {
        try check(opened)
        var base = try BaseVersion(history.capsule, history.newest, jobs: options.jobs)
        base.compare(with: opened.entries, jobs: options.jobs)
        try base.checkShape(besides: opened.entries.count, jobs: options.jobs)
        var damaged: Set<MemberReference> = []
        if options.readsBack {
            damaged = try SharedDataCheck.damaged(
                among: base.members, of: history.capsule, for: writer.version, jobs: options.jobs)
            base.avoid(damaged)
        }
        let selection = try AppendSelection(
            opened, after: history, base: base, avoiding: damaged, jobs: options.jobs)
        let packed = try packing { () throws(CapsuleError) in
            try StreamPacker.pack(
                &opened, adding: selection.additions, places: selection.places, isRead: { selection.isRead[$0] },
                options: options, writer: writer, progress: progress)
        }
        // More damage may have been found while packing.
        damaged = selection.additions.stored?.damaged ?? damaged
        base.avoid(damaged)
        var added: [(block: IndexRoot.Block, contents: [ContentDigest])] = []
        var written = try finish(opened, packed, writer, base: base) { block, entries in
            guard block.offset >= history.newest.end else { return }
            added.append((block, entries.lazy.filter { $0.kind.hasContent }.map(\.digest)))
        }
        written.added = added
        written.damage = Self.damage(base.files(relyingOn: damaged), packed.entries)
        if let footer = writer.footer { history.remember(footer, label: facts.label, added) }
        if options.endsProcess { _ = Unmanaged.passRetained(RetainedBuffers(entries: packed.entries, base: base)) }
        return written
    }

    private static func damage(_ files: [TreeEntry], _ entries: [TreeEntry]) -> Damage {
        Damage(
            files: files.count,
            storedAgain: files.count { file in
                entries.place(of: file.path, in: file.root).map { entries[$0].digest == file.digest } ?? false
            })
    }

    /// Data that stays in memory until the process ends.
    private final class RetainedBuffers {
        private let entries: [TreeEntry]
        private let base: BaseVersion

        init(entries: [TreeEntry], base: BaseVersion) {
            self.entries = entries
            self.base = base
        }
    }

    private func check(_ opened: OpenedContainer) throws(CapsuleError) {
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

    private func packing(_ body: () throws(CapsuleError) -> PackedContainer) throws(CapsuleError) -> PackedContainer {
        let packed: PackedContainer
        do throws(CapsuleError) {
            packed = try body()
        } catch {
            throw error.hinting(ifDenied: Self.skipHint)
        }
        try refuseLosses(packed.omitted[...])
        return packed
    }

    /// The hint for entries that can't be read.
    static let skipHint = "'capsule pack --skip-unreadable' skips it and records that"

    /// - Parameter noting: receives each block of the index that was not taken from the base.
    private func finish(
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

/// Reads back some of the data that a new version shares with the versions before it. With an append every night, damage is
/// reported while the container still exists.
///
/// The data members are numbered in the order of the file. The check reads those whose number leaves the same remainder as the
/// version's number when divided by K. K consecutive appends therefore read all of them, and nothing has to be remembered in
/// between. K is 1 for a few MiB, and grows with the length of the members.
enum SharedDataCheck {
    /// The greatest number of appends until all members are read.
    static let longestStride = 64
    /// The stored length of the members in bytes below which all of them are read each time. Each multiple of this length adds
    /// one append.
    private static let lengthAtOnce: UInt64 = 4 << 20

    /// Returns the members that can't be read, among those that are checked for this version.
    ///
    /// - Parameters:
    ///   - members: the members that a version uses. Some may occur several times.
    ///   - version: the number of the version that will use them.
    static func damaged(
        among members: some Sequence<MemberReference>, of capsule: CapsuleReader, for version: UInt32, jobs: Int
    ) throws(CapsuleError) -> Set<MemberReference> {
        let sampled = sample(of: members, for: version)
        let batches = (sampled.count + batch - 1) / batch
        let found = try ParallelMap.run(batches, threads: jobs, itemsPerThread: 1) {
            (number) throws(CapsuleError) -> [MemberReference] in
            let own = sampled[number * batch..<min(sampled.count, (number + 1) * batch)]
            return try damaged(of: own, in: MemberReader(file: capsule.file, codec: capsule.codec))
        }
        return Set(found.joined())
    }

    /// The number of members that a thread reads with one reader.
    private static let batch = 16

    static func sample(of members: some Sequence<MemberReference>, for version: UInt32) -> [MemberReference] {
        let all = Set(members).sorted { $0.offset < $1.offset }
        let length = all.reduce(UInt64(0)) { $0 + UInt64($1.stored) }
        let step = min(longestStride, Int(clamping: length / lengthAtOnce) + 1)
        return stride(from: Int(version) % step, to: all.count, by: step).map { all[$0] }
    }

    /// Returns those members that can't be read.
    static func damaged(
        of members: some Sequence<MemberReference>, in reader: MemberReader
    ) throws(CapsuleError) -> [MemberReference] {
        var damaged: [MemberReference] = []
        for member in members {
            try CapsuleError.checkInterruption()
            do throws(CapsuleError) {
                _ = try reader.bytes(of: member)
            } catch {
                guard error.code == .damaged else { throw error }
                damaged.append(member)
            }
        }
        return damaged
    }
}
