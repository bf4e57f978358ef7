/// Space and comments.
extension OpenStepPlistScanner {
    /// Moves behind space and comments.
    mutating func skipSpace() throws(PlistError) {
        while offset < bytes.count {
            let byte = bytes[offset]
            if OpenStepCharacters.isSpace(byte) {
                offset &+= 1
            } else if byte == UInt8(ascii: "/"), self.byte(at: offset + 1) == UInt8(ascii: "/") {
                let start = offset
                while offset < bytes.count, !isLineEnd() { offset &+= 1 }
                try check(start..<offset)
            } else if byte == UInt8(ascii: "/"), self.byte(at: offset + 1) == UInt8(ascii: "*") {
                try skipComment()
            } else if byte == 0xE2, OpenStepCharacters.isSeparator(bytes, at: offset) {
                offset &+= 3
            } else {
                return
            }
        }
    }

    private func isLineEnd() -> Bool {
        let byte = bytes[offset]
        return byte == 0x0A || byte == 0x0D || byte == 0xE2 && OpenStepCharacters.isSeparator(bytes, at: offset)
    }

    private mutating func skipComment() throws(PlistError) {
        let start = offset
        offset &+= 2
        while offset &+ 1 < bytes.count {
            if bytes[offset] == UInt8(ascii: "*"), bytes[offset &+ 1] == UInt8(ascii: "/") {
                offset &+= 2
                return try check(start..<offset)
            }
            offset &+= 1
        }
        throw failure(.syntax, "an unterminated comment", at: start)
    }

    /// Throws unless the range is valid UTF-8 without NUL: with one in front the text would be taken for UTF-16.
    func check(_ range: Range<Int>) throws(PlistError) {
        if let place = UTF8Sequence.firstInvalid(in: bytes, range) { throw failure(.encoding, "not valid UTF-8", at: place) }
        if let place = range.first(where: { bytes[$0] == 0 }) {
            throw failure(.syntax, "a NUL character", at: place, hint: "write \\000")
        }
    }
}
