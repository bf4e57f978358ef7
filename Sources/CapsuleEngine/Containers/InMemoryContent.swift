import CapsuleCore
import CapsuleFileSystem

/// A file that is made up: its bytes and facts.
final class InMemoryContent: OpenContent {
    private let bytes: [UInt8]
    private let entry: TreeEntry

    init(_ bytes: [UInt8], as entry: TreeEntry) {
        self.bytes = bytes
        self.entry = entry
    }

    func status() -> ContentStatus {
        ContentStatus(size: UInt64(bytes.count), mode: entry.mode, modified: entry.modified, live: nil)
    }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset < UInt64(bytes.count) else { return 0 }
        let part = bytes[Int(offset)...].prefix(buffer.count)
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<part.count]).copyBytes(from: part)
        return part.count
    }
}
