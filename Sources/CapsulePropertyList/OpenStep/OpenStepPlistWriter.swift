/// Writes canonical OpenStep property lists. Each value has exactly one encoding, with the same bytes everywhere.
///
/// The layout is Xcode's: one tab for each container, and `key = value;` or `value,` on lines of their own. Lines end in LF, and
/// keys are in the document's order. Strings are quoted unless they consist of letters, digits and `_ $ . / :`. Non-ASCII
/// characters are written directly, in UTF-8. A dictionary always has its braces.
package struct OpenStepPlistWriter: ~Copyable {
    private let depth: Int
    private var output: PlistTextOutput

    private init(_ value: PlistValue, style: PlistTextStyle, limits: PlistLimits) {
        depth = limits.depth
        output = PlistTextOutput(value, style: style, limits: limits)
    }

    /// Returns the document for a value, with a newline at the end.
    package static func write(_ value: PlistValue, limits: PlistLimits = .standard) throws(PlistError) -> [UInt8] {
        let style = PlistTextStyle(unit: [0x09])
        // A single word could be any text; with quotation marks it is recognized when read back.
        var text: [UInt8]
        if let string = value.string {
            var quoted = TextBuffer(capacity: 64)
            OpenStepString.appendQuoted(string, to: &quoted)
            text = quoted.array
        } else {
            text = try fragment(value, style: style, limits: limits)
        }
        text.append(0x0A)
        return text
    }

    /// Returns the text of a value inside a document: without a newline at the end, and with the lines after the first in the given
    /// style.
    static func fragment(
        _ value: PlistValue, style: PlistTextStyle, limits: PlistLimits = .standard
    ) throws(PlistError) -> [UInt8] {
        var writer = OpenStepPlistWriter(value, style: style, limits: limits)
        do throws(PlistError) {
            try writer.write(value)
            try writer.output.checkSize()
        } catch {
            throw error.pointing(to: writer.output.steps)
        }
        return writer.output.text.array
    }

    static func fragment(key: PlistString) -> [UInt8] {
        var text = TextBuffer(capacity: 64)
        OpenStepString.append(key, to: &text)
        return text.array
    }

    static func fragment(quoted string: PlistString) -> [UInt8] {
        var text = TextBuffer(capacity: 64)
        OpenStepString.appendQuoted(string, to: &text)
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
        try open("(")
        for position in 0..<elements.count {
            // On one line, no comma follows the last element.
            if output.style.isInline, position > 0 { output.text.append(UInt8(ascii: ",")) }
            output.trail.go(to: position)
            output.newLine(level: output.trail.count, hasBlank: position > 0)
            try write(elements[position])
            if !output.style.isInline { output.text.append(UInt8(ascii: ",")) }
            try output.checkSize()
        }
        close(")", hasBlank: false)
    }

    private mutating func write(_ dictionary: PlistDictionary) throws(PlistError) {
        try open("{")
        for position in 0..<dictionary.count {
            output.trail.go(to: position)
            output.newLine(level: output.trail.count, hasBlank: true)
            append(key: dictionary.entries[position].key)
            try write(dictionary.entries[position].value)
            output.text.append(UInt8(ascii: ";"))
            try output.checkSize()
        }
        close("}", hasBlank: true)
    }

    private mutating func open(_ bracket: StaticString) throws(PlistError) {
        try checkDepth()
        output.text.append(bracket)
        try output.checkSize()
        output.trail.enter()
    }

    private mutating func close(_ bracket: StaticString, hasBlank: Bool) {
        output.trail.leave()
        output.newLine(level: output.trail.count, hasBlank: hasBlank)
        output.text.append(bracket)
    }

    private mutating func append(key: PlistString) {
        OpenStepString.append(key, to: &output.text)
        if let joint = output.style.joint { return output.text.append(joint) }
        output.text.append(" = ")
    }

    private func checkDepth() throws(PlistError) {
        guard output.style.depth + output.trail.count < depth else { throw PlistTextStack.depthFailure(depth, at: nil) }
    }

    private mutating func appendLeaf(_ value: PlistValue) throws(PlistError) {
        switch value {
        case .string(let string): OpenStepString.append(string, to: &output.text)
        case .data(let bytes): append(bytes)
        case .array:
            try checkDepth()
            output.text.append("()")
        case .dictionary:
            try checkDepth()
            output.text.append("{}")
        case .integer, .real, .boolean, .date, .uid, .null:
            throw PlistError(
                .notRepresentable, "OpenStep property lists support only strings and data, not \(value.typeNameWithArticle)")
        }
    }

    private mutating func append(_ bytes: [UInt8]) {
        let digits: StaticString = "0123456789abcdef"
        output.text.append(UInt8(ascii: "<"))
        for (place, byte) in bytes.enumerated() {
            if place > 0, place % 4 == 0 { output.text.append(UInt8(ascii: " ")) }
            output.text.append(digits.utf8Start[Int(byte >> 4)])
            output.text.append(digits.utf8Start[Int(byte & 0xF)])
        }
        output.text.append(UInt8(ascii: ">"))
    }
}

/// Writes strings and keys in canonical form.
enum OpenStepString {
    static func append(_ string: PlistString, to text: inout TextBuffer) {
        guard isPlain(string) else { return appendQuoted(string, to: &text) }
        string.withUTF8 { text.append(UnsafeRawBufferPointer($0)) }
    }

    static func appendQuoted(_ string: PlistString, to text: inout TextBuffer) {
        text.append(UInt8(ascii: "\""))
        string.withUTF8 { appendEscaped(UnsafeRawBufferPointer($0), to: &text) }
        text.append(UInt8(ascii: "\""))
    }

    /// Returns true for a string that every reader accepts unquoted. Apple's reader also accepts `-`, but Xcode quotes it. `//`
    /// could begin a comment.
    static func isPlain(_ string: PlistString) -> Bool {
        string.withUTF8 { isPlain(UnsafeRawBufferPointer($0)) }
    }

    private static func isPlain(_ characters: UnsafeRawBufferPointer) -> Bool {
        var last: UInt8 = 0
        for byte in characters {
            guard OpenStepCharacters.isUnquoted(byte), byte != UInt8(ascii: "-") else { return false }
            if byte == UInt8(ascii: "/"), last == byte { return false }
            last = byte
        }
        return !characters.isEmpty
    }

    private static func appendEscaped(_ characters: UnsafeRawBufferPointer, to text: inout TextBuffer) {
        let digits: StaticString = "0123456789abcdef"
        var start = 0
        for place in 0..<characters.count {
            let byte = characters[place]
            let letter = OpenStepCharacters.letter(for: byte)
            guard letter != nil || byte < 0x20 || byte == 0x7F else { continue }
            text.append(UnsafeRawBufferPointer(rebasing: characters[start..<place]))
            text.append(UInt8(ascii: "\\"))
            if let letter {
                text.append(letter)
            } else {
                text.append("U00")
                text.append(digits.utf8Start[Int(byte >> 4)])
                text.append(digits.utf8Start[Int(byte & 0xF)])
            }
            start = place + 1
        }
        text.append(UnsafeRawBufferPointer(rebasing: characters[start...]))
    }
}
