/// A value on one line, for people: limited in length, and without characters that could control a terminal.
struct PlistValueLine {
    /// The maximum number of Unicode scalars of a string, and of bytes of data, to show; nil for all.
    let length: Int?
    private var budget: Int
    private let textLimit: Int
    private(set) var text = ""
    private(set) var isCut = false

    init(_ value: PlistValue, length: Int?, values: Int, textLimit: Int = .max) {
        self.length = length
        self.textLimit = textLimit
        budget = values
        append(value)
    }

    private mutating func append(_ value: PlistValue) {
        budget -= 1
        switch value {
        case .array(let elements): append(elements)
        case .dictionary(let dictionary): append(dictionary)
        default: append(scalar: value)
        }
    }

    private mutating func append(_ elements: [PlistValue]) {
        text += "["
        for position in 0..<elements.count {
            guard begin(position) else { break }
            append(elements[position])
        }
        text += "]"
    }

    private mutating func append(_ dictionary: PlistDictionary) {
        text += "{"
        for position in 0..<dictionary.count {
            guard begin(position) else { break }
            append(dictionary.entries[position].key)
            text += ": "
            append(dictionary.entries[position].value)
        }
        text += "}"
    }

    private mutating func begin(_ position: Int) -> Bool {
        if position > 0 { text += ", " }
        guard budget > 0, text.utf8.count < textLimit else {
            text += "…"
            isCut = true
            return false
        }
        return true
    }

    private mutating func append(scalar: PlistValue) {
        switch scalar {
        case .string(let string): append(string)
        case .integer(let integer): text += integer.description
        case .real(let real): text += RealSpelling.spellAsReal(real)
        case .boolean(let boolean): text += boolean.description
        case .date(let seconds): text += DateSpelling.spell(seconds) ?? "date \(RealSpelling.spell(seconds)) seconds after 2001"
        case .data(let bytes): append(bytes)
        case .uid(let uid): text += "uid \(uid)"
        case .null: text += "null"
        case .array, .dictionary: break
        }
    }

    private mutating func append(_ string: PlistString) {
        let scalars = string.string.unicodeScalars
        guard let length, let end = scalars.index(scalars.startIndex, offsetBy: length, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else {
            text += Self.quoted(scalars[...])
            return
        }
        isCut = true
        text += Self.quoted(scalars[..<end], isCut: true) + " (\(string.utf8.count) bytes)"
    }

    private mutating func append(_ bytes: [UInt8]) {
        let preview = DataPreview(bytes, count: UInt64(bytes.count), length: length)
        text += preview.text
        if preview.isCut { isCut = true }
    }

    static func quoted(_ scalars: Substring.UnicodeScalarView, isCut: Bool = false) -> String {
        var text = "\""
        for scalar in scalars { append(scalar, to: &text) }
        return text + (isCut ? "…\"" : "\"")
    }

    static func append(_ scalar: Unicode.Scalar, to text: inout String) {
        switch scalar {
        case "\"": text += "\\\""
        case "\\": text += "\\\\"
        case "\n": text += "\\n"
        case "\r": text += "\\r"
        case "\t": text += "\\t"
        case _ where isPlain(scalar): text.unicodeScalars.append(scalar)
        default: text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }

    /// Returns true if a character is visible and unambiguous. The joiners in emoji and words are accepted too.
    static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 { return scalar.value >= 0x20 && scalar.value != 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: return false
        case .format: return scalar.value == 0x200C || scalar.value == 0x200D
        default: return true
        }
    }
}

extension PlistValue {
    /// Returns the value on one line: strings quoted and escaped, dates in ISO 8601, data as text or in base64, and containers up
    /// to a number of values.
    /// - Parameters:
    ///   - length: the maximum number of Unicode scalars of a string, and of bytes of data, to show; nil for all.
    ///   - values: the maximum number of values in containers to show.
    package func line(length: Int? = 240, values: Int = 50) -> String {
        PlistValueLine(self, length: length, values: values).text
    }

    /// Returns the text of ``line(length:values:)``, and true if it omits anything.
    /// - Parameters:
    ///   - textLimit: the number of bytes after which no more values of a container are shown.
    package func shortened(length: Int?, values: Int, textLimit: Int) -> (line: String, isCut: Bool) {
        let line = PlistValueLine(self, length: length, values: values, textLimit: textLimit)
        return (line.text, line.isCut)
    }
}

/// The first bytes of data on one line, for people: as text if they are text, or else in base64.
/// Two previews of the same length are equal only if the bytes are: bytes that are not text are escaped, as in `\x00`.
private struct DataPreview {
    let text: String
    let isCut: Bool

    init(_ head: [UInt8], count: UInt64, length: Int?) {
        guard count > 0 else {
            text = "empty data"
            isCut = false
            return
        }
        var shown = head.prefix(length ?? head.count)
        isCut = UInt64(shown.count) < count
        if isCut { shown = shown.dropLast(Self.begunCharacter(shown)) }
        let quoted =
            Self.quoted(shown) ?? String(decoding: Base64.encode(Array(head.prefix(length ?? head.count))), as: UTF8.self)
        text = "data of \(count) \(count == 1 ? "byte" : "bytes"), " + quoted + (isCut ? "…" : "")
    }

    /// Returns the bytes in quotation marks, or nil unless at most a quarter of them must be escaped.
    private static func quoted(_ bytes: ArraySlice<UInt8>) -> String? {
        // Binary property lists are text in part, and differ in that part: all are shown alike.
        if bytes.starts(with: Array("bplist".utf8)) { return nil }
        var text = "\""
        var escaped = 0
        var rest = bytes
        while let byte = rest.first {
            if let scalar = scalar(at: rest), isText(scalar) {
                PlistValueLine.append(scalar, to: &text)
                rest = rest.dropFirst(UTF8.width(scalar))
                continue
            }
            escaped += 1
            if 4 * escaped > bytes.count { return nil }
            text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            rest.removeFirst()
        }
        return bytes.isEmpty ? nil : text + "\""
    }

    private static func scalar(at bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }

    private static func isText(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\r" || scalar == "\t" || PlistValueLine.isPlain(scalar)
    }

    private static func begunCharacter(_ bytes: ArraySlice<UInt8>) -> Int {
        let tail = bytes.suffix(3).reversed()
        guard let distance = tail.firstIndex(where: { $0 & 0xC0 != 0x80 }) else { return 0 }
        let lead = tail[distance]
        let count = tail.distance(from: tail.startIndex, to: distance) + 1
        let width = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1
        return count < width ? count : 0
    }
}

extension PlistValue {
    /// Returns data on one line, for people: the number of bytes, then the first bytes as text if they are text, or else in base64.
    /// - Parameters:
    ///   - head: the bytes, or the first of them.
    ///   - count: the total number of bytes.
    ///   - length: the maximum number of bytes to show; nil for all of `head`.
    package static func line(ofData head: [UInt8], count: UInt64, length: Int? = 240) -> String {
        DataPreview(head, count: count, length: length).text
    }
}

extension PlistString {
    /// The text in quotation marks for a message, on one line, truncated after 64 Unicode scalars.
    package var quoted: String {
        let head = string.unicodeScalars.prefix(64)
        return PlistValueLine.quoted(head, isCut: head.endIndex != string.endIndex)
    }
}

extension PlistValue: CustomStringConvertible {
    /// The value on one line for test failures and logs, with an ellipsis after 50 values.
    public var description: String { line() }
}

extension PlistDictionary: CustomStringConvertible {
    /// The description of the dictionary as a ``PlistValue``.
    public var description: String { PlistValue.dictionary(self).description }
}
