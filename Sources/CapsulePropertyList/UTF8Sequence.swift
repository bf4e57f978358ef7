/// Multibyte characters of UTF-8.
enum UTF8Sequence {
    /// The length of the multibyte sequence at the offset; 0 if it is not valid. (Unicode, table 3-7)
    static func length(in bytes: UnsafeRawBufferPointer, at offset: Int, end: Int) -> Int {
        let lead = bytes[offset]
        let length: Int
        // The second byte's range is what keeps out overlong forms, surrogates and numbers beyond Unicode.
        let second: ClosedRange<UInt8>
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard length <= end - offset, second.contains(bytes[offset + 1]) else { return 0 }
        for place in offset + 2..<max(offset + length, offset + 2) where bytes[place] & 0xC0 != 0x80 { return 0 }
        return length
    }

    /// The offset of the first byte in the range that is not part of valid UTF-8.
    static func firstInvalid(in bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        var offset = range.lowerBound
        while offset < range.upperBound {
            if bytes[offset] < 0x80 {
                offset &+= 1
            } else {
                let length = length(in: bytes, at: offset, end: range.upperBound)
                guard length > 0 else { return offset }
                offset &+= length
            }
        }
        return nil
    }
}
