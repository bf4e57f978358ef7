package import CapsuleCore
import CapsuleHashing
package import CapsuleSystem

/// The contents of a container's entries: for each entry, the file of a source that has its bytes. This is a value. To select,
/// join or edit entries is to edit the references; the sources don't know of it.
package struct EntryContents: Sendable {
    package enum Origin: Sendable {
        case own(Int)
        case bytes([UInt8])
        /// A file that is opened when it is needed. It does not change.
        case opened(@Sendable () throws(CapsuleError) -> any OpenContent)
    }

    /// A file of a source.
    private struct Reference {
        let source: UInt32
        let number: UInt32

        static let none = Reference(source: 0, number: .max)
    }

    private(set) var sources: [any ContentSource]
    private var references: [Reference]
    /// The entries as they were listed, if they have other names or roots since. Files are opened with these.
    private var listed: [TreeEntry]?

    package init(_ source: any ContentSource, count: Int) {
        self.init(source, numbers: (0..<count).map { $0 })
    }

    /// Files with these bytes.
    package init(files: [[UInt8]]) {
        self.init(EditedFiles(origins: files.map { .bytes($0) }), count: files.count)
    }

    package init(_ source: any ContentSource, numbers: some Sequence<Int?>) {
        sources = [source]
        references = numbers.map { number in number.map { Reference(source: 0, number: UInt32($0)) } ?? .none }
    }

    package var isLive: Bool { sources.contains { $0.isLive } }

    package func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        let file = self.file(of: entry, number: number)
        return try sources[file.source].open(file.entry, number: file.number)
    }

    /// Fetches the bytes of files that will be read soon, if they are on a server, in few round trips.
    package func fetch(_ numbers: some Sequence<Int>) throws(CapsuleError) {
        guard sources.contains(where: \.isRemote) else { return }
        var wanted = sources.map { _ in [Int]() }
        for number in numbers where references[number].number != Reference.none.number {
            wanted[Int(references[number].source)].append(Int(references[number].number))
        }
        for (source, numbers) in zip(sources, wanted) { try source.fetch(numbers) }
    }

    package func isDatabase(_ entry: TreeEntry, number: Int) -> Bool {
        entry.kind == .file && entry.size >= UInt64(DatabaseUnit.magic.count)
            && (try? open(entry, number: number).startsDatabase()) == true
    }

    func file(of entry: TreeEntry, number: Int) -> (source: Int, entry: TreeEntry, number: Int) {
        (Int(references[number].source), listed?[number] ?? entry, Int(references[number].number))
    }

    package func readRange(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64> {
        let reference = references[number]
        return sources[Int(reference.source)].readRange(of: Int(reference.number), from: offset, size: size, length: length)
    }

    package func locality(of number: Int) -> UInt64 {
        let reference = references[number]
        return sources[Int(reference.source)].locality(of: Int(reference.number))
    }
}

/// Reads the files of a container, one after another. Each thread needs its own.
package final class ContentReader {
    private let contents: EntryContents
    private var readers: [FileReader?]

    package init(_ contents: EntryContents) {
        self.contents = contents
        readers = Array(repeating: nil, count: contents.sources.count)
    }

    package func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        let file = contents.file(of: entry, number: number)
        return try reader(file.source).open(file.entry, number: file.number)
    }

    /// Nil means `length` zeros.
    package func forEachPiece(
        of entry: TreeEntry, number: Int, in range: Range<UInt64>, _ body: PieceAction
    ) throws(CapsuleError) {
        let file = contents.file(of: entry, number: number)
        try reader(file.source).forEachPiece(of: file.entry, number: file.number, in: range, body)
    }

    package func digest(of entry: TreeEntry, number: Int) throws(CapsuleError) -> ContentDigest {
        var hasher = SHA256Hasher()
        try forEachPiece(of: entry, number: number, in: 0..<entry.size) { (_, length, bytes) throws(CapsuleError) in
            try hasher.update(bytes, length: length)
        }
        return hasher.finish()
    }

    package func bytes(of entry: TreeEntry, number: Int, in range: Range<UInt64>) throws(CapsuleError) -> [UInt8] {
        var all: [UInt8] = []
        all.reserveCapacity(range.count)
        try forEachPiece(of: entry, number: number, in: range) { (_, length, bytes) throws(CapsuleError) in
            try CapsuleError.checkInterruption()
            if let bytes { all += bytes } else { all += repeatElement(0, count: Int(length)) }
        }
        return all
    }

    private func reader(_ source: Int) -> FileReader {
        if let reader = readers[source] { return reader }
        let reader = contents.sources[source].makeReader()
        readers[source] = reader
        return reader
    }
}

extension EntryContents {
    package mutating func select(_ numbers: some Sequence<Int>) {
        let numbers = Array(numbers)
        references = numbers.map { references[$0] }
        listed = listed.map { listed in numbers.map { listed[$0] } }
    }

    /// Lets files be found by the names that their entries have now, whatever names the entries get.
    package mutating func keepNames(of entries: [TreeEntry]) {
        if listed == nil { listed = entries }
    }

    package mutating func append(_ other: EntryContents, _ entries: [TreeEntry], _ others: [TreeEntry]) {
        if listed != nil || other.listed != nil { listed = (listed ?? entries) + (other.listed ?? others) }
        let first = UInt32(sources.count)
        sources += other.sources
        references += other.references.map { Reference(source: first + $0.source, number: $0.number) }
    }

