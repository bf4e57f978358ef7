import CapsulePropertyList
import TestSupport

/// Random property lists.
extension SeededGenerator {
    /// A value that XML can hold, with containers up to the depth.
    mutating func value(depth: Int) -> PlistValue {
        switch UInt8.random(in: 0..<(depth > 0 ? 12 : 8), using: &self) {
        case 0: return .string(string())
        case 1: return .integer(integer())
        case 2: return .real(real())
        case 3: return .boolean(Bool.random(using: &self))
        case 4: return .date(Double(Int.random(in: -63_145_526_400...252_423_993_599, using: &self)))
        case 5: return .data((0..<Int.random(in: 0...200, using: &self)).map { _ in UInt8(truncatingIfNeeded: next()) })
        case 6: return .uid(next() >> UInt64.random(in: 0..<64, using: &self))
        case 7: return .string(string())
        case 8, 9: return .array((0..<Int.random(in: 0...6, using: &self)).map { _ in value(depth: depth - 1) })
        default:
            let count = Bool.random(using: &self) ? Int.random(in: 0...4, using: &self) : Int.random(in: 0...40, using: &self)
            return .dictionary(PlistDictionary((0..<count).map { _ in (string(), value(depth: depth - 1)) }))
        }
    }

    mutating func integer() -> PlistInteger {
        let bits = next() >> UInt64.random(in: 0..<64, using: &self)
        return Bool.random(using: &self) ? PlistInteger(bits) : PlistInteger(0 &- Int64(bits >> 1))
    }

    mutating func real() -> Double {
        let special: [Double] = [0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1, 0.1]
        if UInt8.random(in: 0..<4, using: &self) == 0 { return special[Int.random(in: 0..<special.count, using: &self)] }
        let any = Double(bitPattern: next())
        return any.isNaN ? .nan : any
    }

    mutating func string() -> PlistString {
        let pieces = [
            "a", "Key", " ", "\t", "\n", "\r", "\r\n", "&", "<", ">", "]]>", "\"", "'", "&amp;", "é", "e\u{301}", "日本", "😀",
            "\u{FFFD}", "\u{85}", "\u{2028}", "\u{1FFFE}", "\u{7F}", "/", "~", "a longer piece of plain text",
        ]
        let count = Int.random(in: 0...8, using: &self)
        return PlistString((0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &self)] }.joined())
    }
}
