import CapsuleArchive
import CapsuleCore
import Synchronization

/// The contents that a capsule has already, in any version, for a new version's files to refer to. Any thread may ask.
final class StoredContents: Sendable {
    /// What the newest version has at a file's path.
    struct Counterpart {
        let size: UInt64
        let content: any OpenContent
        let extents: FileExtents
        let makeReader: () -> MemberReader
    }

    let base: BaseVersion
    private let history: CapsuleHistory
    /// For each entry of the new version that is in no block of the base, the base's at the same place, or −1.
    private let counterparts: [Int32]
    private let table = Mutex<ContentTable?>(nil)
    /// Members that can't be read: nothing is to rely on them.
    private let damagedMembers: Mutex<Set<MemberReference>>
    private let baseContent = Mutex<(content: CapsuleContent, extents: ExtentTable)?>(nil)

    /// - Parameters:
    ///   - base: it was compared with `entries`.
    ///   - damaged: members that are known to be damaged.
    init(
        _ history: CapsuleHistory, base: BaseVersion, for entries: [TreeEntry], avoiding damaged: Set<MemberReference> = []
    ) {
        damagedMembers = Mutex(damaged)
        self.history = history
        self.base = base
        counterparts = base.counterparts(of: entries)
    }

    /// Where the bytes of a size and a digest are; nil if no version has them.
    ///
    /// Where several have them, the one at the entry's own path is taken, so that an index block comes out as it was.
    ///
    /// - Parameter number: the entry's, among those given at the beginning.
    func find(
        _ digest: ContentDigest, size: UInt64, for entry: TreeEntry, number: Int
    ) throws(CapsuleError) -> [StoredExtent]? {
        let counterpart = Int(counterparts[number])
        if counterpart >= 0 {
            let own = base.entry(counterpart)
            if own.digest == digest, own.size == size, isReadable(counterpart) { return base.extents(of: counterpart) }
        }
        let damaged = damaged
        return try CapsuleError.wrappingArchive { () throws(ArchiveError) in
            try table.withLock { (table) throws(ArchiveError) in
                if table == nil { table = try ContentTable(history) }
                return try table?.extents(of: digest, size: size, like: entry, avoiding: damaged)
            }
        }
    }

    /// Whether the base has the entry's own content at its path, as far as its digest is known.
    func isInBase(_ entry: TreeEntry, number: Int) -> Bool {
        let counterpart = Int(counterparts[number])
        guard counterpart >= 0, entry.digest != .zero else { return false }
        let own = base.entry(counterpart)
        return own.digest == entry.digest && own.size == entry.size && isReadable(counterpart)
    }

    /// What the base has at the path of an entry.
    func counterpart(of number: Int) -> Counterpart? {
        let counterpart = Int(counterparts[number])
        guard counterpart >= 0, isReadable(counterpart) else { return nil }
        let (content, extents) = baseContent.withLock { made in
            if let made { return made }
            let content = base.makeContent()
            made = content
            return content
        }
        let entry = base.entry(counterpart)
        let capsule = base.capsule
        return Counterpart(
            size: entry.size, content: content.open(entry, number: counterpart).uncompared,
            extents: extents.extents(of: counterpart),
            makeReader: { MemberReader(file: capsule.file, codec: capsule.codec) })
    }

    // MARK: Damage

    /// The members that were found to be damaged.
    var damaged: Set<MemberReference> { damagedMembers.withLock { $0 } }

    /// Finds out which members are damaged of those that the base has at an entry's path.
    func examineCounterpart(of number: Int) throws(CapsuleError) {
        let counterpart = Int(counterparts[number])
        guard counterpart >= 0 else { return }
        let members = Set(base.extents(of: counterpart).compactMap(\.member))
        let reader = MemberReader(file: base.capsule.file, codec: base.capsule.codec)
        let found = try SharedDataCheck.damaged(of: members, in: reader)
        damagedMembers.withLock { $0.formUnion(found) }
    }

    /// Whether none of an entry's data in the base is known to be damaged.
    private func isReadable(_ counterpart: Int) -> Bool {
        damagedMembers.withLock { damaged in
            damaged.isEmpty || !base.extents(of: counterpart).contains { $0.member.map(damaged.contains) ?? false }
        }
    }
}

/// All contents of all versions, by digest.
private struct ContentTable {
    private let capsule: CapsuleReader
    private let catalogue: Catalogue
    /// For each digest, the newest of the catalogue's contents that have it.
    private var first: [ContentDigest: UInt32] = [:]
    /// For those that are not the only ones with their digest, the next older.
    private var next: [UInt32: UInt32] = [:]
    /// Blocks that were read: for where contents are, and for their paths.
    private var contents: [UInt32: IndexContents] = [:]
    private var whole: [UInt32: IndexBlock] = [:]

    init(_ history: CapsuleHistory) throws(ArchiveError) {
        capsule = history.capsule
        catalogue = try history.catalogue()
        first.reserveCapacity(catalogue.contents.count)
        for (number, content) in catalogue.contents.enumerated() {
            if let older = first.updateValue(UInt32(number), forKey: content.digest) { next[UInt32(number)] = older }
        }
    }

    /// Where the bytes with a digest are: at the entry's path, if some version has them there, else anywhere.
    ///
    /// - Parameter damaged: members that can't be read.
    mutating func extents(
        of digest: ContentDigest, size: UInt64, like entry: TreeEntry, avoiding damaged: Set<MemberReference> = []
    ) throws(ArchiveError) -> [StoredExtent]? {
        var number = first[digest]
        var found: [StoredExtent]?
        var rest = Self.mostPlaces
        while let here = number, rest > 0 {
            rest -= 1
            number = next[here]
            let place = catalogue.contents[Int(here)]
            do throws(ArchiveError) {
                let own = try contents(of: place.block)
                // A catalogue from a cache is believed no further than the file itself bears it out.
                guard Int(place.number) < own.contents.count, own.contents[Int(place.number)].digest == digest else { continue }
                let content = own.contents[Int(place.number)]
                // A foreign index may give a digest to bytes of another length.
                guard content.size == size else { continue }
                let extents = own.extents(of: content)
                if !damaged.isEmpty, extents.contains(where: { $0.member.map(damaged.contains) ?? false }) { continue }
                if found == nil {
                    found = extents
                    if number == nil { break }
                }
                if try isPath(of: entry, at: content.entry, in: place.block) { return extents }
            } catch {
                // No such block: what it is said to have is stored again.
                guard error.code == .damaged else { throw error }
            }
        }
        return found
    }

    /// How many files of the same content are looked at for the one path: more would be time lost for a few bytes.
    private static let mostPlaces = 256

    private mutating func contents(of block: UInt32) throws(ArchiveError) -> IndexContents {
        if let known = contents[block] { return known }
        let read = try capsule.contents(of: catalogue.blocks[Int(block)])
        contents[block] = read
        return read
    }

    private mutating func isPath(of entry: TreeEntry, at number: UInt32, in block: UInt32) throws(ArchiveError) -> Bool {
        let entries: [TreeEntry]
        if let known = whole[block] {
            entries = known.entries
        } else {
            let read = try capsule.block(catalogue.blocks[Int(block)])
            whole[block] = read
            entries = read.entries
        }
        return entries[Int(number)].path == entry.path && entries[Int(number)].root == entry.root
    }
}
