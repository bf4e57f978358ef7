import CapsuleCore
import CapsuleFileSystem

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

/// Opens the files of a container in their order, and remembers where it was. One for each thread.
protocol ContentOpener: AnyObject {
    /// Opens a file; see ``ContentProvider/open(_:number:)``.
    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent
}

extension ContentProvider {
    func makeOpener() -> any ContentOpener { PlainOpener(self) }
}

/// Opens each file on its own.
private final class PlainOpener: ContentOpener {
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
}

extension OpenContent {
    func nextData(from offset: UInt64) -> UInt64 { offset }
    func holes() -> [Range<UInt64>]? { nil }
    func hasSibling(withSuffix suffix: [UInt8]) -> Bool { false }
    func attributes() throws(CapsuleError) -> ExtendedAttributes.Reading? { nil }
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
