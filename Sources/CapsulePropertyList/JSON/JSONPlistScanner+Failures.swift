/// What is said about text that is not JSON.
extension JSONPlistScanner {
    /// True for what a number or a literal can't be followed by.
    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"), 0x80...:
            true
        default: false
        }
    }

    func keyFailure(_ byte: UInt8) -> PlistError {
        switch byte {
        case UInt8(ascii: "}"):
            failure(.syntax, "a comma before }", at: offset)
        case UInt8(ascii: "/"), UInt8(ascii: "#"):
            commentFailure()
        default:
            failure(.syntax, "a key without double quotes", at: offset)
        }
    }

    func valueFailure(_ byte: UInt8) -> PlistError {
        switch byte {
        case UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ","):
            failure(.syntax, "no value before \(Unicode.Scalar(byte))", at: offset)
        case UInt8(ascii: "'"):
            failure(.syntax, "a string without double quotes", at: offset)
        case UInt8(ascii: "/"), UInt8(ascii: "#"):
            commentFailure()
        case UInt8(ascii: "."), UInt8(ascii: "+"):
            failure(
                .invalidScalar, "not a valid JSON number", at: offset,
                hint: "write no plus sign, and digits on both sides of the decimal point")
        default:
            wordFailure()
        }
    }

    func controlFailure() -> PlistError {
        let number = String(bytes[offset], radix: 16, uppercase: true)
        return failure(
            .syntax, "the control character U+\(String(repeating: "0", count: 4 - number.count))\(number) in a string",
            at: offset, hint: "write a newline as \\n and a tab as \\t")
    }

    private func commentFailure() -> PlistError {
        failure(.syntax, "JSON has no comments", at: offset)
    }

    private func wordFailure() -> PlistError {
        var end = offset
        while end < min(bytes.count, offset + 32), Self.isWord(bytes[end]), bytes[end] < 0x80 { end += 1 }
        let word = String(decoding: bytes[offset..<end], as: UTF8.self)
        let hint: String? =
            switch word.lowercased() {
            case "true", "yes": "write true"
            case "false", "no": "write false"
            case "null", "nil", "none", "undefined": "write null"
            case "nan", "infinity", "-infinity": "JSON has no such number"
            default: nil
            }
        return failure(.syntax, word.isEmpty ? "not a value" : "\(word) is not a value", at: offset, hint: hint)
    }
}
