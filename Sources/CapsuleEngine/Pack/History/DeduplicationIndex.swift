import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import Synchronization

/// The contents that a capsule already has in any version, which the files of a new version can refer to. It can be used from any
/// thread.
final class DeduplicationIndex: Sendable {
    /// The content in the newest version at a file's path.
    struct Counterpart {
        let size: UInt64
        let content: any OpenContent
        let extents: FileExtents
        let makeReader: @Sendable () -> MemberReader
    }

    let base: BaseVersion
    private let history: CapsuleHistory
    /// For each entry of the new version that is not in an unchanged block, the number of the base's entry at the same place, or
    /// −1.
    private let counterparts: [Int32]
    private let table = Mutex<ContentTable?>(nil)
    private let damagedMembers: Mutex<Set<MemberReference>>
    private let baseContent = Mutex<(content: VersionContent, extents: ExtentTable)?>(nil)

    /// - Parameters:
    ///   - base: the base version, already compared with `entries`.
    ///   - damaged: the members that are known to be damaged.
    init(
        _ history: CapsuleHistory, base: BaseVersion, for entries: [TreeEntry], avoiding damaged: Set<MemberReference> = []
    ) {
        damagedMembers = Mutex(damaged)
        self.history = history
        self.base = base
        counterparts = base.counterparts(of: entries)
    }

    /// Returns the extents of a content with this size and digest; nil if no version has it. If several files have the content,
    /// the one at the entry's own path is used, so that an index block stays the same.
    /// - Parameter number: the number of the entry among those given to the initializer.
    func find(
        _ digest: ContentDigest, size: UInt64, for entry: TreeEntry, number: Int
    ) throws(CapsuleError) -> [StoredExtent]? {
        let counterpart = Int(counterparts[number])
        if counterpart >= 0 {
            let own = base.entry(counterpart)
            if own.digest == digest, own.size == size, isReadable(counterpart) { return base.extents(of: counterpart) }
        }
        let damaged = damaged
        return try table.withLock { (table) throws(CapsuleError) in
            if table == nil { table = try ContentTable(history) }
            return try table?.extents(of: digest, size: size, like: entry, avoiding: damaged)
        }
    }

    /// Returns true if the digest of the entry is known, and the base has the same content at its path.
    func isInBase(_ entry: TreeEntry, number: Int) -> Bool {
        let counterpart = Int(counterparts[number])
        guard counterpart >= 0, entry.digest != .zero else { return false }
        let own = base.entry(counterpart)
        return own.digest == entry.digest && own.size == entry.size && isReadable(counterpart)
    }

    func counterpart(of number: Int) -> Counterpart? {
        let counterpart = Int(counterparts[number])
        // To find the parts of a file that a server has, all of the old file would have to be fetched.
        guard counterpart >= 0, !base.capsule.file.isRemote, isReadable(counterpart) else { return nil }
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

    var damaged: Set<MemberReference> { damagedMembers.withLock { $0 } }

    func examineCounterpart(of number: Int) throws(CapsuleError) {
        let counterpart = Int(counterparts[number])
        guard counterpart >= 0 else { return }
        let members = Set(base.extents(of: counterpart).compactMap(\.member))
        let reader = MemberReader(file: base.capsule.file, codec: base.capsule.codec)
        let found = try SharedDataCheck.damaged(of: members, in: reader)
        damagedMembers.withLock { $0.formUnion(found) }
    }

    private func isReadable(_ counterpart: Int) -> Bool {
        damagedMembers.withLock { damaged in
            damaged.isEmpty || !base.extents(of: counterpart).contains { $0.member.map(damaged.contains) ?? false }
        }
    }
}

/// All contents of all versions, by digest.
private struct ContentTable {
    private let capsule: CapsuleReader
    private let catalogue: Catalog
    /// The index blocks that were read: their contents, and in `whole` their entries for comparing paths.
    private var contents: [UInt32: IndexContents] = [:]
    private var whole: [UInt32: IndexBlock] = [:]

    init(_ history: CapsuleHistory) throws(CapsuleError) {
        capsule = history.capsule
        catalogue = try history.catalogue()
    }

    /// Returns the extents of a content with this digest: at the entry's path if a version has it there, otherwise at any path.
    mutating func extents(
        of digest: ContentDigest, size: UInt64, like entry: TreeEntry, avoiding damaged: Set<MemberReference> = []
    ) throws(CapsuleError) -> [StoredExtent]? {
        var number = catalogue.newest[digest]
        var found: [StoredExtent]?
        var rest = Self.mostPlaces
        while let here = number, rest > 0 {
            rest -= 1
            number = catalogue.older[here]
            let place = catalogue.contents[Int(here)]
            do throws(CapsuleError) {
                let own = try contents(of: place.block)
                // A catalogue from a cache is trusted only if the file confirms it.
                guard Int(place.number) < own.contents.count, own.contents[Int(place.number)].digest == digest else { continue }
                let content = own.contents[Int(place.number)]
                // The index of another tool may have the same digest for bytes of another length.
                guard content.size == size else { continue }
                let extents = own.extents(of: content)
                if !damaged.isEmpty, extents.contains(where: { $0.member.map(damaged.contains) ?? false }) { continue }
                if found == nil {
                    found = extents
                    if number == nil { break }
                }
                if try isPath(of: entry, at: content.entry, in: place.block) { return extents }
            } catch {
                // The block does not exist, so its contents are stored again.
                guard error.code == .damaged else { throw error }
            }
        }
        return found
    }

    /// The greatest number of files with the same content that are searched for the entry's path. More would cost time and save
    /// few bytes.
    private static let mostPlaces = 256

    private mutating func contents(of block: UInt32) throws(CapsuleError) -> IndexContents {
        if let known = contents[block] { return known }
        let read = try capsule.contents(of: catalogue.blocks[Int(block)])
        contents[block] = read
        return read
    }

    private mutating func isPath(of entry: TreeEntry, at number: UInt32, in block: UInt32) throws(CapsuleError) -> Bool {
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
