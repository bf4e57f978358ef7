package import CapsuleCore

/// A place where the bytes of files are: a directory, a version of a capsule, an archive. Any thread may use it.
///
/// A source numbers its files. ``EntryContents`` knows which of them has the bytes of which entry.
package protocol ContentSource: Sendable {
    /// True if files can change while they are read.
    var isLive: Bool { get }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - entry: the entry that the file belongs to, as it was listed.
    ///   - number: the number of the file in the source.
    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent

    /// Returns a reader for one thread.
    func makeReader() -> FileReader

    /// Returns the range of a large file that one thread should read from `offset` on: about `length` bytes, cut so that no thread
    /// repeats another one's work. A range that is all zeros may have any length.
    func readRange(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64>

    /// Returns a mark. Files with the same mark are best read by one thread.
    func locality(of number: Int) -> UInt64
}

extension ContentSource {
    package func makeReader() -> FileReader { FileReader(self) }

    package func readRange(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64> {
        offset..<min(size, offset + length)
    }

    package func locality(of number: Int) -> UInt64 { UInt64(number) }
}

/// Reads the files of a source, one after another. Each thread needs its own.
///
/// This reader opens each file. Readers of sources that know a shorter way inherit from it.
package class FileReader {
    private let source: any ContentSource
    /// The file that was read last. It stays open because a large file is read range by range.
    private var last: (number: Int, file: any OpenContent)?
    private var allocated: UnsafeMutableRawBufferPointer?

    package init(_ source: any ContentSource) { self.source = source }

    deinit { allocated?.deallocate() }

    /// The buffer for pieces, allocated when it is first used: many readers only open files.
    private var buffer: UnsafeMutableRawBufferPointer {
        let buffer = allocated ?? .allocate(byteCount: 1 << 18, alignment: 64)
        allocated = buffer
        return buffer
    }

    /// Opens a file; see ``ContentSource/open(_:number:)``.
    package func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        try source.open(entry, number: number)
    }

    /// Calls `body` with the bytes of a range of a file, piece by piece in order. Nil means `length` zeros.
    ///
    /// - Throws: also for a file that changes while it is read, or that is shorter than its entry says.
    package func forEachPiece(
        of entry: TreeEntry, number: Int, in range: Range<UInt64>,
        _ body: (_ offset: UInt64, _ length: UInt64, _ bytes: UnsafeRawBufferPointer?) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        if source.isLive { return try readLive(entry, number, range, body) }
        let file: any OpenContent
        if let last, last.number == number { file = last.file } else { file = try open(entry, number: number) }
        last = (number, file)
        guard try file.forEachPiece(in: range, by: buffer, body) else {
            throw CapsuleError("a file's content is shorter than its recorded size", path: HostPath(entry.path.bytes))
        }
    }

    private func readLive(
        _ entry: TreeEntry, _ number: Int, _ range: Range<UInt64>,
        _ body: (UInt64, UInt64, UnsafeRawBufferPointer?) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        let file = try open(entry, number: number)
        let before = try file.status()
        let isWhole = before.size == entry.size ? try file.forEachPiece(in: range, by: buffer, body) : false
        guard isWhole, before.isSameState(as: try file.status()) else {
            throw CapsuleError(
                "changed while it was read", path: HostPath(entry.path.bytes), hint: "stop the app, then try again")
        }
    }
}
