import CapsuleCore

/// A content with the facts that a record states of it, whatever the file has that it comes from: so an overlay comes out the same
/// of a live container as of a stored one.
final class StatedContent: OpenContent {
    private let content: any OpenContent
    private let entry: TreeEntry

    init(_ content: any OpenContent, as entry: TreeEntry) {
        self.content = content
        self.entry = entry
    }

    func status() -> ContentStatus {
        ContentStatus(size: entry.size, mode: entry.mode, modified: entry.modified, live: nil)
    }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        guard offset < entry.size else { return 0 }
        let count = Int(min(UInt64(buffer.count), entry.size - offset))
        return try content.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }

    var uncompared: any OpenContent { StatedContent(content.uncompared, as: entry) }

    func compare() throws(CapsuleError) { try content.compare() }

    func nextData(from offset: UInt64) -> UInt64 { min(max(offset, entry.size), content.nextData(from: offset)) }
}
