/// A value on one line, for people: as long as they want to read, and never with characters that do something to a terminal.
struct PlistValueLine {
    /// Unicode scalars of a string, and bytes of data, that are shown; nil for all.
    let length: Int?
    /// Values of containers that are still to be shown.
    private var budget: Int
    /// Bytes after which no further value of a container is shown.
    private let textLimit: Int
    private(set) var text = ""
    /// Whether any string, data or container is not shown as a whole.
    private(set) var isCut = false

    init(_ value: PlistValue, length: Int?, values: Int, textLimit: Int = .max) {
        self.length = length
        self.textLimit = textLimit
        budget = values
        append(value)
    }

    /// A container that is being told.
    private struct Frame {
        let container: PlistValue
        var next = 0

        var count: Int {
            switch container {
            case .array(let elements): elements.count
            case .dictionary(let dictionary): dictionary.count
            default: 0
            }
        }

        var closing: String { container.array == nil ? "}" : "]" }
    }

    /// Bounded, since a shared object of a binary property list may expand without end. The stack is an explicit one, so that depth
    /// costs no call stack.
    private mutating func append(_ value: PlistValue) {
        var frames: [Frame] = []
        begin(value, &frames)
        while let top = frames.indices.last {
            let frame = frames[top]
            let isAtEnd = frame.next == frame.count
            if !isAtEnd, frame.next > 0 { text += ", " }
            guard !isAtEnd, budget > 0, text.utf8.count < textLimit else {
                if !isAtEnd {
                    text += "…"
                    isCut = true
                }
                text += frame.closing
                frames.removeLast()
                continue
            }
            frames[top].next += 1
            begin(child(frame.next, of: frame.container), &frames)
        }
    }

    /// The value at a position; before an entry's, its key is told.
    private mutating func child(_ position: Int, of container: PlistValue) -> PlistValue {
        switch container {
        case .array(let elements): return elements[position]
        case .dictionary(let dictionary):
            let entry = dictionary.entries[position]
            append(entry.key)
            text += ": "
            return entry.value
        default: return container
        }
    }

    /// Tells a scalar, or opens a container.
    private mutating func begin(_ value: PlistValue, _ frames: inout [Frame]) {
        budget -= 1
        switch value {
        case .string(let string): append(string)
        case .integer(let integer): text += integer.description
        case .real(let real): text += RealSpelling.spellAsReal(real)
        case .boolean(let boolean): text += boolean.description
        case .date(let seconds): text += DateSpelling.spell(seconds) ?? "date \(RealSpelling.spell(seconds)) seconds after 2001"
        case .data(let bytes): append(bytes)
        case .uid(let uid): text += "uid \(uid)"
        case .null: text += "null"
        case .array, .dictionary:
            text += value.array == nil ? "{" : "["
            frames.append(Frame(container: value))
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

    /// Text between quotation marks.
    static func quoted(_ scalars: Substring.UnicodeScalarView, isCut: Bool = false) -> String {
        var text = "\""
        for scalar in scalars { append(scalar, to: &text) }
        return text + (isCut ? "…\"" : "\"")
    }

    /// Appends a character of a text between quotation marks.
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

    /// Whether a character shows itself, and nothing but itself. The joiners inside of emoji and words are left alone.
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
    /// The value on one line: strings quoted and escaped, dates in ISO 8601, data as text or in base64, containers as far as
    /// `values` values go.
    ///
    /// - Parameters:
    ///   - length: Unicode scalars of a string, and bytes of data, that are shown; nil for all.
    ///   - values: values of a container that are shown.
    public func line(length: Int? = 240, values: Int = 50) -> String {
        PlistValueLine(self, length: length, values: values).text
    }

    /// The line of ``line(length:values:)``, and whether it leaves anything out.
    ///
    /// - Parameters:
    ///   - length: Unicode scalars of a string, and bytes of data, that are shown; nil for all.
    ///   - values: values of a container that are shown.
    ///   - textLimit: bytes of the line after which no further value of a container is shown.
    public func shortened(length: Int?, values: Int, textLimit: Int) -> (line: String, isCut: Bool) {
        let line = PlistValueLine(self, length: length, values: values, textLimit: textLimit)
        return (line.text, line.isCut)
    }
}

/// The first bytes of data on one line, for people: as text where they are text, else in base64.
///
/// Two previews of the same length are the same only if the bytes are: what is not text in between is escaped, as `\x00`.
private struct DataPreview {
    let text: String
    /// Whether there is more than is shown.
    let isCut: Bool

    /// - Parameters:
    ///   - head: the bytes, or the first of them.
    ///   - count: how many there are in all.
    ///   - length: how many are shown at most; nil for all of `head`.
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

    /// The bytes in quotation marks; nil unless at least three quarters of them are characters that show themselves.
    private static func quoted(_ bytes: ArraySlice<UInt8>) -> String? {
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

    /// Whether texts have such a character.
    private static func isText(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\r" || scalar == "\t" || PlistValueLine.isPlain(scalar)
    }

    /// How many of the last bytes are the beginning of a character that is not all there.
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
    /// Data on one line, for people: the number of bytes, then the first of them as text where they are text, else in base64.
    ///
    /// - Parameters:
    ///   - head: the bytes, or the first of them.
    ///   - count: how many there are in all.
    ///   - length: how many are shown at most; nil for all of `head`.
    public static func line(ofData head: [UInt8], count: UInt64, length: Int? = 240) -> String {
        DataPreview(head, count: count, length: length).text
    }
}

extension PlistString {
    /// The text between quotation marks for a message, cut after 64 Unicode scalars, on one line.
    package var quoted: String {
        let head = string.unicodeScalars.prefix(64)
        return PlistValueLine.quoted(head, isCut: head.endIndex != string.endIndex)
    }
}

extension PlistValue: CustomStringConvertible {
    /// A rendering for test failures and logs, on one line and with an ellipsis after some fifty values.
    ///
    /// It is bounded because a shared object of a binary property list may expand without end.
    public var description: String {
        line()
    }
}

extension PlistValue: CustomReflectable {
    /// No children: a mirror that followed shared containers would never end.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}

extension PlistDictionary: CustomStringConvertible, CustomReflectable {
    /// As ``PlistValue`` describes a dictionary.
    public var description: String { PlistValue.dictionary(self).description }

    /// As ``PlistValue`` mirrors a dictionary.
    public var customMirror: Mirror { PlistValue.dictionary(self).customMirror }
}
