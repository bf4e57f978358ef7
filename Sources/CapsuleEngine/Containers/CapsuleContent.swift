import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// Gives the files of one version of a capsule.
final class CapsuleContent: PiecewiseContent {
    private let capsule: CapsuleReader
    private let extentStarts: [UInt32]
    private let extents: [Extent]
    private let members: [MemberReference]
    private let readers = ReaderPool()

    var isLive: Bool { false }

    /// - Parameters:
    ///   - extentStarts: for each entry, where its extents begin; one more at the end.
    ///   - members: what the extents speak of, from 1 on.
    init(_ capsule: CapsuleReader, extentStarts: [UInt32], extents: [Extent], members: [MemberReference]) {
        self.capsule = capsule
        self.extentStarts = extentStarts
        self.extents = extents
        self.members = members
    }

    /// A file's extents and the members they speak of.
    func extents(of number: Int) -> ArraySlice<Extent> {
        extents[Int(extentStarts[number])..<Int(extentStarts[number + 1])]
    }

    func member(of extent: Extent) -> MemberReference? {
        extent.isZeros ? nil : members[Int(extent.member) - 1]
    }

    func open(_ entry: TreeEntry, number: Int) -> any OpenContent {
        StoredContent(self, entry: entry, number: number)
    }

    func makeReader() -> any ContentReader {
        CapsuleContentReader(self, MemberReader(file: capsule.file, codec: capsule.codec))
    }

    func stretches(of number: Int, size: UInt64, length: UInt64) -> [Range<UInt64>] {
        var stretches: [Range<UInt64>] = []
        var start: UInt64 = 0
        var at: UInt64 = 0
        for extent in extents(of: number) {
            at += extent.length
            if at - start >= length {
                stretches.append(start..<at)
                start = at
            }
        }
        if at > start { stretches.append(start..<at) }
        return stretches
    }

    func locality(of number: Int) -> UInt64 {
        extents(of: number).first.flatMap { member(of: $0)?.offset } ?? 0
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
        var at: UInt64 = 0
        for extent in content.extents(of: number) {
            at += extent.length
            if at > offset, !extent.isZeros { return max(offset, at - extent.length) }
        }
        return entry.size
    }
}

/// Reads extents through one thread's member reader.
private final class CapsuleContentReader: ContentReader {
    private let content: CapsuleContent
    private let members: MemberReader

    init(_ content: CapsuleContent, _ members: MemberReader) {
        self.content = content
        self.members = members
    }

    func forEachPiece(
        of number: Int, in range: Range<UInt64>,
        _ body: (UInt64, UInt64, UnsafeRawBufferPointer?) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        var at: UInt64 = 0
        for extent in content.extents(of: number) {
            let start = at
            at += extent.length
            if at <= range.lowerBound { continue }
            if start >= range.upperBound { break }
            let from = max(start, range.lowerBound)
            let length = min(at, range.upperBound) - from
            guard let member = content.member(of: extent) else {
                try body(from, length, nil)
                continue
            }
            let bytes = try CapsuleError.wrappingArchive { () throws(ArchiveError) in try members.bytes(of: extent, in: member) }
            let inner = Int(from - start)
            try body(from, length, UnsafeRawBufferPointer(rebasing: bytes[inner..<inner + Int(length)]))
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
