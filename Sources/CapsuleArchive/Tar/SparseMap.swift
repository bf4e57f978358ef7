/// Where a file's bytes are zeros that need not be stored: whole aligned blocks of 64 KiB.
package struct SparseMap: Hashable, Sendable {
    /// The unit of a hole, in bytes.
    package static let blockLength = CapsuleLimits.zerosLength

    /// The file's length.
    package let size: UInt64
    /// In order, not touching each other.
    package private(set) var holes: [Range<UInt64>]

    /// A file without holes.
    package init(size: UInt64) {
        self.size = size
        holes = []
    }

    /// Notes that a range, which follows the ones before, is zeros.
    package mutating func addHole(_ range: Range<UInt64>) {
        if range.isEmpty { return }
        if let last = holes.last, last.upperBound == range.lowerBound {
            holes[holes.count - 1] = last.lowerBound..<range.upperBound
        } else {
            holes.append(range)
        }
    }

    /// The ranges that are stored, in order.
    package var data: [Range<UInt64>] {
        var data: [Range<UInt64>] = []
        var at: UInt64 = 0
        for hole in holes {
            if hole.lowerBound > at { data.append(at..<hole.lowerBound) }
            at = hole.upperBound
        }
        if at < size { data.append(at..<size) }
        return data
    }

    /// How many bytes are stored.
    package var storedLength: UInt64 { holes.reduce(size) { $0 - ($1.upperBound - $1.lowerBound) } }

    /// The map of a file that is wholly in memory.
    package init(of bytes: UnsafeRawBufferPointer) {
        self.init(size: UInt64(bytes.count))
        let block = Int(Self.blockLength)
        for start in stride(from: 0, through: bytes.count - block, by: block)
        where Self.isZeros(UnsafeRawBufferPointer(rebasing: bytes[start..<start + block])) {
            addHole(UInt64(start)..<UInt64(start + block))
        }
    }

    /// Whether all bytes are zero.
    package static func isZeros(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        while at + 8 <= bytes.count {
            if bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) != 0 { return false }
            at += 8
        }
        while at < bytes.count {
            if bytes[at] != 0 { return false }
            at += 1
        }
        return true
    }
}
