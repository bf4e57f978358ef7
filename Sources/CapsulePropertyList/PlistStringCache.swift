/// Strings that were read a moment ago, so that a key that every element of an array has is made, and held, once.
struct PlistStringCache {
    /// Longer strings are seldom repeated; up to 15 bytes a string needs no storage that could be shared.
    private static let lengths = 16...64
    private static let size = 256

    private var strings = [PlistString](repeating: "", count: size)

    /// A string of these bytes, which must be valid UTF-8.
    mutating func string(_ utf8: UnsafeRawBufferPointer) -> PlistString {
        guard Self.lengths.contains(utf8.count) else { return PlistString(valid: utf8) }
        // Only the speed depends on how well this spreads.
        let head = utf8.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        let tail = utf8.loadUnaligned(fromByteOffset: utf8.count - 8, as: UInt64.self)
        let mixed = (head &* 0x9E37_79B9_7F4A_7C15) ^ (tail &* 0xC2B2_AE3D_27D4_EB4F) &+ UInt64(utf8.count)
        let slot = Int((mixed ^ mixed >> 32) >> 24 & UInt64(Self.size - 1))
        if strings[slot].utf8.count == utf8.count {
            let isSame = strings[slot].withUTF8 { known in
                known.firstDifference(from: utf8.assumingMemoryBound(to: UInt8.self)) == nil
            }
            if isSame { return strings[slot] }
        }
        let string = PlistString(valid: utf8)
        strings[slot] = string
        return string
    }
}
