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
