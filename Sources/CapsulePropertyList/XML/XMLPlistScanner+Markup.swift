/// Reads declarations, processing instructions, comments, attributes and entities.
extension XMLPlistScanner {
    /// Skips `<?…?>`. If it is the XML declaration, checks the declared encoding.
    mutating func skipInstruction() throws(PlistError) {
        let start = offset
        let end = try find("?>", from: start + 2, in: "a processing instruction")
        try check(start..<end)
        if hasPrefix("<?xml"), XMLCharacters.isSpace(byte(at: start + 5)) {
            offset = start + 5
            while let attribute = try nextAttribute() {
                guard attribute.value.upperBound <= end else { break }
                if slice(attribute.name).elementsEqual("encoding".utf8) { try checkEncoding(attribute.value) }
            }
        }
        offset = end + 2
    }

    /// Skips a comment or, in the prolog, a document type declaration without an internal subset.
    mutating func skipDeclaration(isProlog: Bool) throws(PlistError) {
        let start = offset
        if hasPrefix("<!--") {
            let end = try find("-->", from: start + 4, in: "a comment")
            try check(start..<end)
            offset = end + 3
        } else if hasPrefix("<!DOCTYPE") {
            guard isProlog else {
                throw failure(.syntax, "a document type declaration after the first element", at: start)
            }
            try skipDocumentType()
            try check(start..<offset)
        } else if hasPrefix("<![CDATA[") {
            throw textFailure()
        } else {
            throw failure(.unsupported, "a declaration that property lists do not support", at: start)
        }
    }

