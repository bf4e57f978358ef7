import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// Gives the files of one version of a capsule.
final class CapsuleContent: PiecewiseContent {
    private let capsule: CapsuleReader
    private let extents: ExtentTable
    private let readers = ReaderPool()

    var isLive: Bool { false }

    init(_ capsule: CapsuleReader, _ extents: ExtentTable) {
        self.capsule = capsule
        self.extents = extents
    }

    /// Where a file's bytes are.
    func extents(of number: Int) -> FileExtents { extents.extents(of: number) }

    func open(_ entry: TreeEntry, number: Int) -> any OpenContent {
        StoredContent(self, entry: entry, number: number)
    }

    func makeReader() -> any ContentReader {
        CapsuleContentReader(extents, MemberReader(file: capsule.file, codec: capsule.codec))
    }

    func stretch(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64> {
        var end = offset
        for extent in extents(of: number).from(offset) where end - offset < length { end = extent.range.upperBound }
        return offset..<end
    }

    func locality(of number: Int) -> UInt64 {
        extents(of: number).first?.member?.offset ?? 0
    }

    /// Lets a reader be used for one call, whichever thread makes it.
    fileprivate func withReader<Outcome>(
        _ body: (any ContentReader) throws(CapsuleError) -> Outcome
    ) throws(CapsuleError) -> Outcome {
        let reader = readers.take() ?? makeReader()
        defer { readers.give(reader) }
        return try body(reader)
    }
}

/// A version's file, open for reading by offset.
private final class StoredContent: OpenContent {
    private let content: CapsuleContent
    private let entry: TreeEntry
    private let number: Int

    init(_ content: CapsuleContent, entry: TreeEntry, number: Int) {
        self.content = content
        self.entry = entry
        self.number = number
    }

    func status() -> ContentStatus {
        ContentStatus(size: entry.size, mode: entry.mode, modified: entry.modified, live: nil)
    }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        guard offset < entry.size else { return 0 }
        let end = min(entry.size, offset + UInt64(buffer.count))
        try content.withReader { (reader) throws(CapsuleError) in
            try reader.forEachPiece(of: number, in: offset..<end) { (at, length, bytes) throws(CapsuleError) in
                let room = UnsafeMutableRawBufferPointer(rebasing: buffer[Int(at - offset)..<Int(at - offset + length)])
                if let bytes { room.copyMemory(from: bytes) } else { room.initializeMemory(as: UInt8.self, repeating: 0) }
            }
        }
        return Int(end - offset)
    }

    func nextData(from offset: UInt64) -> UInt64 {
        for extent in content.extents(of: number).from(offset) where extent.member != nil { return max(offset, extent.offset) }
        return entry.size
    }

    func holes() -> [Range<UInt64>]? {
        content.extents(of: number).compactMap { $0.member == nil ? $0.range : nil }
    }
}

/// Reads extents through one thread's member reader.
private final class CapsuleContentReader: ContentReader {
    // Not the content, which keeps readers.
    private let extents: ExtentTable
    private let members: MemberReader

    init(_ extents: ExtentTable, _ members: MemberReader) {
        self.extents = extents
        self.members = members
    }

    func forEachPiece(
        of number: Int, in range: Range<UInt64>,
        _ body: (UInt64, UInt64, UnsafeRawBufferPointer?) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        for placed in extents.extents(of: number).from(range.lowerBound) {
            if placed.offset >= range.upperBound { break }
            let part = placed.range.clamped(to: range)
            let length = part.upperBound - part.lowerBound
            guard let member = placed.member else {
                try body(part.lowerBound, length, nil)
                continue
            }
            let bytes = try CapsuleError.wrappingArchive { () throws(ArchiveError) in
                try members.bytes(of: placed.extent, in: member)
            }
            let inner = Int(part.lowerBound - placed.offset)
            try body(part.lowerBound, length, UnsafeRawBufferPointer(rebasing: bytes[inner..<inner + Int(length)]))
        }
    }
}

/// Readers that are not in use.
private final class ReaderPool: Sendable {
    private let monitor = Monitor()
    nonisolated(unsafe) private var free: [any ContentReader] = []

    func take() -> (any ContentReader)? { monitor.locked { free.popLast() } }

    func give(_ reader: any ContentReader) { monitor.locked { free.append(reader) } }
}
