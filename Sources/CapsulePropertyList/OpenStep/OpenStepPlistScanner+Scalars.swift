/// Where strings and data end, and what they say.
extension OpenStepPlistScanner {
    /// Moves behind the data that begins here.
    mutating func passData() throws(PlistError) {
        let start = offset
        switch byte(at: start + 1) {
        case UInt8(ascii: "*"), UInt8(ascii: "["):
            throw failure(
                .unsupported, "a typed GNUstep value", at: start,
                hint: "OpenStep property lists have strings and data only; write a string, or save the file as XML")
        default: break
        }
        while offset < bytes.count, bytes[offset] != UInt8(ascii: ">") { offset &+= 1 }
        guard offset < bytes.count else { throw failure(.syntax, "the text ends inside data", at: offset) }
        offset &+= 1
    }

    /// Moves behind the string that begins here, quoted or not.
    mutating func passString() throws(PlistError) {
        let quote = bytes[offset]
        let start = offset
        hasEscapes = false
        guard OpenStepCharacters.isQuote(quote) else {
            while offset < bytes.count, OpenStepCharacters.isUnquoted(bytes[offset]) { offset &+= 1 }
            return
        }
        offset &+= 1
        scan: while true {
            while offset &+ 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                let stops = OpenStepCharacters.stops(in: word, quote: quote)
                guard stops == 0 else {
                    offset &+= stops.trailingZeroBitCount >> 3
                    break
                }
                offset &+= 8
            }
            while offset < bytes.count {
                if bytes[offset] == quote { break scan }
                if bytes[offset] == UInt8(ascii: "\\") {
                    hasEscapes = true
                    offset = min(offset &+ 2, bytes.count)
                    continue scan
                }
                offset &+= 1
            }
            throw failure(.syntax, "the text ends inside a string", at: start)
        }
        try check(start..<offset)
        offset &+= 1
    }

    /// The characters of the last token, a key or string, with escapes resolved; valid until the next call.
    mutating func string() throws(PlistError) -> UnsafeRawBufferPointer {
        guard OpenStepCharacters.isQuote(byte(at: tokenStart)) else {
            return UnsafeRawBufferPointer(rebasing: bytes[token])
        }
        let inside = tokenStart + 1..<max(offset - 1, tokenStart + 1)
        guard hasEscapes else { return UnsafeRawBufferPointer(rebasing: bytes[inside]) }
        assembled.removeAll()
        var place = inside.lowerBound
        while place < inside.upperBound {
            let start = place
            while place < inside.upperBound, bytes[place] != UInt8(ascii: "\\") { place &+= 1 }
            assembled.append(UnsafeRawBufferPointer(rebasing: bytes[start..<place]))
            if place < inside.upperBound { try appendEscape(at: &place, end: inside.upperBound) }
        }
        return assembled.bytes
    }

    private mutating func appendEscape(at place: inout Int, end: Int) throws(PlistError) {
        let start = place
        let letter = bytes[start + 1]
        place += 1
        switch letter {
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            let number = number(at: &place, end: end, digits: 3, isHexadecimal: false)
            guard number <= 0xFF, let character = NextStepCharacters.character(UInt8(number)) else {
                throw failure(
                    .syntax, "an octal escape that is not a NeXTSTEP character", at: start,
                    hint: "write \\U and four hexadecimal digits")
            }
            assembled.append(character)
        case UInt8(ascii: "U"):
            try appendCodeUnit(at: &place, from: start, end: end)
        default:
            place += 1
            if let character = OpenStepCharacters.character(ofEscape: letter) {
                assembled.append(character)
            } else {
                // Whatever else is behind a backslash, `"`, `\`, a line end, stands for itself. If it is the first byte
                // of a longer character, the others follow by themselves.
                assembled.append(letter)
            }
        }
    }

    /// Appends what `\U` and up to four digits stand for: a code unit of UTF-16, of which a second such escape may be
    /// the other half.
    private mutating func appendCodeUnit(at place: inout Int, from start: Int, end: Int) throws(PlistError) {
        place += 1
        let digits = place
        var number = number(at: &place, end: end, digits: 4, isHexadecimal: true)
        guard place > digits else { throw failure(.syntax, "\\U without digits", at: start) }
        if number & 0xFC00 == 0xD800, place + 1 < end, bytes[place] == UInt8(ascii: "\\"), bytes[place + 1] == UInt8(ascii: "U") {
            place += 2
            let low = self.number(at: &place, end: end, digits: 4, isHexadecimal: true)
            if low & 0xFC00 == 0xDC00 { number = 0x1_0000 + (number & 0x3FF) << 10 + (low & 0x3FF) }
        }
        guard let scalar = Unicode.Scalar(number) else {
            throw failure(.syntax, "an unpaired escaped surrogate", at: start)
        }
        assembled.append(scalar)
    }

    /// The number of the digits that come next, at most so many.
    private func number(at place: inout Int, end: Int, digits: Int, isHexadecimal: Bool) -> UInt32 {
        var number: UInt32 = 0
        let last = min(place + digits, end)
        while place < last, let digit = XMLPlistScalars.digit(bytes[place], isHexadecimal: isHexadecimal),
            isHexadecimal || digit < 8
        {
            number = number << (isHexadecimal ? 4 : 3) | UInt32(digit)
            place += 1
        }
        return number
    }

    /// The bytes of the last token, data.
    func data() throws(PlistError) -> [UInt8] {
        var data: [UInt8] = []
        data.reserveCapacity(token.count / 2)
        var place = tokenStart + 1
        let end = offset - 1
        while place < end {
            if OpenStepCharacters.isSpace(bytes[place]) {
                place &+= 1
            } else if OpenStepCharacters.isSeparator(bytes, at: place) {
                place &+= 3
            } else {
                guard let high = XMLPlistScalars.digit(bytes[place], isHexadecimal: true) else {
                    throw failure(.invalidScalar, "a character in data that is not a hexadecimal digit", at: place)
                }
                // At the end there is the bracket, which is no digit.
                guard let low = XMLPlistScalars.digit(bytes[place &+ 1], isHexadecimal: true) else {
                    throw failure(.invalidScalar, "an odd number of digits in data", at: place)
                }
                data.append(high << 4 | low)
                place &+= 2
            }
        }
        return data
    }
}
