/// How the characters of a text are written as bytes.
public enum TextEncoding: String, Hashable, Sendable, CaseIterable {
    /// A byte or more to a character; ASCII is of this kind.
    case utf8 = "utf-8"
    /// Units of two bytes, the lower one first.
    case utf16LittleEndian = "utf-16le"
    /// Units of two bytes, the upper one first.
    case utf16BigEndian = "utf-16be"

    /// The encoding by a byte order mark, else UTF-16 where every other byte is zero, else UTF-8; and the mark's length in bytes.
    /// Whether the bytes are a text in it is not said. (Unicode 16.0, section 23.8, and RFC 2781)
    static func detect(_ bytes: [UInt8]) -> (encoding: TextEncoding, markBytes: Int) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        return (pattern(bytes), 0)
    }

    /// Valid UTF-8 in this encoding, behind a byte order mark if one is wanted.
    func bytes(of utf8: [UInt8], hasMark: Bool) -> [UInt8] {
        let mark: [UInt8] = hasMark ? [0xEF, 0xBB, 0xBF] : []
        if self == .utf8 { return mark.isEmpty ? utf8 : mark + utf8 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * (mark.count + utf8.count))
        for unit in String(decoding: mark + utf8, as: UTF8.self).utf16 {
            let (upper, lower) = (UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit))
            bytes.append(self == .utf16BigEndian ? upper : lower)
            bytes.append(self == .utf16BigEndian ? lower : upper)
        }
        return bytes
    }

    /// Units that are looked at, and how few of them tell nothing.
    private static let patternUnits = (least: 4, most: 2048)

    /// Most characters of a text that is clear without a mark are of Latin-1, whose upper byte is zero; none has a lower byte of
    /// zero with an upper one of zero, which is what other content has.
    private static func pattern(_ bytes: [UInt8]) -> TextEncoding {
        let units = min(bytes.count / 2, patternUnits.most)
        guard units >= patternUnits.least else { return .utf8 }
        var zeros = (even: 0, odd: 0)
        for unit in 0..<units {
            if bytes[2 * unit] == 0 { zeros.even += 1 }
            if bytes[2 * unit + 1] == 0 { zeros.odd += 1 }
        }
        if zeros.even == 0, zeros.odd * 4 >= units * 3 { return .utf16LittleEndian }
        if zeros.odd == 0, zeros.even * 4 >= units * 3 { return .utf16BigEndian }
        return .utf8
    }
}
