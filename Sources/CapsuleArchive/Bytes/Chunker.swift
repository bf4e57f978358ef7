/// Divides bytes at places that depend on their content, so that the same bytes are divided in the same way at any offset.
///
/// A gear hash over the last 64 bytes decides. Before the average length the condition is stricter and after it weaker, so most
/// chunks have about the average length (Xia et al., "FastCDC", 2016).
package struct Chunker: Sendable {
    /// The lengths of chunks in bytes. The average must be a power of two.
    package struct Sizes: Sendable {
        let minimum: Int
        let average: Int
        let maximum: Int

        package init(minimum: Int, average: Int, maximum: Int) {
            self.minimum = minimum
            self.average = average
            self.maximum = maximum
        }

        /// The sizes that measured best (docs/architecture.md, section 5).
        package static let standard = Sizes(minimum: 4 << 10, average: 16 << 10, maximum: 64 << 10)
    }

    private let sizes: Sizes
    private let hardMask: UInt64
    private let easyMask: UInt64
    private var length = 0
    private var hash: UInt64 = 0

    package init(_ sizes: Sizes) {
        self.sizes = sizes
        let bits = sizes.average.trailingZeroBitCount
        hardMask = Self.mask(bits + 2)
        easyMask = Self.mask(bits - 2)
    }

    private static func mask(_ bits: Int) -> UInt64 { ~(UInt64.max >> UInt64(bits)) }

    /// Reads bytes up to and including the first cut.
    /// - Returns: the number of bytes that were read, and true if a chunk ends there. Otherwise all bytes were read.
    package mutating func consume(_ bytes: UnsafeRawBufferPointer) -> (count: Int, isCut: Bool) {
        var place = 0
        if length < sizes.minimum {
            place = min(bytes.count, sizes.minimum - length)
            length += place
        }
        let isFound =
            cut(bytes, &place, until: sizes.average, hardMask) || cut(bytes, &place, until: sizes.maximum, easyMask)
        guard isFound || length >= sizes.maximum else { return (bytes.count, false) }
        length = 0
        hash = 0
        return (place, true)
    }

    private mutating func cut(_ bytes: UnsafeRawBufferPointer, _ place: inout Int, until limit: Int, _ mask: UInt64) -> Bool {
        guard length < limit else { return false }
        let end = min(bytes.count, place + (limit - length))
        var at = place
        var hash = hash
        let isFound = Self.gear.withUnsafeBufferPointer { gear in
            while at < end {
                hash = (hash << 1) &+ gear[Int(bytes[at])]
                at += 1
                if hash & mask == 0 { return true }
            }
            return false
        }
        length += at - place
        place = at
        self.hash = hash
        return isFound
    }

    /// Pseudorandom numbers that are always the same (SplitMix64).
    private static let gear: [UInt64] = {
        var state: UInt64 = 0x4341_5053_554C_4531
        return (0..<256).map { _ in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }()
}
