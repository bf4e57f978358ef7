import CapsuleArchive
import CapsuleContainers
import CapsuleCore

/// The newest version of a capsule, which the next version is compared with entry by entry.
struct BaseVersion: Sendable {
    let capsule: CapsuleReader
    private(set) var index: IndexWriter.Base
    private let starts: [Int]
    let count: Int
    /// For each block, the place of its first entry among the compared entries if all its entries are there, unchanged and
    /// consecutive; otherwise nil.
    private(set) var unchanged: [Int?]

    init(_ capsule: CapsuleReader, _ footer: Footer, jobs: Int) throws(CapsuleError) {
        self.capsule = capsule
        let root: IndexRoot
        let blocks: [IndexBlock]
        do throws(CapsuleError) {
            root = try capsule.head(of: footer).root
            let whole = BoundedIndexReader(capsule, root)
            try capsule.file.fetch(root.blocks.map(\.range))
            blocks = try ParallelMap.run(whole.count, threads: jobs) { (number) throws(CapsuleError) in
                try whole.block(number)
            }
        } catch {
            throw error.hinting(Self.hint(leavingOut: footer, of: capsule.file.path))
        }
        // Not a flatMap, which would take 5 % of the time of an append.
        let bytes = blocks.reduce(UInt64(0)) { sum, block in
            let (total, overflow) = sum.addingReportingOverflow(block.entries.totalSize)
            return overflow ? .max : total
        }
        guard root.bytes == bytes else {
            throw CapsuleError(
                "index and manifest of version \(footer.version) don't match", path: capsule.file.path,
                hint: Self.hint(leavingOut: footer, of: capsule.file.path))
        }
        var starts: [Int] = []
        var count = 0
        for block in blocks {
            starts.append(count)
            count += block.entries.count
        }
        self.starts = starts
        self.count = count
        unchanged = [Int?](repeating: nil, count: blocks.count)
        index = IndexWriter.Base(root: root, blocks: blocks)
    }

    private static func hint(leavingOut footer: Footer, of path: HostPath) -> String {
        let hint = path.verifyHint
        return footer.previous == nil ? hint : "\(hint); 'capsule compact --keep' can leave version \(footer.version) out"
    }

    /// Compares `entries`, which are in the order of the index, with the entries of each block.
    mutating func compare(with entries: [TreeEntry], jobs: Int) {
        unchanged = ParallelMap.run(index.blocks.count, threads: jobs, itemsPerThread: 16) { [index] number in
            let own = index.blocks[number].entries
            guard let first = own.first, let start = entries.index(at: first.place),
                own.count <= entries.count - start, own.indices.allSatisfy({ own[$0] == entries[start + $0] })
            else { return nil }
            return start
        }
        for number in unchanged.indices where unchanged[number] != nil { index.unchanged.insert(number) }
    }

    /// The data members that the entries of the version need. Some occur several times.
    var members: [MemberReference] { index.blocks.flatMap(\.members) }

    /// Marks the blocks that refer to damaged members as changed and damaged, so that they are written again.
    mutating func avoid(_ damaged: Set<MemberReference>) {
        guard !damaged.isEmpty else { return }
        for (number, block) in index.blocks.enumerated() where block.members.contains(where: damaged.contains) {
            unchanged[number] = nil
            index.unchanged.remove(number)
            index.damaged.insert(number)
        }
    }

    func files(relyingOn members: Set<MemberReference>) -> [TreeEntry] {
        index.damaged.sorted().flatMap { number in
            let block = index.blocks[number]
            return block.entries.indices.lazy.filter { place in
                block.extents(of: place).contains { block.member(of: $0).map(members.contains) ?? false }
            }.map { block.entries[$0] }
        }
    }

    /// Checks that the entries of the version form a tree.
    /// - Parameter entries: the number of entries that the version was compared with. If all entries are the same, they are known
    ///   to form a tree.
    /// - Throws: ``CapsuleError`` if the entries are not a tree, because no version can follow this one then.
    func checkShape(besides entries: Int, jobs: Int) throws(CapsuleError) {
        if count == entries, !unchanged.contains(nil) { return }
        let footer = capsule.newest
        let manifest = try capsule.manifest(of: footer)
        try IndexTreeCheck(capsule, footer, manifest).check(index.blocks, jobs: jobs)
    }

    func changedPlaces(of count: Int) -> [Range<Int>] {
        var changed: [Range<Int>] = []
        var at = 0
        for (block, start) in zip(index.blocks, unchanged) {
            guard let start else { continue }
            if start > at { changed.append(at..<start) }
            at = start + block.entries.count
        }
        if at < count { changed.append(at..<count) }
        return changed
    }

    /// Returns, for each of the compared `entries`, the number of the base's entry at the same place. It is −1 if there is none,
    /// if one of the two has no content, or if the entry is in an unchanged block.
    func counterparts(of entries: [TreeEntry]) -> [Int32] {
        var counterparts = [Int32](repeating: -1, count: entries.count)
        for (number, block) in index.blocks.enumerated() where unchanged[number] == nil {
            guard let first = block.entries.first else { continue }
            var own = entries.firstIndex(notBefore: first.path, in: first.root)
            for place in block.entries.indices {
                let entry = block.entries[place]
                while own < entries.count, TreeEntry.isOrdered(entries[own], before: entry) { own += 1 }
                if own < entries.count, entries[own].path == entry.path, entries[own].root == entry.root,
                    entry.kind.hasContent, entries[own].kind.hasContent
                {
                    counterparts[own] = Int32(starts[number] + place)
                }
            }
        }
        return counterparts
    }

