import CapsuleCore
import CapsuleSystem

/// Gives the bytes of a container's files, wherever they are.
protocol ContentProvider: Sendable {
    /// Whether files can change while they are read.
    var isLive: Bool { get }

    /// Opens a file.
    ///
    /// - Parameter number: its place among the container's entries.
    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent

    /// Opens files one after the other, for one thread.
    func makeOpener() -> any ContentOpener
}

extension ContentProvider {
    func makeOpener() -> any ContentOpener { PlainOpener(self) }
}

/// Opens the files of a container in their order, and remembers where it was. One for each thread.
protocol ContentOpener: AnyObject {
    /// Opens a file; see ``ContentProvider/open(_:number:)``.
    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent
}

/// Opens each file on its own.
final class PlainOpener: ContentOpener {
    private let content: any ContentProvider

    init(_ content: any ContentProvider) { self.content = content }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        try content.open(entry, number: number)
    }
}

/// An open file of a container; any thread may read it.
protocol OpenContent: AnyObject, Sendable {
    /// What is known of it now.
    func status() throws(CapsuleError) -> ContentStatus
    /// Reads until `buffer` is full or the file ends; the count that was read.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int
    /// Where data begins at or after `offset` as the file system knows it, without reading; `offset` where it doesn't know.
    func nextData(from offset: UInt64) -> UInt64
    /// All holes, where the content keeps a list of them; nil where they have to be looked for.
    func holes() -> [Range<UInt64>]?
    /// Whether a file stands beside it whose name has `suffix` behind.
    func hasSibling(withSuffix suffix: [UInt8]) -> Bool
    /// Extended attributes; nil if the entry has them already.
    func attributes() throws(CapsuleError) -> ExtendedAttributes.Reading?
    /// Compares all of its bytes with the digest that a capsule has for them, unless that was done.
    ///
    /// - Throws: where they differ, so that nothing is said of bytes that are not the file's.
    func compare() throws(CapsuleError)
    /// The same file, which does not compare itself: for one who digests all that is read and compares.
    var uncompared: any OpenContent { get }
}

extension OpenContent {
    func nextData(from offset: UInt64) -> UInt64 { offset }
    func holes() -> [Range<UInt64>]? { nil }
    func hasSibling(withSuffix suffix: [UInt8]) -> Bool { false }
    func attributes() throws(CapsuleError) -> ExtendedAttributes.Reading? { nil }
    func compare() throws(CapsuleError) {}
    var uncompared: any OpenContent { self }
}

/// A file's facts at one moment.
struct ContentStatus: Hashable, Sendable {
    let size: UInt64
    let mode: FileMode
    let modified: Timestamp
    /// Tells two states of a live file apart; nil for content that can't change.
    let live: FileStatus?

    /// Whether what was read between two looks is one state.
    func isSameState(as other: ContentStatus) -> Bool {
        guard let live, let others = other.live else { return size == other.size }
        return live.isSameState(as: others)
    }
}

extension OpenContent {
    /// Calls `body` with the bytes of a stretch, piece by piece in order; nil stands for so many zeros.
    ///
    /// - Parameter buffer: no piece with bytes is longer.
    /// - Returns: false for a file that ends before the stretch does.
    func forEachPiece(
        in range: Range<UInt64>, by buffer: UnsafeMutableRawBufferPointer,
        _ body: (_ offset: UInt64, _ length: UInt64, _ bytes: UnsafeRawBufferPointer?) throws(CapsuleError) -> Void
    ) throws(CapsuleError) -> Bool {
        var at = range.lowerBound
        while at < range.upperBound {
            try CapsuleError.checkInterruption()
            let data = min(range.upperBound, nextData(from: at))
            if data > at {
                try body(at, data - at, nil)
                at = data
                continue
            }
            let room = UnsafeMutableRawBufferPointer(
                rebasing: buffer.prefix(Int(min(UInt64(buffer.count), range.upperBound - at))))
            guard try read(at: at, into: room) == room.count else { return false }
            try body(at, UInt64(room.count), UnsafeRawBufferPointer(room))
            at += UInt64(room.count)
        }
        return true
    }
}

extension OpenContent {
    /// The first bytes: so many, or all of a shorter file.
    func start(_ count: Int) throws(CapsuleError) -> [UInt8] {
        let outcome: Result<[UInt8], CapsuleError> = withUnsafeTemporaryAllocation(byteCount: max(count, 1), alignment: 16) {
            room in
            Result { () throws(CapsuleError) in
                let found = try read(at: 0, into: UnsafeMutableRawBufferPointer(rebasing: room[..<count]))
                return Array(room[..<found])
            }
        }
        return try outcome.get()
    }

    /// Whether it begins as a database does.
    func startsDatabase() throws(CapsuleError) -> Bool { try start(DatabaseUnit.magic.count) == DatabaseUnit.magic }

    /// Whether it begins as a database does; false for what can't be read.
    var isDatabase: Bool { (try? startsDatabase()) == true }
}

extension ContentProvider {
    /// Whether a file is a database, by its first bytes; false for one that can't be read.
    func isDatabase(_ entry: TreeEntry, number: Int) -> Bool {
        entry.kind == .file && entry.size >= UInt64(DatabaseUnit.magic.count)
            && (try? open(entry, number: number).startsDatabase()) == true
    }
}

/// A file that is made up: its bytes and facts.
final class InMemoryContent: OpenContent {
    private let bytes: [UInt8]
    private let entry: TreeEntry

    init(_ bytes: [UInt8], as entry: TreeEntry) {
        self.bytes = bytes
        self.entry = entry
    }

    func status() -> ContentStatus {
        ContentStatus(size: UInt64(bytes.count), mode: entry.mode, modified: entry.modified, live: nil)
    }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset < UInt64(bytes.count) else { return 0 }
        let part = bytes[Int(offset)...].prefix(buffer.count)
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<part.count]).copyBytes(from: part)
        return part.count
    }
}
