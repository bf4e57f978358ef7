package import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// A content to compare: its beginning, or all of it if it is short enough to hold in memory. For one thread.
package final class ComparedContent {
    package static let longest: UInt64 = 64 << 20
    static let headLength = 64 << 10

    package let size: UInt64
    private let file: any OpenContent
    private var known: (head: [UInt8]?, all: [UInt8]?)
    package private(set) var hasFailed = false

    package init(_ file: any OpenContent, size: UInt64) {
        self.file = file
        self.size = size
    }

    package init(_ bytes: [UInt8]) {
        file = InMemoryContent(bytes, as: TreeEntry(path: .root, kind: .file, mode: FileMode(0o600), modified: .epoch))
        size = UInt64(bytes.count)
        known.all = bytes
    }

    package func head() throws(CapsuleError) -> [UInt8] {
        if let all = known.all { return Array(all.prefix(Self.headLength)) }
        if let head = known.head { return head }
        let head = try read(Int(min(size, UInt64(Self.headLength))))
        known.head = head
        return head
    }

    package func all() throws(CapsuleError) -> [UInt8]? {
        if let all = known.all { return all }
        guard size <= Self.longest else { return nil }
        let all = try read(Int(size))
        known.all = all
        return all
    }

    package func window(capacity: Int) -> ContentWindow { ContentWindow(file, length: size, capacity: capacity) }

    /// Compares all of the content with its digest, if it is from a capsule.
    package func compare() throws(CapsuleError) {
        do throws(CapsuleError) {
            try file.compare()
        } catch {
            hasFailed = true
            throw error
        }
    }

    private func read(_ count: Int) throws(CapsuleError) -> [UInt8] {
        try CapsuleError.checkInterruption()
        do throws(CapsuleError) {
            return try file.start(count)
        } catch {
            hasFailed = true
            throw error
        }
    }
}

/// A content of which only a part is in memory at a time.
package final class ContentWindow {
    package let length: UInt64
    package let capacity: UInt64
    private let content: any OpenContent
    private let room: UnsafeMutableRawBufferPointer
    private var held: Range<UInt64> = 0..<0

    package init(_ content: any OpenContent, length: UInt64, capacity: Int) {
        self.content = content
        self.length = length
        self.capacity = UInt64(capacity)
        room = .allocate(byteCount: capacity, alignment: 64)
    }

    deinit { room.deallocate() }

    /// Returns a window on the same content, for another thread.
    package func another() -> ContentWindow { ContentWindow(content, length: length, capacity: Int(capacity)) }

    /// Returns bytes that are valid until the next call. Bytes that the content turns out not to have are zeros.
    package func bytes(in range: Range<UInt64>) throws(CapsuleError) -> UnsafeRawBufferPointer {
        if range.lowerBound < held.lowerBound || range.upperBound > held.upperBound {
            try CapsuleError.checkInterruption()
            held = 0..<0
            let wanted = UnsafeMutableRawBufferPointer(rebasing: room[..<Int(range.length)])
            let count = try content.read(at: range.lowerBound, into: wanted)
            UnsafeMutableRawBufferPointer(rebasing: wanted[count...]).initializeMemory(as: UInt8.self, repeating: 0)
            held = range
        }
        let start = Int(range.lowerBound - held.lowerBound)
        return UnsafeRawBufferPointer(rebasing: room[start..<start + Int(range.length)])
    }

    package func digest() throws(CapsuleError) -> ContentDigest {
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
