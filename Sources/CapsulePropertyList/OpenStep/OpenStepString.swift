/// How the canonical form spells strings and keys.
enum OpenStepString {
    /// Appends a string, in quotation marks if it needs them.
    static func append(_ string: PlistString, to text: inout TextBuffer) {
        guard isPlain(string) else { return appendQuoted(string, to: &text) }
        string.withUTF8 { text.append(UnsafeRawBufferPointer($0)) }
    }

    static func appendQuoted(_ string: PlistString, to text: inout TextBuffer) {
        text.append(UInt8(ascii: "\""))
        string.withUTF8 { appendEscaped(UnsafeRawBufferPointer($0), to: &text) }
        text.append(UInt8(ascii: "\""))
    }

    /// True for what every reader takes without quotation marks. Apple's takes `-` too, but Xcode quotes it; `//` could
    /// be a comment.
    static func isPlain(_ string: PlistString) -> Bool {
        string.withUTF8 { isPlain(UnsafeRawBufferPointer($0)) }
    }

    private static func isPlain(_ characters: UnsafeRawBufferPointer) -> Bool {
        var last: UInt8 = 0
        for byte in characters {
            guard OpenStepCharacters.isUnquoted(byte), byte != UInt8(ascii: "-") else { return false }
            if byte == UInt8(ascii: "/"), last == byte { return false }
            last = byte
        }
        return !characters.isEmpty
    }

    /// Appends characters, with quotation marks, backslashes and control characters escaped.
    private static func appendEscaped(_ characters: UnsafeRawBufferPointer, to text: inout TextBuffer) {
        let digits: StaticString = "0123456789abcdef"
        var start = 0
        for place in 0..<characters.count {
            let byte = characters[place]
            let letter = OpenStepCharacters.letter(for: byte)
            guard letter != nil || byte < 0x20 || byte == 0x7F else { continue }
            text.append(UnsafeRawBufferPointer(rebasing: characters[start..<place]))
            text.append(UInt8(ascii: "\\"))
            if let letter {
                text.append(letter)
            } else {
                text.append("U00")
                text.append(digits.utf8Start[Int(byte >> 4)])
                text.append(digits.utf8Start[Int(byte & 0xF)])
            }
            start = place + 1
        }
        text.append(UnsafeRawBufferPointer(rebasing: characters[start...]))
    }
}
