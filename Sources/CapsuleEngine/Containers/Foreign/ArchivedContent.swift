import CapsuleArchive
import CapsuleCore
import CapsuleSystem

/// Gives the files of a foreign archive, which lie in a private file.
final class ArchivedContent: PiecewiseContent {
    /// Where an entry's bytes are.
    enum Place: Sendable {
        case none
        /// The number of a file of the archive.
        case file(Int)
        /// Bytes that are made up.
        case madeUp([UInt8])
    }

    private let content: ForeignContent
    /// By the entries' numbers.
    private let places: [Place]

    var isLive: Bool { false }

    init(_ content: ForeignContent, places: [Place]) {
        self.content = content
        self.places = places
    }

    func open(_ entry: TreeEntry, number: Int) -> any OpenContent {
        if case .madeUp(let bytes) = places[number] { return InMemoryContent(bytes, as: entry) }
        return SpooledContent(self, entry: entry, number: number)
    }

    func makeReader() -> any ContentReader {
        ArchivedContentReader(self)
    }

    func stretch(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64> {
        let data = min(size, nextData(number, from: offset) ?? size)
        return offset..<max(data, min(size, offset + length))
    }

    func locality(of number: Int) -> UInt64 {
        guard case .file(let file) = places[number] else { return 0 }
        return content.place(of: file)
    }

    /// Fills `room` with an entry's bytes, which must be there.
    func read(_ number: Int, at offset: UInt64, into room: UnsafeMutableRawBufferPointer) throws(CapsuleError) {
        switch places[number] {
        case .file(let file):
            try CapsuleError.wrapping { () throws(FileSystemError) in try content.read(file, at: offset, into: room) }
        case .madeUp(let bytes):
            room.copyBytes(from: bytes[Int(offset)..<Int(offset) + room.count])
        case .none:
            break
        }
    }

    /// Where data begins at or after `offset`; nil if only zeros follow.
    func nextData(_ number: Int, from offset: UInt64) -> UInt64? {
        guard case .file(let file) = places[number] else { return offset }
        return content.nextData(of: file, from: offset)
    }
}

/// An archive's file, open for reading by offset.
private final class SpooledContent: OpenContent {
    private let content: ArchivedContent
    private let entry: TreeEntry
    private let number: Int

    init(_ content: ArchivedContent, entry: TreeEntry, number: Int) {
        self.content = content
        self.entry = entry
        self.number = number
    }

    func status() -> ContentStatus {
        ContentStatus(size: entry.size, mode: entry.mode, modified: entry.modified, live: nil)
    }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        guard offset < entry.size else { return 0 }
        let count = Int(min(UInt64(buffer.count), entry.size - offset))
        try content.read(number, at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
        return count
    }

    func nextData(from offset: UInt64) -> UInt64 {
        content.nextData(number, from: offset) ?? entry.size
    }
}

/// Goes through an archive's files with a buffer of its own.
private final class ArchivedContentReader: ContentReader {
    private let content: ArchivedContent
    private let buffer = ByteBuffer(capacity: ArchivedContentReader.pieceLength)
    private static let pieceLength = 1 << 18

    init(_ content: ArchivedContent) {
        self.content = content
    }

    func forEachPiece(
        of number: Int, in range: Range<UInt64>,
        _ body: (UInt64, UInt64, UnsafeRawBufferPointer?) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        var at = range.lowerBound
        while at < range.upperBound {
            let data = min(range.upperBound, content.nextData(number, from: at) ?? range.upperBound)
            if data > at {
                try body(at, data - at, nil)
                at = data
                continue
            }
            let count = Int(min(UInt64(Self.pieceLength), range.upperBound - at))
            buffer.removeAll()
            try buffer.append(room: count) { (room) throws(CapsuleError) in
                try content.read(number, at: at, into: room)
                return count
            }
            try body(at, UInt64(count), buffer.bytes)
            at += UInt64(count)
        }
    }
}
