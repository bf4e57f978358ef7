import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing

/// The data that all threads of a pack share.
final class PackPlan: Sendable {
    enum Form: Sendable {
        /// A tar stream of all entries.
        case archive
        /// The contents that the capsule does not have yet, concatenated.
        case contents(Additions)
    }

    /// The data that only a later version needs.
    struct Additions: Sendable {
        var stored: DeduplicationIndex?
        let claims = ContentClaims()
        var prepared: [Int: LargePreparation] = [:]
    }

    let entries: EntryTable
    /// The places of ``entries`` in the order of the stream. In a later version, only those of the entries that are read.
    let order: [UInt32]
    let names: TarPaths
    let contents: EntryContents
    /// True if the bytes that are read must have the digests of the entries, as in a capsule.
    private let hasFinalDigests: Bool
    private let isFixed: Bool
    let form: Form
    private let leftOut: Set<[UInt8]>
    /// The greatest length of the stream of a group, or of a slice of a large file, in bytes.
    let groupLength: Int
    let skipsUnreadable: Bool

    init(
        _ container: OpenedContainer, entries: EntryTable, form: Form, groupLength: Int, skipsUnreadable: Bool,
        isRead: (Int) -> Bool = { _ in true }
    ) {
        names = TarPaths(name: container.name, layout: container.layout)
        self.entries = entries
        order = names.order(of: entries, where: isRead)
        contents = container.contents
        hasFinalDigests = container.hasFinalDigests
        isFixed = container.isFixed
        leftOut = Set(container.omitted.map(\.path))
        self.form = form
        self.groupLength = groupLength
        self.skipsUnreadable = skipsUnreadable
    }

    func open(_ number: Int) throws(CapsuleError) -> any OpenContent {
        try contents.open(entries[number], number: number)
    }

    /// Returns a file for reading. If the packer compares the digest, the file does not compare it again.
    func read(_ content: any OpenContent) -> any OpenContent { hasFinalDigests ? content.uncompared : content }

    /// Throws if the bytes that were read of an entry don't match the digest in the container, so that damage never gets a new
    /// digest.
    func check(_ digest: ContentDigest, of entry: TreeEntry) throws(CapsuleError) {
        guard hasFinalDigests || isFixed, entry.digest != .zero, digest != entry.digest else { return }
        guard isFixed else { throw .wrongDigest(of: entry) }
        throw CapsuleError(
            "changed after it was searched for secrets", path: HostPath(entry.path.bytes), hint: "stop the app, then try again")
    }

    var isArchive: Bool {
        if case .archive = form { true } else { false }
    }

    /// Returns true if a database has a log that did not exist when the container was listed. Without it, the bytes read from the
    /// database may be half a transaction. A log that the listing left out existed then.
    /// - Parameter start: the first bytes of the file.
    func hasUnlistedLog(_ content: any OpenContent, of entry: TreeEntry, startingWith start: UnsafeRawBufferPointer) -> Bool {
        guard contents.isLive, start.starts(with: DatabaseUnit.magic) else { return false }
        return DatabaseUnit.logSuffixes.contains { suffix in
            content.hasSibling(withSuffix: suffix) && !isListed(entry.path.bytes + suffix, in: entry.root)
                && !leftOut.contains(entry.path.bytes + suffix)
        }
    }

    private func isListed(_ path: [UInt8], in root: TreeRoot) -> Bool {
        guard let path = try? RelativePath(validating: path) else { return false }
        return entries.has(path, in: root)
    }

    /// Returns the approximate length of an entry of a given size in the stream, in bytes.
    func streamLength(of entry: TreeEntry, size: UInt64) -> Int {
        let content = entry.kind.hasContent ? Int(clamping: size) : 0
        if content > groupLength { return Int.max }
        guard isArchive else { return content }
        let long = entry.path.bytes.count > 200 ? entry.path.bytes.count + 1_024 : 0
        return TarHeader.blockLength + long + entry.target.count + (content + 511) / 512 * 512
    }
}

/// The contents that the files of a new version store. If several files have the same content, the first one in the stream stores
/// it.
final class ContentClaims: @unchecked Sendable {
    private let turns = TicketLock()
    private let monitor = Monitor()
    private var positions: [ContentDigest: Int] = [:]

    /// Lets the files of a group claim their contents, after all previous groups have done so.
    /// - Parameter body: receives a function that claims a digest for a position, and returns true unless a file at another
    ///   position has claimed it.
    func withTurn(turn: Int, _ body: (_ claim: (ContentDigest, Int) -> Bool) -> Void) {
        turns.withTurn(turn) { () throws(Never) in
            body { digest, position in self.claim(digest, at: position) }
        }
    }

    /// Claims a content. Returns false if a file at another position has claimed it.
    func claim(_ digest: ContentDigest, at position: Int) -> Bool {
        monitor.locked {
            if let owner = positions[digest] { return owner == position }
            positions[digest] = position
            return true
        }
    }

    func forget(from position: Int) {
        monitor.locked { positions = positions.filter { $0.value < position } }
    }

    /// Removes a claim whose file has another content by now.
    func forget(_ digest: ContentDigest) {
        _ = monitor.locked { positions.removeValue(forKey: digest) }
    }
}
