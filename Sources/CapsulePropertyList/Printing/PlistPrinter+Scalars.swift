/// How scalars and keys look on a line.
extension PlistPrinter {
    /// A scalar's type and value.
    mutating func append(scalar: PlistValue) {
        switch scalar {
        case .string(let string):
            output.append("string ")
            append(quoted: string)
        case .integer(let integer):
            append(text: "integer \(integer)")
        case .real(let real):
            append(text: "real \(RealSpelling.spell(real))")
        case .boolean(let boolean):
            output.append(boolean ? "boolean true" : "boolean false")
        case .date(let seconds):
            append(date: seconds)
        case .uid(let uid):
            append(text: "uid \(uid)")
        case .null:
            output.append("null")
        case .data, .array, .dictionary:
            append(text: scalar.typeName)
        }
    }

    mutating func append(_ number: Int) {
        append(text: number.description)
    }

    mutating func append(text: String) {
        for byte in text.utf8 { output.append(byte) }
    }

    /// The number of bytes, and all or the first of them as text or in Base64; `…` stands for the others.
    mutating func append(data: [UInt8]) {
        append(text: PlistValue.data(data).line(length: dataBytes))
    }

    /// ISO 8601 in UTC, with all digits that there are; where there is no such text the seconds, so that nothing is lost.
    private mutating func append(date seconds: Double) {
        append(text: "date \(DateSpelling.spell(seconds) ?? "\(RealSpelling.spell(seconds)) seconds after 2001")")
    }

    // MARK: Text

    /// A key without quotation marks, if it looks like one. Keys in archives have a `$` more than they had.
    mutating func append(key: PlistString, isArchived: Bool) {
        let isDoubled = isArchived && key.utf8.starts(with: "$$".utf8)
        let shown = isDoubled ? PlistString(String(key.string.dropFirst())) : key
        let isPlain = shown.string.unicodeScalars.allSatisfy {
            PlistValueLine.isPlain($0) && $0 != ":" && $0 != "\"" && $0 != "\\"
        }
        if isPlain, !shown.isEmpty, shown.string.first != " ", shown.string.last != " " {
            append(text: shown.string)
        } else {
            append(quoted: shown)
        }
    }

    /// Text between quotation marks, on one line: what is invisible, or would make a terminal do something, is escaped.
    mutating func append(quoted string: PlistString) {
        append(text: PlistValueLine.quoted(string.string.unicodeScalars[...]))
    }
}
