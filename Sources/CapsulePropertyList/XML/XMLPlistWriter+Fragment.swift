/// Writes values to insert into an existing document.
extension XMLPlistWriter {
    /// The columns that a data line with its indentation may fill, as in the canonical layout.
    private static let columns = 76
    /// The maximum indentation of data, in columns.
    private static let dataColumns = 64
    private static let tabColumns = 8

    /// Returns an element with its content, without the indentation of its first line and the end of its last line.
    ///
    /// - Throws: the errors of `write`. Their pointers begin at the element.
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

    /// Returns the element of a key.
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

    /// Appends text that ends with LF, which is replaced by the document's line end.
    mutating func appendFragmentLine(_ text: StaticString) {
        output.append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount - 1))
        if !style.isInline { output.append(style.newline) }
    }

    /// Appends text with the document's line ends, and with numeric references for characters that its encoding doesn't have.
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

    /// Returns lines of base64, each preceded by a line break and its indentation.
    ///
    /// - Parameter characters: the number of characters per line, which must be a multiple of four; nil for as many as fit.
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

    /// Returns the part of an element's indentation that its data uses.
    static func dataIndentation(_ indentation: [UInt8]) -> [UInt8] {
        var width = 0
        return [UInt8](
            indentation.prefix {
                width += $0 == UInt8(ascii: "\t") ? tabColumns : 1
                return width <= dataColumns
            })
    }
}
