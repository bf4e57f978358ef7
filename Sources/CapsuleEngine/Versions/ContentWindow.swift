import CapsuleCore
import CapsuleHashing

/// A content of which some is in memory at a time.
final class ContentWindow {
    let length: UInt64
    let capacity: UInt64
    private let content: any OpenContent
    private let room: UnsafeMutableRawBufferPointer
    /// What is in ``room`` from its beginning on.
    private var held: Range<UInt64> = 0..<0

    init(_ content: any OpenContent, length: UInt64, capacity: Int) {
        self.content = content
        self.length = length
        self.capacity = UInt64(capacity)
        room = .allocate(byteCount: capacity, alignment: 64)
    }

    deinit { room.deallocate() }

    /// Bytes that stay until the next call; what the content turns out not to have is zeros.
    ///
    /// - Parameter range: no longer than ``capacity``.
    func bytes(in range: Range<UInt64>) throws(CapsuleError) -> UnsafeRawBufferPointer {
        if range.lowerBound < held.lowerBound || range.upperBound > held.upperBound {
            try CapsuleError.checkInterruption()
            held = 0..<0
            let wanted = UnsafeMutableRawBufferPointer(rebasing: room[..<Int(range.upperBound - range.lowerBound)])
            let count = try content.read(at: range.lowerBound, into: wanted)
            UnsafeMutableRawBufferPointer(rebasing: wanted[count...]).initializeMemory(as: UInt8.self, repeating: 0)
            held = range
        }
        let start = Int(range.lowerBound - held.lowerBound)
        return UnsafeRawBufferPointer(rebasing: room[start..<start + Int(range.upperBound - range.lowerBound)])
    }

    /// The SHA-256 of all of it.
    func digest() throws(CapsuleError) -> ContentDigest {
        var hasher = SHA256Hasher()
        var at: UInt64 = 0
        while at < length {
            let end = min(length, at + capacity)
            hasher.update(try bytes(in: at..<end))
            at = end
        }
        return hasher.finish()
    }
}
