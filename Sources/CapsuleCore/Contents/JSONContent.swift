public import CapsulePropertyList

/// JSON of any kind, as values to compare.
public enum JSONContent {
    /// Not much deeper than what people write, and no more than is compared in good time.
    public static let limits = PlistLimits(documentBytes: 1 << 28)

    /// The value of a whole document, null included. (RFC 8259)
    ///
    /// - Throws: for all that would be lost: a key that comes twice, an integer beyond 64 bits, a real beyond what doubles hold,
    ///   unpaired surrogates.
    public static func read(_ bytes: [UInt8], limits: PlistLimits = limits) throws(PlistError) -> PlistValue {
        try PlistReader.read(bytes, accepting: [.json], limits: limits).value
    }

    /// Whether the beginning of a file is a JSON value, a line's end and then more: a log of values in lines is compared as text.
    static func isLines(_ head: [UInt8]) -> Bool {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for (offset, byte) in head.enumerated() {
            if isInString {
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return opens(head[(offset + 1)...]) }
            default: break
            }
        }
        return false
    }

    /// Whether a value opens in a later line.
    private static func opens(_ rest: ArraySlice<UInt8>) -> Bool {
        var hasLine = false
        for byte in rest {
            switch byte {
            case 0x0A: hasLine = true
            case 0x20, 0x09, 0x0D: break
            default: return hasLine && (byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["))
            }
        }
        return false
    }
}
