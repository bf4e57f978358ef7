import CapsuleArchive
import CapsuleCore
import CapsulePropertyList

/// Writes one version of a capsule: the first, or one that follows others.
struct VersionWriter {
    /// What the manifest says that does not come from the container.
    struct Facts {
        var captured: Timestamp
        var label: VersionLabel?
        var note: PlistString?
        /// Behind those that the container has.
        var overlays: [PlistValue] = []
        var other = PlistDictionary()
    }

    /// What came of it.
    struct Written {
        let manifest: Manifest
        /// The capsule's length in bytes.
        let length: UInt64
        /// The index blocks that were written, with the digests of the contents that they speak of; of a version behind others.
        var added: [(block: IndexRoot.Block, contents: [ContentDigest])] = []
        /// What of the version before was found to be damaged.
        var damage = Damage()
    }

    /// Files of the version before whose data is damaged.
    struct Damage {
        var files = 0
        /// How many of them the new version stores again.
        var storedAgain = 0
    }

    let options: PackOptions
    let facts: Facts
    let progress: (any ProgressObserver)?

    /// Writes a container as the first version.
    ///
    /// - Parameter opened: its entries are taken out of it.
    func write(_ opened: inout OpenedContainer, to writer: CapsuleWriter) throws(CapsuleError) -> Written {
        try check(opened)
        let packed = try packing { () throws(CapsuleError) in
            try StreamPacker.pack(&opened, options: options, writer: writer, framing: .capsule, progress: progress)
        }
        return try finish(opened, packed, writer, base: nil)
    }

    /// Writes a container as a version behind others: what the capsule has already is not stored again.
    ///
    /// - Parameter opened: its entries are taken out of it.
    func write(
        _ opened: inout OpenedContainer, to writer: CapsuleWriter, after history: CapsuleHistory
    ) throws(CapsuleError) -> Written {
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
        // More may have come to light.
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
        if options.endsProcess { _ = Unmanaged.passRetained(Unfreed(entries: packed.entries, base: base)) }
        return written
    }

    private static func damage(_ files: [TreeEntry], _ entries: [TreeEntry]) -> Damage {
        Damage(
            files: files.count,
            storedAgain: files.count { file in
                entries.place(of: file.path, in: file.root).map { entries[$0].digest == file.digest } ?? false
            })
    }

    /// What stays in memory until the process ends.
    private final class Unfreed {
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

    /// What to do about what can't be read.
    static let skipHint = "'capsule pack --skip-unreadable' skips it and records that"

    /// - Parameter noting: told of each block of the index that was not the base's.
    private func finish(
        _ opened: OpenedContainer, _ packed: PackedContainer, _ writer: CapsuleWriter, base: BaseVersion?,
        noting: (IndexRoot.Block, [TreeEntry]) -> Void = { _, _ in }
    ) throws(CapsuleError) -> Written {
        let index = IndexWriter(entries: packed.entries, base: base?.index) { number in
            let extents = packed.storedExtents(of: number)
            return extents.isEmpty ? base?.extents(of: packed.entries[number]) ?? [] : extents
        }
        let omitted = (opened.omitted + packed.omitted).sorted { $0.path.lexicographicallyPrecedes($1.path) }
        var described: Manifest?
        let facts = facts
        let length = try CapsuleError.wrappingArchive { () throws(ArchiveError) in
            try writer.finish(
                root: { (append) throws(ArchiveError) in
                    try index.write { (block) throws(ArchiveError) in
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
        }
        guard let manifest = described else { throw CapsuleError("the manifest was never written") }
        return Written(manifest: manifest, length: length)
    }

    /// With `--strict`, anything lost that nobody asked to leave out is an error.
    private func refuseLosses(_ losses: ArraySlice<Omission>) throws(CapsuleError) {
        guard options.isStrict, let first = losses.first else { return }
        throw CapsuleError(
            "can't be stored: \(first.reason)", path: HostPath(first.shownPath),
            hint: losses.count > 1
                ? "and \(losses.count - 1) more; without '--strict' they are skipped and recorded"
                : "without '--strict' it is skipped and recorded")
    }
}

/// Reads back some of the data that a new version shares with the versions before it, so that one who appends every night hears
/// of damage before the container is gone.
///
/// Of the data members, in the order of the file, it reads those whose number leaves the same remainder as the version's number
/// when divided by K: so K appends in a row read all of them, and nothing has to be remembered in between. K is 1 for a few MiB,
/// and grows with them.
enum SharedDataCheck {
    /// How many appends it takes at most to read all members.
    static let longestStride = 64
    /// Up to this length all members are read each time, in bytes as they are stored; twice as many take two appends.
    private static let lengthAtOnce: UInt64 = 4 << 20

    /// The members that can't be read.
    ///
    /// - Parameters:
    ///   - members: those that a version relies on; some may come several times.
    ///   - version: the number of the version that is to rely on them.
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

    /// How many members a thread reads with one reader.
    private static let batch = 16

    static func sample(of members: some Sequence<MemberReference>, for version: UInt32) -> [MemberReference] {
        let all = Set(members).sorted { $0.offset < $1.offset }
        let length = all.reduce(UInt64(0)) { $0 + UInt64($1.stored) }
        let step = min(longestStride, Int(clamping: length / lengthAtOnce) + 1)
        return stride(from: Int(version) % step, to: all.count, by: step).map { all[$0] }
    }

    /// Those of some members that can't be read.
    static func damaged(
        of members: some Sequence<MemberReference>, in reader: MemberReader
    ) throws(CapsuleError) -> [MemberReference] {
        var damaged: [MemberReference] = []
        for member in members {
            try CapsuleError.checkInterruption()
            do throws(ArchiveError) {
                _ = try reader.bytes(of: member)
            } catch {
                guard error.code == .damaged else { throw CapsuleError(error) }
                damaged.append(member)
            }
        }
        return damaged
    }
}
