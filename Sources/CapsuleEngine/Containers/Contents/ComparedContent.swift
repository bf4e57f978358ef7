import CapsuleCore
import CapsuleHashing

/// A content that is compared: its beginning, or all of it where that is no more than memory should hold. For one thread.
final class ComparedContent {
    /// Bytes of a content that is held as a whole.
    static let longest: UInt64 = 64 << 20
    /// Bytes by which a content is told.
    static let headLength = 64 << 10

    let size: UInt64
    private let file: any OpenContent
    private var known: (head: [UInt8]?, all: [UInt8]?)
    /// Whether it could not be read.
    private(set) var hasFailed = false

    init(_ file: any OpenContent, size: UInt64) {
        self.file = file
        self.size = size
    }

    /// A content that is there already.
    init(_ bytes: [UInt8]) {
        file = InMemoryContent(bytes, as: TreeEntry(path: .root, kind: .file, mode: FileMode(0o600), modified: .epoch))
        size = UInt64(bytes.count)
        known.all = bytes
    }

    /// The first bytes.
    func head() throws(CapsuleError) -> [UInt8] {
        if let all = known.all { return Array(all.prefix(Self.headLength)) }
        if let head = known.head { return head }
        let head = try read(Int(min(size, UInt64(Self.headLength))))
        known.head = head
        return head
    }

    /// All bytes; nil if they are more than ``longest``.
    func all() throws(CapsuleError) -> [UInt8]? {
        if let all = known.all { return all }
        guard size <= Self.longest else { return nil }
        let all = try read(Int(size))
        known.all = all
        return all
    }

    /// What goes through the content a piece at a time.
    func window(capacity: Int) -> ContentWindow { ContentWindow(file, length: size, capacity: capacity) }

    /// Compares all of it with its digest, where a capsule has one.
    func compare() throws(CapsuleError) {
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
