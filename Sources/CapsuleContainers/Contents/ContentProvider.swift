package import CapsuleCore
package import CapsuleSystem
import Synchronization

/// Provides the bytes of a container's files, wherever they are stored.
package protocol ContentProvider: Sendable {
    /// True if files can change while they are read.
    var isLive: Bool { get }

    /// Opens a file.
    ///
    /// - Parameter number: the position of the entry among the container's entries.
    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent

    /// Returns an opener for one thread, which opens files one after another.
    func makeOpener() -> any ContentOpener
}

extension ContentProvider {
    package func makeOpener() -> any ContentOpener { PlainOpener(self) }
}

/// Opens the files of a container in order, and remembers its last position. Each thread needs its own.
package protocol ContentOpener: AnyObject {
    /// Opens a file; see ``ContentProvider/open(_:number:)``.
    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent
}

/// Opens each file separately.
final class PlainOpener: ContentOpener {
    private let content: any ContentProvider

    init(_ content: any ContentProvider) { self.content = content }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        try content.open(entry, number: number)
    }
}

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

extension ContentProvider {
    /// Returns true if a file is a database, judged by its first bytes; false for a file that can't be read.
    package func isDatabase(_ entry: TreeEntry, number: Int) -> Bool {
        entry.kind == .file && entry.size >= UInt64(DatabaseUnit.magic.count)
            && (try? open(entry, number: number).startsDatabase()) == true
    }
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

/// Reports to an observer how much several threads have read together.
final class ReadingProgress: Sendable {
    private let observer: any ProgressObserver
    private let report: Mutex<ProgressReport>

    /// - Parameter sizes: the sizes of all files to read, in bytes.
    init(_ observer: any ProgressObserver, of sizes: [UInt64]) {
        self.observer = observer
        report = Mutex(ProgressReport(totalFiles: UInt64(sizes.count), totalBytes: sizes.reduce(0, &+)))
    }

    /// Reports that files of these sizes are done.
    func read(_ sizes: [UInt64]) {
        report.withLock { report in
            report.files += UInt64(sizes.count)
            report.bytes &+= sizes.reduce(0, &+)
            observer.advanced(to: report)
        }
    }
}
