import CapsuleArchive
import CapsuleCore

/// What all threads of a pack share.
struct PackPlan: Sendable {
    /// What is made of the files.
    enum Form: Sendable {
        /// A tar stream of all entries.
        case archive
        /// The contents that the capsule does not have yet, one behind the other.
        case contents(Additions)
    }

    /// What a later version needs to know.
    struct Additions: Sendable {
        /// nil where there is nothing yet that a file could refer to.
        var stored: StoredContents?
        let claims = ContentClaims()
        /// Of large files, by their places among the entries.
        var prepared: [Int: LargePreparation] = [:]
    }

    /// In the order of the index.
    let entries: EntryTable
    /// The places of ``entries`` in the order of the stream; in a later version, of those that are to be read.
    let order: [UInt32]
    let names: StreamNames
    let content: any ContentProvider
    /// Whether the entries have the digests that what is read must have: a capsule's have.
    private let hasFinalDigests: Bool
    let form: Form
    /// What the listing left out, for whatever reason.
    private let leftOut: Set<[UInt8]>
    /// How many bytes of stream a group, or a slice of a large file, has at most.
    let groupLength: Int
    let skipsUnreadable: Bool

    /// - Parameters:
    ///   - entries: the container's.
    ///   - isRead: whether an entry has a place in the stream.
    init(
        _ container: OpenedContainer, entries: EntryTable, form: Form, groupLength: Int, skipsUnreadable: Bool,
        isRead: (Int) -> Bool = { _ in true }
    ) {
        names = StreamNames(name: container.name, layout: container.layout)
        self.entries = entries
        order = names.order(of: entries, where: isRead)
        content = container.content
        hasFinalDigests = container.hasFinalDigests
        leftOut = Set(container.omitted.map(\.path))
        self.form = form
        self.groupLength = groupLength
        self.skipsUnreadable = skipsUnreadable
    }

    /// A file as it is to be read: where the packer compares what it digests, the file need not compare itself.
    func read(_ content: any OpenContent) -> any OpenContent { hasFinalDigests ? content.uncompared : content }

    /// Compares what was read of an entry with the digest that the container has for it: damage never gets a fresh digest.
    func check(_ digest: ContentDigest, of entry: TreeEntry) throws(CapsuleError) {
        guard hasFinalDigests, entry.digest != .zero, digest != entry.digest else { return }
        throw .wrongDigest(of: entry)
    }

    /// Whether the stream is an archive, with headers.
    var isArchive: Bool {
        if case .archive = form { true } else { false }
    }

    /// Whether a database has a log that was not there when the container was listed: without it, what was read of the
    /// database may be half a transaction. One that the listing left out was there.
    ///
    /// - Parameter start: the first bytes of the file.
    func hasUnlistedLog(_ content: any OpenContent, of entry: TreeEntry, startingWith start: UnsafeRawBufferPointer) -> Bool {
        guard self.content.isLive, start.starts(with: DatabaseUnit.magic) else { return false }
        return DatabaseUnit.logSuffixes.contains { suffix in
            content.hasSibling(withSuffix: suffix) && !isListed(entry.path.bytes + suffix, in: entry.root)
                && !leftOut.contains(entry.path.bytes + suffix)
        }
    }

    private func isListed(_ path: [UInt8], in root: TreeRoot) -> Bool {
        guard let path = try? RelativePath(validating: path) else { return false }
        return entries.has(path, in: root)
    }

    /// About how many bytes an entry of a given size takes in the stream.
    func streamLength(of entry: TreeEntry, size: UInt64) -> Int {
        let content = entry.kind.hasContent ? Int(clamping: size) : 0
        if content > groupLength { return Int.max }
        guard isArchive else { return content }
        let long = entry.path.bytes.count > 200 ? entry.path.bytes.count + 1_024 : 0
        return TarHeader.blockLength + long + entry.target.count + (content + 511) / 512 * 512
    }
}

/// Which files of a new version bring which content: of several that have the same, the first in the stream stores it.
final class ContentClaims: @unchecked Sendable {
    private let turns = TurnTaking()
    private let monitor = Monitor()
    private var positions: [ContentDigest: Int] = [:]

    /// Lets the files of a group claim their contents, when all groups before have.
    ///
    /// - Parameter body: handed what claims a digest for a position, and answers whether nobody has it yet.
    func take(turn: Int, _ body: (_ claim: (ContentDigest, Int) -> Bool) -> Void) {
        turns.take(turn) { () throws(Never) in
            body { digest, position in self.claim(digest, at: position) }
        }
    }

    /// Claims a content; false if a file at another position has it.
    func claim(_ digest: ContentDigest, at position: Int) -> Bool {
        monitor.locked {
            if let owner = positions[digest] { return owner == position }
            positions[digest] = position
            return true
        }
    }

    /// Forgets the claims of all files from a position on.
    func forget(from position: Int) {
        monitor.locked { positions = positions.filter { $0.value < position } }
    }

    /// Forgets a claim that came to nothing: the file that made it has another content by now.
    func forget(_ digest: ContentDigest) {
        _ = monitor.locked { positions.removeValue(forKey: digest) }
    }
}