    package mutating func edit(_ entries: [TreeEntry], _ origins: [Origin]) {
        var files = EditedFiles()
        let added = UInt32(sources.count)
        let before = (references, listed)
        references = origins.map { origin in
            if case .own(let number) = origin { return before.0[number] }
            files.origins.append(origin)
            return Reference(source: added, number: UInt32(files.origins.count - 1))
        }
        if let known = before.1 {
            listed = zip(entries, origins).map { entry, origin in
                if case .own(let number) = origin { known[number] } else { entry }
            }
        }
        sources.append(files)
    }
}

/// Files that come from no container: generated bytes, and contents that were made for an edit.
private struct EditedFiles: ContentSource {
    var origins: [EntryContents.Origin] = []

    var isLive: Bool { false }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        switch origins[number] {
        case .bytes(let bytes): return InMemoryContent(bytes, as: entry)
        case .opened(let open): return try open()
        case .own: preconditionFailure("an edited file is not the container's own")
        }
    }
}

/// A place where the bytes of files are: a directory, a version of a capsule, an archive. Any thread may use it. A source numbers
/// its files. ``EntryContents`` knows which of them has the bytes of which entry.
package protocol ContentSource: Sendable {
    /// True if files can change while they are read.
    var isLive: Bool { get }

    /// - Parameters:
    ///   - entry: the entry that the file belongs to, as it was listed.
    ///   - number: the number of the file in the source.
    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent
    func makeReader() -> FileReader

    /// Returns the range of a large file that one thread should read from `offset` on: about `length` bytes, cut so that no thread
    /// repeats another one's work. A range that is all zeros may have any length.
    func readRange(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64>

    /// Returns a mark. Files with the same mark are best read by one thread.
    func locality(of number: Int) -> UInt64

    /// True if reading a file that was not fetched before costs a round trip to a server.
    var isRemote: Bool { get }

    /// Fetches the bytes of files that will be read soon.
    func fetch(_ numbers: [Int]) throws(CapsuleError)
}

extension ContentSource {
    package func makeReader() -> FileReader { FileReader(self) }

    package func readRange(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64> {
        offset..<min(size, offset + length)
    }

    package func locality(of number: Int) -> UInt64 { UInt64(number) }
    package var isRemote: Bool { false }
    package func fetch(_ numbers: [Int]) throws(CapsuleError) {}
}

/// Reads the files of a source, one after another. Each thread needs its own. This reader opens each file. Readers of sources
/// that know a shorter way inherit from it.
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

    package func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        try source.open(entry, number: number)
    }

    /// Calls `body` with the bytes of a range of a file, piece by piece in order. Nil means `length` zeros.
    /// - Throws: also for a file that changes while it is read, or that is shorter than its entry says.
    package func forEachPiece(
        of entry: TreeEntry, number: Int, in range: Range<UInt64>, _ body: PieceAction
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
        _ entry: TreeEntry, _ number: Int, _ range: Range<UInt64>, _ body: PieceAction
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

package typealias PieceAction = (_ offset: UInt64, _ length: UInt64, _ bytes: UnsafeRawBufferPointer?) throws(CapsuleError) ->
    Void

/// An open file of a container. Any thread may read it.
package protocol OpenContent: AnyObject, Sendable {
    func status() throws(CapsuleError) -> ContentStatus
    /// Reads until `buffer` is full or the file ends. Returns the number of bytes that were read.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int
    /// Returns the offset of the first data at or after `offset`, as the file system knows it without reading; `offset` if it
    /// doesn't know.
    func nextData(from offset: UInt64) -> UInt64
    /// Returns all holes if the content keeps a list of them; nil if they have to be searched for.
    func holes() -> [Range<UInt64>]?
    func hasSibling(withSuffix suffix: [UInt8]) -> Bool
    /// Returns the extended attributes; nil if the entry already has them.
    func attributes() throws(CapsuleError) -> ExtendedAttributes.Reading?
    /// Compares all bytes with the digest that a capsule has for them, unless that was done before.
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

    /// Returns true if the file is still as it was listed, so that everything read since then belongs together.
    package func isListed(as entry: TreeEntry) -> Bool {
        size == entry.size && modified == entry.modified && mode == entry.mode
    }
}

extension OpenContent {
    /// Nil means `length` zeros.
    /// - Parameter buffer: the buffer for pieces, so no piece with bytes is longer.
    /// - Returns: false for a file that ends before the range does.
    package func forEachPiece(
        in range: Range<UInt64>, by buffer: UnsafeMutableRawBufferPointer, _ body: PieceAction
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

    /// Returns the SHA-256 of the first `size` bytes; for a file that has become shorter, of the pieces that it still has.
    package func digest(size: UInt64, by buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> ContentDigest {
        var hasher = SHA256Hasher()
        _ = try forEachPiece(in: 0..<size, by: buffer) { (_, length, bytes) throws(CapsuleError) in
            try hasher.update(bytes, length: length)
        }
        return hasher.finish()
    }

    package func start(_ count: Int) throws(CapsuleError) -> [UInt8] {
        try [UInt8](reading: count) { (room) throws(CapsuleError) in try read(at: 0, into: room) }
    }

    package func startsDatabase() throws(CapsuleError) -> Bool { try start(DatabaseUnit.magic.count) == DatabaseUnit.magic }
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
