import CapsuleArchive
import CapsuleCore

/// All contents of all versions, by digest.
struct ContentTable {
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
