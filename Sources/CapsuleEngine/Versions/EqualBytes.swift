/// How far two runs of bytes agree, eight bytes at a time.
enum EqualBytes {
    /// How many bytes are equal from the beginning on.
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

    /// How many bytes are equal from the end on.
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

    /// Little-endian, so that the lowest bits are the first byte's.
    @inline(__always)
    private static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
