/// How the canonical form spells strings, and with `typed` what JSON has no spelling for.
extension JSONPlistWriter {
    private static let digits: StaticString = "0123456789abcdef"

    /// Appends a string with its quotation marks.
    static func append(_ string: PlistString, to text: inout TextBuffer) {
        text.append(UInt8(ascii: "\""))
        string.withUTF8 { append(UnsafeRawBufferPointer($0), to: &text) }
        text.append(UInt8(ascii: "\""))
    }

    /// Appends characters, escaped where they have to be.
    private static func append(_ characters: UnsafeRawBufferPointer, to text: inout TextBuffer) {
        var start = 0
        var place = 0
        while place < characters.count {
            if place &+ 8 <= characters.count {
                let word = UInt64(littleEndian: characters.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                let stops = JSONCharacters.stops(in: word)
                guard stops != 0 else {
                    place &+= 8
                    continue
                }
                place &+= stops.trailingZeroBitCount >> 3
            }
            let byte = characters[place]
            let letter = JSONCharacters.letter(for: byte)
            guard letter != nil || byte < 0x20 else {
                place &+= 1
                continue
            }
            text.append(UnsafeRawBufferPointer(rebasing: characters[start..<place]))
            text.append(UInt8(ascii: "\\"))
            if let letter {
                text.append(letter)
            } else {
                text.append(byte < 0x10 ? "u000" : "u001")
                text.append(digits.utf8Start[Int(byte & 0xF)])
            }
            place &+= 1
            start = place
        }
        text.append(UnsafeRawBufferPointer(rebasing: characters[start...]))
    }

    /// Appends the object that stands for a scalar.
    mutating func appendTyped(_ value: PlistValue) {
        switch value {
        case .integer(let integer): append(JSONTypedValue.integerKey, text: integer.description)
        case .real(let real): append(JSONTypedValue.realKey, text: JSONTypedValue.spell(real))
        case .uid(let uid): append(JSONTypedValue.uidKey, uid)
        case .data(let bytes):
            openTyped(JSONTypedValue.dataKey)
            output.text.append(UInt8(ascii: "\""))
            let shown = min(bytes.count, dataLength ?? bytes.count)
            bytes.withUnsafeBytes { Base64.append(UnsafeRawBufferPointer(rebasing: $0[..<shown]), to: &output.text) }
            output.text.append(UInt8(ascii: "\""))
            if dataLength != nil { output.append(",\"bytes\":\(bytes.count)") }
            if shown < bytes.count { output.append(",\"cut\":true") }
            output.text.append(UInt8(ascii: "}"))
        case .date(let seconds):
            if let date = DateSpelling.spell(seconds) {
                append(JSONTypedValue.dateKey, text: date)
            } else if seconds.isFinite {
                openTyped(JSONTypedValue.dateKey)
                output.append(RealSpelling.spellAsReal(seconds))
                output.text.append(UInt8(ascii: "}"))
            } else {
                openTyped(JSONTypedValue.dateKey)
                append(JSONTypedValue.realKey, text: JSONTypedValue.spell(seconds))
                output.text.append(UInt8(ascii: "}"))
            }
        default: break
        }
    }

    private mutating func openTyped(_ key: PlistString) {
        output.text.append(UInt8(ascii: "{"))
        Self.append(key, to: &output.text)
        appendJoint()
    }

    private mutating func append(_ key: PlistString, text: String) {
        openTyped(key)
        output.text.append(UInt8(ascii: "\""))
        output.append(text)
        output.text.append("\"}")
    }

    /// Appends a UID, as a string if it is beyond what every reader of JSON can hold.
    private mutating func append(_ key: PlistString, _ uid: UInt64) {
        let isExact = JSONTypedValue.exactIntegers.contains(PlistInteger(uid))
        openTyped(key)
        output.append(isExact ? uid.description : "\"\(uid)\"")
        output.text.append(UInt8(ascii: "}"))
    }
}
