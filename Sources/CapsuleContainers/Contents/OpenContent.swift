package import CapsuleCore
import CapsuleHashing
package import CapsuleSystem

/// An open file of a container. Any thread may read it.
package protocol OpenContent: AnyObject, Sendable {
    /// Returns the current facts about the file.
    func status() throws(CapsuleError) -> ContentStatus
    /// Reads until `buffer` is full or the file ends. Returns the number of bytes that were read.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int
    /// Returns the offset of the first data at or after `offset`, as the file system knows it without reading; `offset` if it
    /// doesn't know.
    func nextData(from offset: UInt64) -> UInt64
    /// Returns all holes if the content keeps a list of them; nil if they have to be searched for.
    func holes() -> [Range<UInt64>]?
    /// Returns true if there is a file beside this one with the same name followed by `suffix`.
    func hasSibling(withSuffix suffix: [UInt8]) -> Bool
    /// Returns the extended attributes; nil if the entry already has them.
    func attributes() throws(CapsuleError) -> ExtendedAttributes.Reading?
    /// Compares all bytes with the digest that a capsule has for them, unless that was done before.
    ///
    /// - Throws: if they differ, so that nothing is reported about bytes that are not the file's.
    func compare() throws(CapsuleError)
    /// The same file without its own comparison, for code that digests everything it reads and compares the result.
    var uncompared: any OpenContent { get }
}

extension OpenContent {
    package func nextData(from offset: UInt64) -> UInt64 { offset }
    package func holes() -> [Range<UInt64>]? { nil }
    package func hasSibling(withSuffix suffix: [UInt8]) -> Bool { false }
    package func attributes() throws(CapsuleError) -> ExtendedAttributes.Reading? { nil }
    package func compare() throws(CapsuleError) {}
    package var uncompared: any OpenContent { self }
}

/// The facts about a file at one moment.
package struct ContentStatus: Hashable, Sendable {
    package let size: UInt64
    package let mode: FileMode
    package let modified: Timestamp
    /// The status that distinguishes two states of a live file; nil for content that can't change.
    package let live: FileStatus?

    package init(size: UInt64, mode: FileMode, modified: Timestamp, live: FileStatus?) {
        self.size = size
        self.mode = mode
        self.modified = modified
        self.live = live
    }

    /// Returns true if the file was in the same state both times, so that everything read in between belongs together.
    package func isSameState(as other: ContentStatus) -> Bool {
        guard let live, let others = other.live else { return size == other.size }
        return live.isSameState(as: others)
    }
}

extension OpenContent {
    /// Calls `body` with the bytes of a range, piece by piece in order. Nil means `length` zeros.
    ///
    /// - Parameter buffer: the buffer for pieces, so no piece with bytes is longer.
    /// - Returns: false for a file that ends before the range does.
    package func forEachPiece(
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
    /// Returns the SHA-256 of the first `size` bytes; for a file that has become shorter, of the pieces that it still has.
    package func digest(size: UInt64, by buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> ContentDigest {
        var hasher = SHA256Hasher()
        _ = try forEachPiece(in: 0..<size, by: buffer) { (_, length, bytes) throws(CapsuleError) in
            try hasher.update(bytes, length: length)
        }
        return hasher.finish()
    }
}

extension OpenContent {
    /// Returns the first `count` bytes, or all bytes of a shorter file.
    package func start(_ count: Int) throws(CapsuleError) -> [UInt8] {
        let outcome: Result<[UInt8], CapsuleError> = withUnsafeTemporaryAllocation(byteCount: max(count, 1), alignment: 16) {
            room in
            Result { () throws(CapsuleError) in
                let found = try read(at: 0, into: UnsafeMutableRawBufferPointer(rebasing: room[..<count]))
                return Array(room[..<found])
            }
        }
        return try outcome.get()
    }

    /// Returns true if the file begins like a database.
    package func startsDatabase() throws(CapsuleError) -> Bool { try start(DatabaseUnit.magic.count) == DatabaseUnit.magic }

    /// True if the file begins like a database; false for a file that can't be read.
    package var isDatabase: Bool { (try? startsDatabase()) == true }
}

/// A generated file: its bytes and facts.
package final class InMemoryContent: OpenContent {
    private let bytes: [UInt8]
    private let entry: TreeEntry

    package init(_ bytes: [UInt8], as entry: TreeEntry) {
        self.bytes = bytes
        self.entry = entry
    }

    package func status() -> ContentStatus {
        ContentStatus(size: UInt64(bytes.count), mode: entry.mode, modified: entry.modified, live: nil)
    }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset < UInt64(bytes.count) else { return 0 }
        let part = bytes[Int(offset)...].prefix(buffer.count)
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<part.count]).copyBytes(from: part)
        return part.count
    }
}

/// A content with the size, mode and time that an entry records, instead of those of the file that the bytes come from. So an
/// overlay is the same whether it is made from a live container or from a stored one.
package final class RecordedContent: OpenContent {
    private let content: any OpenContent
    private let entry: TreeEntry

    package init(_ content: any OpenContent, as entry: TreeEntry) {
        self.content = content
        self.entry = entry
    }

    package func status() -> ContentStatus {
        ContentStatus(size: entry.size, mode: entry.mode, modified: entry.modified, live: nil)
    }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        guard offset < entry.size else { return 0 }
        let count = Int(min(UInt64(buffer.count), entry.size - offset))
        return try content.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }

    package var uncompared: any OpenContent { RecordedContent(content.uncompared, as: entry) }

    package func compare() throws(CapsuleError) { try content.compare() }

    package func nextData(from offset: UInt64) -> UInt64 { min(max(offset, entry.size), content.nextData(from: offset)) }
}
