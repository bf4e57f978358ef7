/// What is said about text that is no OpenStep property list.
extension OpenStepPlistScanner {
    /// About something that does not belong where it is; `place` is behind what it follows, where that counts.
    func failure(misplaced message: String, at place: Int? = nil) -> PlistError {
        let byte = byte(at: offset)
        let isOdd = byte >= 0x80 || byte < 0x20 || Self.oddCharacters.contains(Unicode.Scalar(byte))
        return failure(
            .syntax, message, at: place ?? offset,
            hint: isOdd ? "quote strings with characters other than letters, digits and _ $ / : . -" : nil)
    }

    /// What often is in strings without quotation marks, and may not be.
    private static let oddCharacters: [Unicode.Scalar] = [
        "@", "+", "*", "!", "?", "&", "%", "#", "~", "^", "[", "]", "|", "\\", "`",
    ]

    func keyFailure(_ byte: UInt8) -> PlistError {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "<"):
            failure(.syntax, "a key that is not a string", at: offset)
        case UInt8(ascii: "}"):
            failure(.syntax, "a } without a {", at: offset)
        case UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: ","):
            failure(.syntax, "no key before \(Unicode.Scalar(byte))", at: offset)
        default:
            failure(misplaced: "expected a key or the end of the dictionary")
        }
    }

    func valueFailure(_ byte: UInt8) -> PlistError {
        switch byte {
        case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            failure(.syntax, "no value before \(Unicode.Scalar(byte))", at: offset)
        case UInt8(ascii: "["):
            failure(.syntax, "not a value", at: offset, hint: "write an array as (a, b)")
        default:
            failure(misplaced: "not a value")
        }
    }
}
