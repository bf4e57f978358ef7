import CapsuleArchive
import CapsuleContainers
import CapsuleCore

/// The parts of a file's new content that its old content already has.
struct ContentDelta: Sendable, Equatable {
    /// The ranges of the new content that the old one has, in the order of the new content. None directly continues the one
    /// before it.
    let copies: [CopiedRange]

    /// Reads both contents in windows. Databases are compared by their pages, everything else is cut into chunks by content. A
    /// content that is shorter than its length is read as if zeros followed. The caller must compare what it makes of the copies
    /// with the new content, which may have changed in the meantime.
    /// - Parameter tuning: the lengths, which tests make short.
    init(
        from old: any OpenContent, length oldLength: UInt64, to new: any OpenContent, length: UInt64, threads: Int = 1,
        tuning: DeltaTuning = .standard
    ) throws(CapsuleError) {
        let comparison = DeltaMatcher(
            old: ContentWindow(old, length: oldLength, capacity: tuning.windowLength),
            new: ContentWindow(new, length: length, capacity: tuning.windowLength), tuning: tuning)
        // Shorter ones are not worth an extent.
        copies = try comparison.matches(threads: threads).filter { $0.length >= tuning.shortestMatch }
    }
}

/// The lengths that a delta works with.
struct DeltaTuning: Sendable {
    var windowLength = 512 << 10
    var chunkSizes = Chunker.Sizes.standard
    /// The shortest range of old content that is worth an extent. It is also the unit in which parallel contents are compared.
    var shortestMatch: UInt64 = 4 << 10

    static let standard = DeltaTuning()
}

/// Counts the bytes that are equal in two buffers, eight bytes at a time.
enum EqualBytes {
    static func prefix(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Int {
        let count = min(lhs.count, rhs.count)
        guard let left = lhs.baseAddress, let right = rhs.baseAddress else { return 0 }
        var at = 0
        while at + 32 <= count {
            let first = (word(left, at) ^ word(right, at)) | (word(left, at + 8) ^ word(right, at + 8))
            let second = (word(left, at + 16) ^ word(right, at + 16)) | (word(left, at + 24) ^ word(right, at + 24))
            if (first | second) != 0 { break }
            at += 32
        }
        while at + 8 <= count {
            let difference = word(left, at) ^ word(right, at)
            if difference != 0 { return at + difference.trailingZeroBitCount / 8 }
            at += 8
        }
        while at < count, lhs[at] == rhs[at] { at += 1 }
        return at
    }

    static func suffix(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Int {
        let count = min(lhs.count, rhs.count)
        guard let left = lhs.baseAddress, let right = rhs.baseAddress else { return 0 }
        var done = 0
        while done + 8 <= count {
            let difference = word(left, lhs.count - done - 8) ^ word(right, rhs.count - done - 8)
            if difference != 0 { return done + difference.leadingZeroBitCount / 8 }
            done += 8
        }
        while done < count, lhs[lhs.count - done - 1] == rhs[rhs.count - done - 1] { done += 1 }
        return done
    }

    /// Returns a word in little-endian order, so that its lowest bits are the first byte.
    @inline(__always)
    private static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
