/// How values are written that go into a document that is there.
extension XMLPlistWriter {
    /// Columns that a data line and its indentation may fill, as in the canonical layout.
    private static let columns = 76
    /// Data is never indented further than this.
    private static let dataColumns = 64
    private static let tabColumns = 8

    /// An element and all that is in it, without the indentation of its first line and the end of its last.
    ///
    /// Throws as `write` does; pointers begin at the element.
    static func fragment(_ value: PlistValue, style: PlistTextStyle, limits: PlistLimits, isASCII: Bool) throws(PlistError)
        -> [UInt8]
    {
        var writer = XMLPlistWriter(value, limits: limits, fragment: style, isASCII: isASCII)
        do throws(PlistError) {
            try writer.writeRoot()
            try writer.checkSize()
        } catch {
            throw error.pointing(to: writer.steps)
        }
        if style.isInline { return writer.output.array }
        return [UInt8](writer.output.bytes.dropFirst(style.indentation.count).dropLast(style.newline.count))
    }

    /// A key's element.
    static func fragment(key: PlistString, style: PlistTextStyle, limits: PlistLimits, isASCII: Bool) throws(PlistError)
        -> [UInt8]
    {
        var writer = XMLPlistWriter(.string(key), limits: limits, fragment: style, isASCII: isASCII)
        writer.output.append("<key>")
        try writer.appendText(key)
        writer.output.append("</key>")
        try writer.checkSize()
        return writer.output.array
    }

    mutating func indentFragment() {
        guard !style.isInline else { return }
        output.append(style.indentation)
        for _ in 0..<indentation { output.append(style.unit) }
    }

    /// Appends text that ends with LF, with the document's line end for it.
    mutating func appendFragmentLine(_ text: StaticString) {
        output.append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount - 1))
        if !style.isInline { output.append(style.newline) }
    }

    /// Text with line ends as in the document, and with numbers for characters that its encoding does not have.
    mutating func appendFragmentText(_ string: PlistString) throws(PlistError) {
        var text = TextBuffer(capacity: string.utf8.count)
        try checkCharacter(string.withUTF8 { Self.append(UnsafeRawBufferPointer($0), to: &text) })
        guard style.newline != [0x0A] || isASCII else { return output.append(text.bytes) }
        for scalar in String(decoding: text.bytes, as: UTF8.self).unicodeScalars {
            if scalar == "\n" {
                output.append(style.newline)
            } else if isASCII, !scalar.isASCII {
                output.append("&#x")
                for digit in String(scalar.value, radix: 16, uppercase: true).utf8 { output.append(digit) }
                output.append(UInt8(ascii: ";"))
            } else {
                output.append(scalar)
            }
        }
    }

    mutating func appendFragmentData(_ bytes: [UInt8]) {
        output.append("<data>")
        if style.isInline {
            output.append(Base64.encode(bytes))
        } else {
            var indentation = style.indentation
            for _ in 0..<self.indentation { indentation += style.unit }
            output.append(Self.dataLines(bytes, newline: style.newline, indentation: Self.dataIndentation(indentation)))
            output.append(style.newline)
            indent()
        }
        appendLine("</data>\n")
    }

    /// Lines of base64, each with its indentation and a line break before it.
    ///
    /// - Parameter characters: What a line holds, a multiple of four; as many as there is room for if nil.
    static func dataLines(
        _ bytes: [UInt8], newline: [UInt8], indentation: [UInt8], characters: Int? = nil
    ) -> [UInt8] {
        let width = indentation.reduce(0) { $0 + ($1 == UInt8(ascii: "\t") ? tabColumns : 1) }
        let lineBytes = (characters ?? max(columns - width, columns - dataColumns)) / 4 * 3
        var lines = TextBuffer(capacity: bytes.count / 3 * 4 + 4)
        bytes.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let end = min(start + lineBytes, bytes.count)
                lines.append(newline)
                lines.append(indentation)
                Base64.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), to: &lines)
                start = end
            }
        }
        return lines.array
    }

    /// As much of an element's indentation as its data has.
    static func dataIndentation(_ indentation: [UInt8]) -> [UInt8] {
        var width = 0
        return [UInt8](
            indentation.prefix {
                width += $0 == UInt8(ascii: "\t") ? tabColumns : 1
                return width <= dataColumns
            })
    }
}
