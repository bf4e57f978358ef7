/// A hash of values that is the same in every process, for putting things into an order that depends on nothing else.
///
/// It protects from nothing: whoever wants two values to have one hash can have that. (FNV-1a, mixed as in SplitMix64)
struct StableHash {
    /// Strings and data longer than this are hashed by their ends and their count.
    private static let hashedBytes = 1024

    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    var value: UInt64 {
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func combine(_ number: UInt64) {
        state = (state ^ number) &* 0x100_0000_01B3
        state ^= state >> 29
    }

    mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        combine(UInt64(bytes.count))
        if bytes.count <= Self.hashedBytes {
            for byte in bytes { combine(UInt64(byte)) }
        } else {
            for byte in bytes.prefix(Self.hashedBytes / 2) { combine(UInt64(byte)) }
            for byte in bytes.suffix(Self.hashedBytes / 2) { combine(UInt64(byte)) }
        }
    }

    mutating func combine(_ string: PlistString) {
        string.withUTF8 { combine(UnsafeRawBufferPointer($0)) }
    }

    /// A scalar's hash; containers have one by their types and sizes only.
    static func of(_ scalar: PlistValue) -> UInt64 {
        var hash = StableHash()
        switch scalar {
        case .null:
            hash.combine(0)
        case .boolean(let boolean):
            hash.combine(boolean ? 1 : 2)
        case .integer(let integer):
            hash.combine(integer.isNegative ? 3 : 4)
            hash.combine(integer.magnitude)
        case .real(let real):
            hash.combine(5)
            hash.combine(real.bitPattern)
        case .date(let seconds):
            hash.combine(6)
            hash.combine(seconds.bitPattern)
        case .string(let string):
            hash.combine(7)
            hash.combine(string)
        case .data(let bytes):
            hash.combine(8)
            bytes.withUnsafeBytes { hash.combine($0) }
        case .uid(let uid):
            hash.combine(9)
            hash.combine(uid)
        case .array(let elements):
            hash.combine(10)
            hash.combine(UInt64(elements.count))
        case .dictionary(let dictionary):
            hash.combine(11)
            hash.combine(UInt64(dictionary.count))
        }
        return hash.value
    }
}
