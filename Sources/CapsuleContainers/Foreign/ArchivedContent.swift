import CapsuleArchive
import CapsuleCore
import CapsuleSystem

/// The files of a foreign archive, in a private file.
struct ArchivedContent: ContentSource {
    private let content: ForeignContent

    var isLive: Bool { false }
    init(_ content: ForeignContent) { self.content = content }

    func open(_ entry: TreeEntry, number: Int) -> any OpenContent {
        SpooledContent(content, entry: entry, number: number)
    }

    func readRange(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64> {
        let data = min(size, content.nextData(of: number, from: offset) ?? size)
        return offset..<max(data, min(size, offset + length))
    }

    func locality(of number: Int) -> UInt64 { content.place(of: number) }
}

/// A file of an archive, open for reading by offset.
private final class SpooledContent: OpenContent {
    private let content: ForeignContent
    private let entry: TreeEntry
    private let number: Int

    init(_ content: ForeignContent, entry: TreeEntry, number: Int) {
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
        content.nextData(of: number, from: offset) ?? entry.size
    }
}
