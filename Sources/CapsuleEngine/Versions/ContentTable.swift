import CapsuleArchive
import CapsuleCore

/// All contents of all versions, by digest.
struct ContentTable {
    /// Where one is: a block, and the content in it.
    private struct Place {
        let block: UInt32
        let content: UInt32
        /// The next place with the same digest, or −1.
        let next: Int32
    }

    private let capsule: CapsuleReader
    private let blocks: [IndexRoot.Block]
    private let contents: [IndexContents]
    private var places: [Place] = []
    private var first: [ContentDigest: Int32] = [:]
    /// Blocks that were read whole, for their paths.
    private var whole: [UInt32: IndexBlock] = [:]

    /// Reads each distinct block once.
    init(_ history: CapsuleHistory) throws(ArchiveError) {
        capsule = history.capsule
        var seen: Set<UInt64> = []
        var blocks: [IndexRoot.Block] = []
        for root in try history.roots() {
            for block in root.blocks where seen.insert(block.offset).inserted { blocks.append(block) }
        }
        self.blocks = blocks
        contents = try history.contents(of: blocks)
        first.reserveCapacity(contents.reduce(0) { $0 + $1.contents.count })
        // From the oldest to the newest, so that the newest comes first in its row.
        for block in contents.indices.reversed() {
            for (number, content) in contents[block].contents.enumerated() {
                let next = first.updateValue(Int32(places.count), forKey: content.digest) ?? -1
                places.append(Place(block: UInt32(block), content: UInt32(number), next: next))
            }
        }
    }

    /// Where the bytes with a digest are: at the entry's path, if some version has them there, else anywhere.
    mutating func extents(of digest: ContentDigest, like entry: TreeEntry) throws(ArchiveError) -> [StoredExtent]? {
        guard var place = first[digest] else { return nil }
        var found: [StoredExtent]?
        var rest = Self.mostPlaces
        while place >= 0, rest > 0 {
            rest -= 1
            let here = places[Int(place)]
            let own = contents[Int(here.block)]
            let extents = own.extents(of: own.contents[Int(here.content)])
            if found == nil {
                found = extents
                if here.next < 0 { break }
            }
            if try isPath(of: entry, at: here) { return extents }
            place = here.next
        }
        return found
    }

    /// How many files of the same content are looked at for the one path: more would be time lost for a few bytes.
    private static let mostPlaces = 256

    private mutating func isPath(of entry: TreeEntry, at place: Place) throws(ArchiveError) -> Bool {
        let block: IndexBlock
        if let known = whole[place.block] {
            block = known
        } else {
            block = try capsule.block(blocks[Int(place.block)])
            whole[place.block] = block
        }
        let number = Int(contents[Int(place.block)].contents[Int(place.content)].entry)
        return block.entries[number].path == entry.path && block.entries[number].root == entry.root
    }
}
