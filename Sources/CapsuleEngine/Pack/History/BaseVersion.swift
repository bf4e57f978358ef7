import CapsuleArchive
import CapsuleCore

/// The newest version of a capsule, to which the next one is compared entry by entry.
struct BaseVersion: Sendable {
    let capsule: CapsuleReader
    private(set) var index: IndexWriter.Base
    /// Where each block's entries begin among all.
    private let starts: [Int]
    let count: Int
    /// For each block, where its entries are among those that it was compared with, just the same and one behind the other; nil
    /// if they are not.
    private(set) var unchanged: [Int?]

    /// Reads the whole index.
    init(_ capsule: CapsuleReader, _ footer: Footer, jobs: Int) throws(CapsuleError) {
        self.capsule = capsule
        let root: IndexRoot
        let blocks: [IndexBlock]
        do throws(ArchiveError) {
            root = try capsule.head(of: footer).root
            let whole = WholeIndex(capsule, root)
            blocks = try ParallelMap.run(whole.count, threads: jobs) { (number) throws(ArchiveError) in
                try whole.block(number)
            }
        } catch {
            throw CapsuleError(error, hint: Self.hint(leavingOut: footer))
        }
        guard root.bytes == blocks.lazy.flatMap(\.entries).totalSize else {
            throw CapsuleError(
                "index and manifest of version \(footer.version) don't match", path: capsule.file.path,
                hint: Self.hint(leavingOut: footer))
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

    /// What to do about a newest version that no version can follow.
    private static func hint(leavingOut footer: Footer) -> String {
        let hint = "'capsule verify' shows what is intact"
        return footer.previous == nil ? hint : "\(hint); 'capsule compact --keep' can leave version \(footer.version) out"
    }

    /// Compares `entries`, which are in the order of the index, with those of each block.
    mutating func compare(with entries: [TreeEntry], jobs: Int) {
        unchanged = ParallelMap.run(index.blocks.count, threads: jobs, itemsPerThread: 16) { [index] number in
            let own = index.blocks[number].entries
            guard let first = own.first, let start = entries.place(of: first.path, in: first.root),
                own.count <= entries.count - start, own.indices.allSatisfy({ own[$0] == entries[start + $0] })
            else { return nil }
            return start
        }
        for number in unchanged.indices where unchanged[number] != nil { index.unchanged.insert(number) }
    }

    /// The data members that its entries rely on; some come several times.
    var members: [MemberReference] { index.blocks.flatMap(\.members) }

    /// Has the blocks that speak of damaged members made again.
    mutating func avoid(_ damaged: Set<MemberReference>) {
        guard !damaged.isEmpty else { return }
        for (number, block) in index.blocks.enumerated() where block.members.contains(where: damaged.contains) {
            unchanged[number] = nil
            index.unchanged.remove(number)
            index.damaged.insert(number)
        }
    }

    /// Its files that rely on some members.
    func files(relyingOn members: Set<MemberReference>) -> [TreeEntry] {
        index.damaged.sorted().flatMap { number in
            let block = index.blocks[number]
            return block.entries.indices.lazy.filter { place in
                block.extents(of: place).contains { block.member(of: $0).map(members.contains) ?? false }
            }.map { block.entries[$0] }
        }
    }

    /// - Parameter entries: how many it was compared with; where it has just these, they are known to be a tree.
    /// - Throws: its entries are no tree, which no version can follow.
    func checkShape(besides entries: Int, jobs: Int) throws(CapsuleError) {
        if count == entries, !unchanged.contains(nil) { return }
        let footer = capsule.newest
        let manifest = try CapsuleError.wrappingArchive { [capsule] () throws(ArchiveError) in
            try capsule.manifest(of: footer)
        }
        try IndexShape(capsule, footer, manifest).check(index.blocks, jobs: jobs)
    }

    /// The places of the entries, of so many that were compared, that are in no block that is the same.
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

    /// For each of `entries`, which were compared, the number of the base's entry at the same place; −1 where there is none, or
    /// one of the two has no content, or both are in a block that is the same.
    func counterparts(of entries: [TreeEntry]) -> [Int32] {
        var counterparts = [Int32](repeating: -1, count: entries.count)
        for (number, block) in index.blocks.enumerated() where unchanged[number] == nil {
            guard let first = block.entries.first else { continue }
            var own = entries.firstPlace(notBefore: first.path, in: first.root)
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

    /// Where the bytes of an entry are, that is just so or with other facts in the base; none for one that is not.
    func extents(of entry: TreeEntry) -> [StoredExtent] {
        guard entry.size > 0, let number = index.root.block(holding: entry.path, in: entry.root) else { return [] }
        let block = index.blocks[number]
        guard let place = block.entries.place(of: entry.path, in: entry.root), block.entries[place].digest == entry.digest,
            block.entries[place].size == entry.size
        else {
            return []
        }
        return block.storedExtents(of: place)
    }

    private func place(of number: Int) -> (block: Int, entry: Int) {
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= number { low = middle } else { high = middle }
        }
        return (low, number - starts[low])
    }

    /// The bytes of all its files.
    func makeContent() -> (content: CapsuleContent, extents: ExtentTable) {
        var extents = ExtentTable(entries: count)
        for block in index.blocks { extents.append(block) }
        return (CapsuleContent(capsule, extents), extents)
    }
}

/// What of a container has to be read for a new version, and where the capsule has the rest.
struct AppendSelection {
    let additions: PackPlan.Additions
    /// By the entries' places; all others that are not read have no content, or that of the base.
    let places: [Int: [StoredExtent]]
    /// For each entry, whether it is read.
    let isRead: [Bool]

    /// - Parameters:
    ///   - base: it was compared with the container's entries.
    ///   - damaged: members that nothing is to rely on.
    init(
        _ opened: OpenedContainer, after history: CapsuleHistory, base: BaseVersion, avoiding damaged: Set<MemberReference>,
        jobs: Int
    ) throws(CapsuleError) {
        let stored = StoredContents(history, base: base, for: opened.entries, avoiding: damaged)
        var places: [Int: [StoredExtent]] = [:]
        var isRead = [Bool](repeating: false, count: opened.entries.count)
        var large: [Int] = []
        for number in base.changedPlaces(of: opened.entries.count).joined() where opened.entries[number].kind.hasContent {
            // A digest that is known spares the reading.
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

    /// Looks at the large files, several at a time, the largest first. At one that changed in few places several threads may look.
    private static func prepare(
        _ numbers: [Int], of opened: OpenedContainer, _ stored: StoredContents, jobs: Int
    ) throws(CapsuleError) -> [Int: LargePreparation] {
        let numbers = numbers.sorted { opened.entries[$0].size > opened.entries[$1].size }
        let ownJobs = max(1, min(jobs, 2 * jobs / max(1, numbers.count)))
        let prepared = try ParallelMap.run(numbers.count, threads: jobs, itemsPerThread: 1) { (place) throws(CapsuleError) in
            try unlessUnreadable { () throws(CapsuleError) in
                // What it is made of is compared with its digest when it is stored.
                let own = try opened.content.open(opened.entries[numbers[place]], number: numbers[place])
                let content = opened.hasFinalDigests ? own.uncompared : own
                return try LargePreparation(content, number: numbers[place], in: stored, aligningWith: ownJobs)
            }
        }
        var found: [Int: LargePreparation] = [:]
        for (number, preparation) in zip(numbers, prepared) { found[number] = preparation }
        return found
    }

    /// What can't be read is told when its turn comes.
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
