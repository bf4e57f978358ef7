/// How a path is written in a URL (RFC 3986, section 2.1).
enum PercentEncoding {
    private static let plain = Array("-._~!$&'()*+,=:@/".utf8)

    /// Whether a byte can't stand in a URL's path as it is; a percent sign is taken for the start of an escape.
    static func isNeeded(for byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            false
        case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: ";"): false
        default: !plain.contains(byte)
        }
    }

    /// The path with escapes for what can't stand in a URL's path, or would mean something there.
    static func encoded(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            if isNeeded(for: byte) || "%?#;".utf8.contains(byte) {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The path without escapes; a percent sign that begins none stands for itself.
    static func decoded(_ text: String) -> String {
        let source = Array(text.utf8)
        var bytes: [UInt8] = []
        var at = 0
        while at < source.count {
            if source[at] == UInt8(ascii: "%"), at + 2 < source.count, let high = digit(source[at + 1]),
                let low = digit(source[at + 2])
            {
                bytes.append(high << 4 | low)
                at += 3
            } else {
                bytes.append(source[at])
                at += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
