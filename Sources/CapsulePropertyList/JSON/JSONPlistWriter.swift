/// Writes canonical JSON. Each value has exactly one encoding, with the same bytes everywhere.
///
/// Each container indents its lines by two spaces. Keys are in the document's order, and lines end in LF. Strings escape only what
/// they must. A real is written as the shortest text that reads back as the same number, with a fraction or an exponent, which
/// distinguishes it from an integer. (RFC 8259)
package struct JSONPlistWriter: ~Copyable {
    private let isTyped: Bool
    private let depth: Int
    private var output: PlistTextOutput
    private var brackets: Int
    private var dataLength: Int?

    init(_ value: PlistValue, options: JSONPlistOptions, style: PlistTextStyle, limits: PlistLimits) {
        isTyped = options.contains(.typed)
        depth = limits.depth
        brackets = style.depth
        output = PlistTextOutput(value, style: style, limits: limits)
    }

    /// Returns the document for a value, with a newline at the end.
    /// - Parameters:
    ///   - lineDepth: the maximum number of containers around a value that is on its own line; nil for any number.
    package static func write(
        _ value: PlistValue, options: JSONPlistOptions = [], lineDepth: Int? = nil, limits: PlistLimits = .standard
    ) throws(PlistError) -> [UInt8] {
        var style = PlistTextStyle(unit: [0x20, 0x20])
        style.lineDepth = lineDepth
        var text = try fragment(value, options: options, style: style, limits: limits)
        text.append(0x0A)
        return text
    }

    /// Returns the value on one line without any spaces, and without a newline at the end.
    package static func compact(_ value: PlistValue, limits: PlistLimits = .standard) throws(PlistError) -> [UInt8] {
        try fragment(value, style: lineStyle, limits: limits)
    }

    private static let lineStyle: PlistTextStyle = {
        var style = PlistTextStyle()
        style.isInline = true
        style.blank = []
        style.joint = [UInt8(ascii: ":")]
        return style
    }()

    /// Returns the value on one line for a report, typed, without a newline at the end. Data has its length in `bytes` beside it.
    /// - Parameters:
    ///   - dataLength: the maximum number of bytes of data to show; nil for all. Longer data is marked with `cut`, and can't be read back.
    package static func reportLine(
        _ value: PlistValue, dataLength: Int?, limits: PlistLimits = .standard
    ) throws(PlistError) -> [UInt8] {
        // The value is measured before anything is written, because a report may have many of them.
        let measure = PlistTextMeasure(depth: limits.depth, elementBytes: 2)
        guard measure.minimumBytes(of: value) <= limits.outputBytes else {
            throw PlistError(.limitExceeded, "the text would be larger than \(limits.outputBytes) bytes", pointer: "")
        }
        var writer = JSONPlistWriter(value, options: .typed, style: lineStyle, limits: limits)
        writer.dataLength = dataLength ?? .max
        return try writer.finish()
    }

    /// Returns the text of a value inside a document: without a newline at the end, and with the lines after the first in the given
    /// style.
    static func fragment(
        _ value: PlistValue, options: JSONPlistOptions = [], style: PlistTextStyle, limits: PlistLimits = .standard
    ) throws(PlistError) -> [UInt8] {
        var writer = JSONPlistWriter(value, options: options, style: style, limits: limits)
        return try writer.finish()
    }

    private mutating func finish() throws(PlistError) -> [UInt8] {
        do throws(PlistError) {
            try write(output.root)
            try output.checkSize()
        } catch {
            throw error.pointing(to: output.steps)
        }
        return output.text.array
    }

    static func fragment(key: PlistString) -> [UInt8] {
        var text = TextBuffer(capacity: 64)
        append(key, to: &text)
        return text.array
    }

    private mutating func write(_ value: PlistValue) throws(PlistError) {
        switch value {
        case .array(let elements) where !elements.isEmpty: try write(elements)
        case .dictionary(let dictionary) where !dictionary.isEmpty: try write(dictionary)
        default: try appendLeaf(value)
        }
    }

    private mutating func write(_ elements: [PlistValue]) throws(PlistError) {
        try open("[", brackets: 1)
        for position in 0..<elements.count {
            beginLine(position)
            try write(elements[position])
            try output.checkSize()
        }
        close("]", brackets: 1)
    }

    private mutating func write(_ dictionary: PlistDictionary) throws(PlistError) {
        let isPairs = try open(dictionary)
        for position in 0..<dictionary.count {
            try write(begin(position, of: dictionary, isPair: isPairs))
            try endEntry(isPair: isPairs)
        }
        close(isPairs: isPairs)
    }

    private mutating func open(_ text: StaticString, brackets: Int) throws(PlistError) {
        try bracket(brackets)
        output.text.append(text)
        try output.checkSize()
        output.trail.enter()
    }

    /// Opens a dictionary. Returns true if it is written as `$dict`: an array of pairs.
    private mutating func open(_ dictionary: PlistDictionary) throws(PlistError) -> Bool {
        let isPairs = isTyped && dictionary.keys.contains(where: JSONTypedValue.isReserved)
        guard isPairs else {
            try open("{", brackets: 1)
            return false
        }
        try open("{\"$dict\"", brackets: 2)
        appendJoint()
        output.text.append(UInt8(ascii: "["))
        return true
    }

    private mutating func close(isPairs: Bool) {
        if isPairs { close("]}", brackets: 2) } else { close("}", brackets: 1) }
    }

    private mutating func close(_ text: StaticString, brackets: Int) {
        output.trail.leave()
        self.brackets -= brackets
        output.newLine(level: output.trail.count, depth: output.trail.count + 1, hasBlank: false)
        output.text.append(text)
    }

    private mutating func beginLine(_ position: Int) {
        output.trail.go(to: position)
        if position > 0 { output.text.append(UInt8(ascii: ",")) }
        output.newLine(level: output.trail.count, hasBlank: position > 0)
    }

    private mutating func begin(_ position: Int, of dictionary: PlistDictionary, isPair: Bool) throws(PlistError) -> PlistValue {
        let (key, value) = dictionary[position]
        beginLine(position)
        if isPair {
            try bracket(1)
            output.text.append(UInt8(ascii: "["))
        }
        Self.append(key, to: &output.text)
        if isPair {
            output.text.append(UInt8(ascii: ","))
            output.text.append(output.style.blank)
        } else {
            appendJoint()
        }
        return value
    }

    private mutating func endEntry(isPair: Bool) throws(PlistError) {
        if isPair {
            output.text.append(UInt8(ascii: "]"))
            brackets -= 1
        }
        try output.checkSize()
    }

    private mutating func appendJoint() {
        if let joint = output.style.joint { output.text.append(joint) } else { output.text.append(": ") }
    }

    /// Counts opened brackets. A reader's limit for brackets is the same as for containers.
    private mutating func bracket(_ count: Int) throws(PlistError) {
        guard brackets + count <= depth else { throw PlistTextStack.depthFailure(depth, at: nil) }
        brackets += count
    }

    private mutating func appendLeaf(_ value: PlistValue) throws(PlistError) {
        switch value {
        case .string(let string): Self.append(string, to: &output.text)
        case .boolean(let boolean): output.text.append(boolean ? "true" : "false")
        case .null: output.text.append("null")
        case .array:
            try bracket(1)
            output.text.append("[]")
            brackets -= 1
        case .dictionary:
            try bracket(1)
            output.text.append(UInt8(ascii: "{"))
            if output.style.opensEmptyObjects, !output.style.isInline {
                output.text.append(output.style.newline)
                output.newLine(level: output.trail.count, hasBlank: false)
            }
            output.text.append(UInt8(ascii: "}"))
            brackets -= 1
        case .integer(let integer) where !isTyped || JSONTypedValue.exactIntegers.contains(integer):
            output.append(integer.description)
        case .real(let real) where !isTyped && real.isFinite:
            output.append(RealSpelling.spellAsReal(real))
        case .integer, .real, .date, .data, .uid:
            guard isTyped else { throw Self.failure(value) }
            try bracket(1)
            appendTyped(value)
            brackets -= 1
        }
    }

    private static func failure(_ value: PlistValue) -> PlistError {
        switch value {
        case .real(let real): PlistError(.notRepresentable, "JSON can't hold the number \(real)")
        case .uid: PlistError(.notRepresentable, "JSON has no UID")
        default: PlistError(.notRepresentable, "JSON has no \(value.typeName)")
        }
    }
}

extension JSONPlistWriter {
    private static let digits: StaticString = "0123456789abcdef"

    private static func append(_ string: PlistString, to text: inout TextBuffer) {
        text.append(UInt8(ascii: "\""))
        string.withUTF8 { append(UnsafeRawBufferPointer($0), to: &text) }
        text.append(UInt8(ascii: "\""))
    }

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

    private mutating func appendTyped(_ value: PlistValue) {
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

    /// Appends a UID, as a string if not every JSON reader can represent its number.
    private mutating func append(_ key: PlistString, _ uid: UInt64) {
        let isExact = JSONTypedValue.exactIntegers.contains(PlistInteger(uid))
        openTyped(key)
        output.append(isExact ? uid.description : "\"\(uid)\"")
        output.text.append(UInt8(ascii: "}"))
    }
}