    private mutating func skipDocumentType() throws(PlistError) {
        let start = offset
        offset += 9
        skipSpace()
        guard hasPrefix("plist") else {
            throw failure(.notPropertyList, "not a property list: the document type is not plist", at: start)
        }
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: ">"):
                offset += 1
                return
            case UInt8(ascii: "["), UInt8(ascii: "<"):
                throw failure(
                    .unsupported, "the document type has an internal subset", at: offset,
                    hint: "remove the part between [ and ]; entities can't be declared")
            case let quote where quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"):
                offset += 1
                while offset < bytes.count, bytes[offset] != quote { offset += 1 }
                offset += 1
            default:
                offset += 1
            }
        }
        throw failure(.syntax, "the text ends inside the document type", at: start)
    }

    /// Returns the name and value of a tag's next attribute as ranges of bytes, or nil at the end of the tag.
    mutating func nextAttribute() throws(PlistError) -> (name: Range<Int>, value: Range<Int>)? {
        let before = offset
        skipSpace()
        switch byte(at: offset) {
        case UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "?"), 0: return nil
        default: break
        }
        let start = offset
        guard start > before else { throw failure(.syntax, "malformed tag", at: start) }
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "="), !XMLCharacters.endsName(bytes[offset]) { offset += 1 }
        let name = start..<offset
        skipSpace()
        guard !name.isEmpty, byte(at: offset) == UInt8(ascii: "=") else {
            throw failure(.syntax, "an attribute without a value", at: start)
        }
        offset += 1
        skipSpace()
        let quote = byte(at: offset)
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw failure(.syntax, "an attribute value without quotes", at: offset)
        }
        offset += 1
        let valueStart = offset
        while offset < bytes.count, bytes[offset] != quote, bytes[offset] != UInt8(ascii: "<") { offset += 1 }
        guard byte(at: offset) == quote else { throw failure(.syntax, "an unterminated attribute value", at: start) }
        let value = valueStart..<offset
        offset += 1
        try check(start..<offset)
        return (name, value)
    }

    /// Checks a declared encoding. The actual encoding is detected from the bytes, so a declaration can only show that it is not
    /// supported.
    private mutating func checkEncoding(_ range: Range<Int>) throws(PlistError) {
        let name = String(decoding: slice(range), as: UTF8.self)
        let unicode = ["UTF-8", "UTF8", "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE"]
        guard !unicode.contains(name.uppercased()) else { return }
        declaresOtherEncoding = true
        guard bytes.contains(where: { $0 >= 0x80 }) else { return }
        throw failure(
            .encoding, "the encoding \"\(name.prefix(64))\" is not supported", at: range.lowerBound,
            hint: "convert the file to UTF-8")
    }

    /// Reads a reference to one of the five entities, or to a character by its number.
    mutating func entity() throws(PlistError) -> Unicode.Scalar {
        let start = offset
        offset += 1
        while offset < bytes.count, offset - start < 32, bytes[offset] != UInt8(ascii: ";") { offset += 1 }
        let name = slice(start + 1..<offset)
        guard byte(at: offset) == UInt8(ascii: ";"), !name.isEmpty else {
            throw failure(.syntax, "an ampersand that does not start an entity", at: start, hint: "write &amp;")
        }
        offset += 1
        if name[0] == UInt8(ascii: "#") { return try character(name, at: start) }
        switch String(decoding: name, as: UTF8.self) {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        case let other:
            throw failure(
                .unsupported, "unknown entity &\(other);", at: start,
                hint: "use amp, lt, gt, quot, apos or a character number")
        }
    }

    private func character(_ name: UnsafeRawBufferPointer, at start: Int) throws(PlistError) -> Unicode.Scalar {
        let isHexadecimal = name.count > 1 && name[1] == UInt8(ascii: "x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        var number: UInt32 = 0
        for digit in digits {
            guard let value = XMLPlistScalars.digit(digit, isHexadecimal: isHexadecimal) else {
                throw failure(.syntax, "a character number with a character that is not a digit", at: start)
            }
            // A number outside of Unicode stays outside, and can't overflow.
            number = min(number, 0x11_0000) * (isHexadecimal ? 16 : 10) + UInt32(value)
        }
        guard !digits.isEmpty, XMLCharacters.isAllowed(number), let scalar = Unicode.Scalar(number) else {
            throw failure(.syntax, "the number of a character that XML does not allow", at: start)
        }
        return scalar
    }

    // MARK: Bytes

    func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    /// Returns true if the text continues with these ASCII characters.
    func hasPrefix(_ text: StaticString) -> Bool {
        guard bytes.count - offset >= text.utf8CodeUnitCount else { return false }
        for place in 0..<text.utf8CodeUnitCount where bytes[offset + place] != text.utf8Start[place] { return false }
        return true
    }

    /// Returns the offset of a terminator. Throws an error if the text ends without it.
    func find(_ terminator: StaticString, from start: Int, in what: String) throws(PlistError) -> Int {
        let first = terminator.utf8Start[0]
        let length = terminator.utf8CodeUnitCount
        var place = start
        while place + length <= bytes.count {
            if bytes[place] == first {
                var matched = 1
                while matched < length, bytes[place + matched] == terminator.utf8Start[matched] { matched += 1 }
                if matched == length { return place }
            }
            place += 1
        }
        throw failure(.syntax, "the text ends inside \(what)", at: offset)
    }

    /// Throws an error unless the range is valid UTF-8 with only characters that XML allows.
    func check(_ range: Range<Int>) throws(PlistError) {
        if let place = XMLCharacters.firstForbidden(in: bytes, range) { throw characterFailure(at: place) }
    }

    // MARK: Errors

    func characterFailure(at place: Int) -> PlistError {
        let byte = bytes[place]
        if byte < 0x20 {
            let hexadecimal = String(byte, radix: 16, uppercase: true)
            let number = String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
            return failure(.syntax, "the control character U+\(number), which XML does not allow", at: place)
        }
        if byte == 0xEF, self.byte(at: place + 1) == 0xBF, self.byte(at: place + 2) >= 0xBE {
            return failure(.syntax, "U+FFFE or U+FFFF, which XML does not allow", at: place)
        }
        return failure(.encoding, "not valid UTF-8", at: place)
    }

    func textFailure() -> PlistError {
        failure(.syntax, "text outside <string>, <key> and other text elements", at: offset)
    }

    /// Returns the error for an unknown element or a malformed tag.
    func nameFailure(_ range: Range<Int>, at start: Int) -> PlistError {
        let bytes = slice(range.lowerBound..<min(range.upperBound, range.lowerBound + 64))
        let isName = bytes.allSatisfy { $0 >= 0x80 || $0 > 0x20 && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") }
        guard isName, !bytes.isEmpty else {
            return failure(.syntax, "malformed tag", at: start)
        }
        let name = String(decoding: bytes, as: UTF8.self)
        return failure(
            .unknownElement, "unknown element <\(name)>", at: start,
            hint: XMLPlistElement.hint(forUnknown: name))
    }
}
