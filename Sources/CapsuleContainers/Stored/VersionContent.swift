package import CapsuleArchive
package import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// The files of one version of a capsule. A file that is opened compares itself with its digest (``StoredContent``). A reader
/// does not, because code that uses a reader digests the files anyway and compares.
package final class VersionContent: ContentSource {
    private let capsule: CapsuleReader
    private let extents: ExtentTable
    private let readers = ReaderPool()
    private let compared = NumberSet()

    package var isLive: Bool { false }

    package init(_ capsule: CapsuleReader, _ extents: ExtentTable) {
        self.capsule = capsule
        self.extents = extents
    }

    package func extents(of number: Int) -> FileExtents { extents.extents(of: number) }

    package func open(_ entry: TreeEntry, number: Int) -> any OpenContent {
        StoredContent(self, entry: entry, number: number)
    }

    package func makeReader() -> FileReader { VersionReader(self, makeExtentReader()) }

    private func makeExtentReader() -> ExtentReader {
        ExtentReader(extents, MemberReader(file: capsule.file, codec: capsule.codec))
    }

    package func readRange(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64> {
        var end = offset
        for extent in extents(of: number).from(offset) where end - offset < length { end = extent.range.upperBound }
        return offset..<end
    }

    package func locality(of number: Int) -> UInt64 {
        extents(of: number).first?.member?.offset ?? 0
    }

    package var isRemote: Bool { capsule.file.isRemote }

    package func fetch(_ numbers: [Int]) throws(CapsuleError) {
        try capsule.file.fetch(numbers.flatMap { extents(of: $0).compactMap { $0.member?.range } })
    }

    /// Calls `body` with a reader that is used for this one call, on any thread.
    func withReader<Outcome>(
        _ body: (ExtentReader) throws(CapsuleError) -> Outcome
    ) throws(CapsuleError) -> Outcome {
        let reader = readers.take() ?? makeExtentReader()
        defer { readers.give(reader) }
        return try body(reader)
    }

    /// Returns true if a file was found to match its digest, so that it need not be compared each time that it is opened.
    func isCompared(_ number: Int) -> Bool { compared.contains(number) }
    func markVerified(_ number: Int) { compared.insert(number) }
}

/// Reads a version's files in order, without opening them.
private final class VersionReader: FileReader {
    private let extents: ExtentReader

    init(_ content: VersionContent, _ extents: ExtentReader) {
        self.extents = extents
        super.init(content)
    }

    override func forEachPiece(
        of entry: TreeEntry, number: Int, in range: Range<UInt64>, _ body: PieceAction
    ) throws(CapsuleError) {
        try extents.forEachPiece(of: number, in: range, body)
    }
}

/// Readers that are not in use.
private final class ReaderPool: Sendable {
    private let monitor = Monitor()
    nonisolated(unsafe) private var free: [ExtentReader] = []

    func take() -> (ExtentReader)? { monitor.locked { free.popLast() } }
    func give(_ reader: ExtentReader) { monitor.locked { free.append(reader) } }
}

/// A set of numbers to which several threads can add.
private final class NumberSet: Sendable {
    private let monitor = Monitor()
    nonisolated(unsafe) private var numbers: Set<Int> = []

    func contains(_ number: Int) -> Bool { monitor.locked { numbers.contains(number) } }
    func insert(_ number: Int) { monitor.locked { _ = numbers.insert(number) } }
}

/// A version's file, open for reading by offset, which compares itself with its digest. If the file is read from its beginning to
/// its end, the read that reaches the last stored byte throws the error. A read at any other offset first compares the whole
/// file. Only the first bytes can be read without that, to find out what the file is; ``compare()`` must follow before anything
/// is reported about them.
private final class StoredContent: OpenContent, @unchecked Sendable {
    private let content: VersionContent
    private let entry: TreeEntry
    private let number: Int
    private let file: UnverifiedContent
    private let monitor = Monitor()
    private var hasher = SHA256Hasher()
    private var next: UInt64 = 0
    /// The end of the last stored byte. The zeros after it need not be read.
    private let dataEnd: UInt64

    /// The largest number of unstored zeros that are digested while reading: 16 GiB take seconds, and a few bytes can claim
    /// terabytes.
    private static let mostZeros: UInt64 = 16 << 30

    init(_ content: VersionContent, entry: TreeEntry, number: Int) {
        self.content = content
        self.entry = entry
        self.number = number
        file = UnverifiedContent(content, entry: entry, number: number)
        dataEnd = content.extents(of: number).last { $0.member != nil }?.range.upperBound ?? 0
    }

    var uncompared: any OpenContent { file }
    func status() -> ContentStatus { file.status() }
    func nextData(from offset: UInt64) -> UInt64 { file.nextData(from: offset) }
    func holes() -> [Range<UInt64>]? { file.holes() }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        let count = try file.read(at: offset, into: buffer)
        // No read of an empty file reaches a byte, but the file has a digest, too.
        if entry.size == 0 { try compare() }
        if count > 0, !content.isCompared(number) {
            try takeIn(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
        }
        return count
    }

    func compare() throws(CapsuleError) {
        if content.isCompared(number) { return }
        monitor.lock()
        defer { monitor.unlock() }
        try compareAll()
    }

    private func takeIn(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(CapsuleError) {
        monitor.lock()
        defer { monitor.unlock() }
        if offset == 0 {
            _ = hasher.finish()
            next = 0
        } else if offset > next, offset < dataEnd, file.nextData(from: next) >= offset {
            try hasher.updateZeros(offset - next)
            next = offset
        }
        guard offset == next else { return try compareAll() }
        hasher.update(bytes)
        next += UInt64(bytes.count)
        guard next >= dataEnd else { return }
        try refuseEndlessZeros()
        try hasher.updateZeros(entry.size - next)
        next = entry.size
        try finish(hasher.finish())
    }

    /// Reads and compares the whole file. The caller holds the lock, so only one of several threads does it.
    private func compareAll() throws(CapsuleError) {
        if content.isCompared(number) { return }
        try refuseEndlessZeros()
        var hasher = SHA256Hasher()
        try content.withReader { (reader) throws(CapsuleError) in
            try reader.forEachPiece(of: number, in: 0..<entry.size) { (_, length, bytes) throws(CapsuleError) in
                try hasher.update(bytes, length: length)
            }
        }
        try finish(hasher.finish())
    }

    private func finish(_ digest: ContentDigest) throws(CapsuleError) {
        guard digest == entry.digest else { throw .wrongDigest(of: entry) }
        content.markVerified(number)
    }

    private func refuseEndlessZeros() throws(CapsuleError) {
        let zeros = content.extents(of: number).reduce(UInt64(0)) { $1.member == nil ? $0 + $1.extent.length : $0 }
        guard zeros <= Self.mostZeros else {
            throw CapsuleError(
                "has more than \(Self.mostZeros >> 30) GiB of zeros, too many to check its digest first",
                path: HostPath(entry.path.bytes), hint: "'capsule unpack' checks it while writing")
        }
    }
}

/// A version's file, open for reading by offset, for code that digests everything it reads and compares the result.
private final class UnverifiedContent: OpenContent {
    private let content: VersionContent
    private let entry: TreeEntry
    private let number: Int

    init(_ content: VersionContent, entry: TreeEntry, number: Int) {
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

extension CapsuleError {
    package static func wrongDigest(of entry: TreeEntry) -> CapsuleError { wrongDigest(at: entry.path.bytes) }

    package static func wrongDigest(at path: [UInt8]) -> CapsuleError {
        CapsuleError(
            "does not match its digest: it is damaged, or changed while it was read", path: HostPath(path),
            hint: "'capsule verify' shows what is intact")
    }
}

extension EntryContents {
    /// Returns the places in a capsule that have a file's content; nil if the content is not in a capsule.
    package func extents(of entry: TreeEntry, number: Int) -> FileExtents? {
        let file = file(of: entry, number: number)
        return (sources[file.source] as? VersionContent)?.extents(of: file.number)
    }
}
