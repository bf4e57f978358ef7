/// How scalars and keys look on a line.
extension PlistPrinter {
    /// Bytes of data that are shown.
    private static let shownBytes = 24

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

    /// The number of bytes, and the first ones in Base64.
    mutating func append(data: [UInt8]) {
        guard !data.isEmpty else { return output.append("empty data") }
        append(text: data.count == 1 ? "data of 1 byte, " : "data of \(data.count) bytes, ")
        for byte in Base64.encode(Array(data.prefix(Self.shownBytes))) { output.append(byte) }
        if data.count > Self.shownBytes { append(text: "…") }
    }

    /// ISO 8601 in UTC, with microseconds if there are any; outside of the years 0 to 9999 the seconds.
    private mutating func append(date seconds: Double) {
        let whole = seconds.rounded(.down)
        guard let number = Int(exactly: whole), CivilTime.secondsOfYears.contains(number) else {
            return append(text: "date \(RealSpelling.spell(seconds)) seconds after 2001")
        }
        let time = CivilTime(secondsSince2001: number)
        output.append("date ")
        append(time.year, digits: 4)
        for (separator, number) in zip("--T::".utf8, [time.month, time.day, time.hour, time.minute, time.second]) {
            output.append(separator)
            append(number, digits: 2)
        }
        var microseconds = min(Int(((seconds - whole) * 1_000_000).rounded()), 999_999)
        if microseconds > 0 {
            var digits = 6
            while microseconds % 10 == 0 {
                microseconds /= 10
                digits -= 1
            }
            output.append(UInt8(ascii: "."))
            append(microseconds, digits: digits)
        }
        output.append(UInt8(ascii: "Z"))
    }

    private mutating func append(_ number: Int, digits: Int) {
        let text = number.description
        output.append(repeating: UInt8(ascii: "0"), count: max(digits - text.utf8.count, 0))
        append(text: text)
    }

    // MARK: Text

    /// A key without quotation marks, if it looks like one. Keys in archives have a `$` more than they had.
    mutating func append(key: PlistString, isArchived: Bool) {
        let isDoubled = isArchived && key.utf8.starts(with: "$$".utf8)
        let shown = isDoubled ? PlistString(String(key.string.dropFirst())) : key
        let isPlain = shown.string.unicodeScalars.allSatisfy { Self.isPlain($0) && $0 != ":" && $0 != "\"" && $0 != "\\" }
        if isPlain, !shown.isEmpty, shown.string.first != " ", shown.string.last != " " {
            append(text: shown.string)
        } else {
            append(quoted: shown)
        }
    }

    /// Text between quotation marks, on one line: what is invisible, or would make a terminal do something, is escaped.
    mutating func append(quoted string: PlistString) {
        output.append(UInt8(ascii: "\""))
        for scalar in string.string.unicodeScalars {
            switch scalar {
            case "\"": output.append("\\\"")
            case "\\": output.append("\\\\")
            case "\n": output.append("\\n")
            case "\r": output.append("\\r")
            case "\t": output.append("\\t")
            case _ where Self.isPlain(scalar): output.append(scalar)
            default: append(text: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}")
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Whether a character shows itself, and nothing but itself. The joiners inside of emoji and words are left alone.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 { return scalar.value >= 0x20 && scalar.value != 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: return false
        case .format: return scalar.value == 0x200C || scalar.value == 0x200D
        default: return true
        }
    }
}