    func entry(_ number: Int) -> TreeEntry {
        let (block, place) = place(of: number)
        return index.blocks[block].entries[place]
    }

    func extents(of number: Int) -> [StoredExtent] {
        let (block, place) = place(of: number)
        return index.blocks[block].storedExtents(of: place)
    }

    /// Returns the extents of an entry whose content is in the base at the same path, even if its metadata differs; empty if the
    /// content is not there.
    func extents(of entry: TreeEntry) -> [StoredExtent] {
        guard entry.size > 0, let number = index.root.block(holding: entry.path, in: entry.root) else { return [] }
        let block = index.blocks[number]
        guard let place = block.entries.index(at: entry.place), block.entries[place].digest == entry.digest,
            block.entries[place].size == entry.size
        else {
            return []
        }
        return block.storedExtents(of: place)
    }

    private func place(of number: Int) -> (block: Int, entry: Int) {
        let block = starts.indexOfFirst(notBefore: { $0 <= number }) - 1
        return (block, number - starts[block])
    }

    func makeContent() -> (content: VersionContent, extents: ExtentTable) {
        var extents = ExtentTable(entries: count)
        for block in index.blocks { extents.append(block) }
        return (VersionContent(capsule, extents), extents)
    }
}

/// The newest version of a capsule and those of its data members that are known to be damaged. It does not depend on the container,
/// so it can be read while that is listed.
struct BaseReading: Sendable {
    let version: BaseVersion
    let damaged: Set<MemberReference>

    /// - Parameter readsBack: true to read back some of the data that the next version shares with this one.
    init(_ capsule: CapsuleReader, readsBack: Bool, jobs: Int) throws(CapsuleError) {
        version = try BaseVersion(capsule, capsule.newest, jobs: jobs)
        damaged =
            readsBack
            ? try SharedDataCheck.damaged(
                among: version.members, of: capsule, for: capsule.newest.version &+ 1, jobs: jobs) : []
    }
}

/// The entries of a container that must be read for a new version, and the places of the other contents in the capsule.
struct AppendSelection {
    let additions: PackPlan.Additions
    /// The extents of contents that the capsule already has, by the places of their entries. Any other entry that is not read has
    /// no content, or has that of the base.
    let places: [Int: [StoredExtent]]
    let isRead: [Bool]

    /// - Parameters:
    ///   - base: the base version, already compared with the container's entries.
    ///   - damaged: the members that the new version must not use.
    init(
        _ opened: OpenedContainer, after history: CapsuleHistory, base: BaseVersion, avoiding damaged: Set<MemberReference>,
        jobs: Int
    ) throws(CapsuleError) {
        let stored = DeduplicationIndex(history, base: base, for: opened.entries, avoiding: damaged)
        var places: [Int: [StoredExtent]] = [:]
        var isRead = [Bool](repeating: false, count: opened.entries.count)
        var large: [Int] = []
        for number in base.changedPlaces(of: opened.entries.count).joined() where opened.entries[number].kind.hasContent {
            // An entry with a known digest need not be read.
            let entry = opened.entries[number]
            if stored.isInBase(entry, number: number) { continue }
            if entry.digest != .zero, let extents = try stored.find(entry.digest, size: entry.size, for: entry, number: number) {
                places[number] = extents
                continue
            }
            isRead[number] = true
            if entry.size > UInt64(history.capsule.codec.memberLength) { large.append(number) }
        }
        self.places = places
        self.isRead = isRead
        additions = PackPlan.Additions(stored: stored, prepared: try Self.prepare(large, of: opened, stored, jobs: jobs))
    }

    /// Prepares the large files, several at the same time, the largest first.
    private static func prepare(
        _ numbers: [Int], of opened: OpenedContainer, _ stored: DeduplicationIndex, jobs: Int
    ) throws(CapsuleError) -> [Int: LargePreparation] {
        let numbers = numbers.sorted { opened.entries[$0].size > opened.entries[$1].size }
        let prepared = try ParallelMap.run(numbers.count, threads: jobs, itemsPerThread: 1) { (place) throws(CapsuleError) in
            try unlessUnreadable { () throws(CapsuleError) in
                // The assembled bytes are compared with their digest when they are stored.
                let own = try opened.open(numbers[place])
                let content = opened.hasFinalDigests ? own.uncompared : own
                // The largest file, which would end last, gets threads of its own.
                return try LargePreparation(content, number: numbers[place], in: stored, jobs: place == 0 ? jobs : 1)
            }
        }
        var found: [Int: LargePreparation] = [:]
        for (number, preparation) in zip(numbers, prepared) { found[number] = preparation }
        return found
    }

    /// Returns nil for a file that can't be read. The error is reported when the file is packed.
    private static func unlessUnreadable(
        _ body: () throws(CapsuleError) -> LargePreparation?
    ) throws(CapsuleError) -> LargePreparation? {
        do throws(CapsuleError) {
            return try body()
        } catch {
            if error.code == .interrupted { throw error }
            return nil
        }
    }
}
