/// Writes canonical XML property lists in Apple's layout. Each value has exactly one encoding, with the same bytes everywhere.
///
/// Keys are in the document's order, and lines end in LF. Unlike Apple's writer, this one loses nothing: a real is the shortest
/// text that reads back as the same number (Apple writes 17 digits), -0.0 keeps its sign, and CR is written as `&#13;`. (layout as
/// in CoreFoundation's CFPropertyList.c)
package struct XMLPlistWriter: ~Copyable {
    /// The only key of the dictionary that represents a UID.
    static let uidKey: PlistString = "CF$UID"
    /// The size from which the total size is computed in advance, before more memory is used.
    private static let measuredSize = 16 << 20
    /// The minimum number of bytes of an element with its tags and a newline.
    private static let elementBytes = 8

    private let limits: PlistLimits
    private let root: PlistValue
    /// The layout of a fragment. It doesn't affect the canonical layout of a document.
    let style: PlistTextStyle
    let isFragment: Bool
    let isASCII: Bool
    private let depth: Int
    private let outputBytes: Int
    private var isMeasured = false
    private var trail = PlistTrail()
    var output = TextBuffer(capacity: 4096)

    init(_ root: PlistValue, limits: PlistLimits, fragment style: PlistTextStyle? = nil, isASCII: Bool = false) {
        self.root = root
        self.limits = limits
        self.style = style ?? PlistTextStyle()
        isFragment = style != nil
        depth = limits.depth - self.style.depth
        outputBytes = limits.outputBytes - self.style.precedingBytes
        self.isASCII = isASCII
    }

    /// Returns the document for a value, with a newline at the end.
    /// - Throws: `notRepresentable`, with the pointer to the value, for what XML can't hold: dates with fractions of a second or
    ///   outside of the years 0 to 9999; dates that are -0.0 or not finite; null; strings and keys with U+0000 to U+001F other than
    ///   tab, LF and CR, or with U+FFFE or U+FFFF; a dictionary that would read back as a UID; a NaN with other bits than
    ///   `Double.nan`. Throws `limitExceeded` for too much output or depth.
    package static func write(_ value: PlistValue, limits: PlistLimits = .standard) throws(PlistError) -> [UInt8] {
        var writer = XMLPlistWriter(value, limits: limits)
        do throws(PlistError) {
            try writer.writeDocument()
        } catch {
            throw error.pointing(to: writer.trail.steps(from: value))
        }
        return writer.output.array
    }

    private mutating func writeDocument() throws(PlistError) {
        output.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """)
        try write(root)
        output.append("</plist>\n")
        try checkSize()
    }

    private mutating func write(_ value: PlistValue) throws(PlistError) {
        switch value {
        case .array(let elements) where !elements.isEmpty: try write(elements)
        case .dictionary(let dictionary) where !dictionary.isEmpty: try write(dictionary)
        default: try writeLeaf(value)
        }
    }

    private mutating func write(_ elements: [PlistValue]) throws(PlistError) {
        try open("<array>\n")
        for position in 0..<elements.count {
            trail.go(to: position)
            try write(elements[position])
        }
        close("</array>\n")
    }

    private mutating func write(_ dictionary: PlistDictionary) throws(PlistError) {
        try open(dictionary)
        for position in 0..<dictionary.count {
            trail.go(to: position)
            try write(key: dictionary.entries[position].key)
            try write(dictionary.entries[position].value)
        }
        close("</dict>\n")
    }

    private mutating func open(_ dictionary: PlistDictionary) throws(PlistError) {
        try checkDepth()
        try Self.check(dictionary)
        try open("<dict>\n")
    }

    private mutating func open(_ tag: StaticString) throws(PlistError) {
        try checkDepth()
        indent()
        appendLine(tag)
        try checkSize()
        trail.enter()
    }

    private mutating func close(_ tag: StaticString) {
        trail.leave()
        indent()
        appendLine(tag)
    }

    private mutating func write(key: PlistString) throws(PlistError) {
        indent()
        output.append("<key>")
        try appendText(key)
        appendLine("</key>\n")
    }

    private mutating func writeLeaf(_ value: PlistValue) throws(PlistError) {
        indent()
        switch value {
        case .array:
            try checkDepth()
            appendLine("<array/>\n")
        case .dictionary:
            try checkDepth()
            appendLine("<dict/>\n")
        case .string(let string):
            output.append("<string>")
            try appendText(string)
            appendLine("</string>\n")
        case .integer(let integer):
            output.append("<integer>")
            appendDecimal(integer)
            appendLine("</integer>\n")
        case .boolean(let boolean):
            appendLine(boolean ? "<true/>\n" : "<false/>\n")
        case .real(let real):
            output.append("<real>")
            try appendReal(real)
            appendLine("</real>\n")
        case .date(let seconds):
            output.append("<date>")
            try appendDate(seconds)
            appendLine("</date>\n")
        case .data(let bytes):
            appendData(bytes)
        case .uid(let uid):
            appendUID(uid)
        case .null:
            throw failure("XML has no null")
        }
        try checkSize()
    }

    /// Throws an error if the dictionary would read back as a different value.
    static func check(_ dictionary: PlistDictionary) throws(PlistError) {
        if dictionary.count == 1, let uid = dictionary[uidKey]?.integer?.uint64 {
            throw PlistError(.notRepresentable, "a dictionary {CF$UID: \(uid)} would read back as a UID")
        }
    }

    private func checkDepth() throws(PlistError) {
        guard trail.count < depth else {
            throw PlistTextStack.depthFailure(limits.depth, at: nil)
        }
    }

    var indentation: Int { trail.count }

    func failure(_ message: String) -> PlistError {
        PlistError(.notRepresentable, message)
    }

    mutating func checkSize() throws(PlistError) {
        if output.count > min(outputBytes, Self.measuredSize) { try checkLargeSize() }
    }

    private mutating func checkLargeSize() throws(PlistError) {
        var size = output.count
        if !isMeasured {
            isMeasured = true
            let measure = PlistTextMeasure(depth: depth, elementBytes: Self.elementBytes)
            size = max(size, measure.minimumBytes(of: root))
        }
        guard size <= outputBytes else {
            throw PlistError(
                .limitExceeded, "the XML would be larger than \(limits.outputBytes) bytes", pointer: "",
                hint: "XML repeats values that a binary property list stores once")
        }
    }
}

extension XMLPlistWriter {
    /// The columns that a data line with its indentation may fill, as in the canonical layout.
    private static let columns = 76
    /// The maximum indentation of data, in columns.
    private static let dataColumns = 64
    private static let tabColumns = 8

    static func fragment(_ value: PlistValue, style: PlistTextStyle, limits: PlistLimits, isASCII: Bool) throws(PlistError)
        -> [UInt8]
    {
        var writer = XMLPlistWriter(value, limits: limits, fragment: style, isASCII: isASCII)
        do throws(PlistError) {
            try writer.write(value)
            try writer.checkSize()
        } catch {
            throw error.pointing(to: writer.trail.steps(from: value))
        }
        if style.isInline { return writer.output.array }
        return [UInt8](writer.output.bytes.dropFirst(style.indentation.count).dropLast(style.newline.count))
    }

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

    /// - Parameter characters: the number of characters per line, which must be a multiple of four; nil for as many as fit.
    static func dataLines(_ bytes: [UInt8], newline: [UInt8], indentation: [UInt8], characters: Int? = nil) -> [UInt8] {
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

    static func dataIndentation(_ indentation: [UInt8]) -> [UInt8] {
        var width = 0
        return [UInt8](
            indentation.prefix {
                width += $0 == UInt8(ascii: "\t") ? tabColumns : 1
                return width <= dataColumns
            })
    }
}

extension XMLPlistWriter {
    /// The maximum number of characters in a data line. Each tab counts as eight, as in Apple's writer.
    private static let lineLength = 76
    /// The maximum indentation of data, in tabs.
    private static let dataIndentation = 8

    mutating func indent() {
        if isFragment { return indentFragment() }
        output.append(repeating: UInt8(ascii: "\t"), count: indentation)
    }

    /// Appends text that ends with LF, which represents the end of a line.
    mutating func appendLine(_ text: StaticString) {
        if isFragment { return appendFragmentLine(text) }
        output.append(text)
    }

    mutating func appendText(_ string: PlistString) throws(PlistError) {
        if isFragment { return try appendFragmentText(string) }
        let forbidden = string.withUTF8 { Self.append(UnsafeRawBufferPointer($0), to: &output) }
        try checkCharacter(forbidden)
    }

    func checkCharacter(_ forbidden: UInt32?) throws(PlistError) {
        if let forbidden {
            let number = String(forbidden, radix: 16, uppercase: true)
            let padding = String(repeating: "0", count: 4 - number.count)
            throw failure("XML can't hold the character U+\(padding)\(number)")
        }
    }

    /// Appends escaped text. Returns the character that stopped it if XML doesn't allow that character.
    static func append(_ text: UnsafeRawBufferPointer, to output: inout TextBuffer) -> UInt32? {
        var start = 0
        var place = 0
        while place < text.count {
            if place &+ 8 <= text.count {
                let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                let stops = XMLCharacters.escapes(in: word)
                guard stops != 0 else {
                    place &+= 8
                    continue
                }
                place &+= stops.trailingZeroBitCount >> 3
            }
            let escape: StaticString
            switch text[place] {
            case UInt8(ascii: "&"): escape = "&amp;"
            case UInt8(ascii: "<"): escape = "&lt;"
            case UInt8(ascii: ">"): escape = "&gt;"
            case 0x0D: escape = "&#13;"
            case let byte where byte < 0x20 && byte != 0x09 && byte != 0x0A:
                return UInt32(byte)
            case 0xEF where text[place &+ 1] == 0xBF && text[place &+ 2] >= 0xBE:
                return 0xFF40 + UInt32(text[place &+ 2])
            default:
                place &+= 1
                continue
            }
            output.append(UnsafeRawBufferPointer(rebasing: text[start..<place]))
            output.append(escape)
            place &+= 1
            start = place
        }
        output.append(UnsafeRawBufferPointer(rebasing: text[start...]))
        return nil
    }

    mutating func appendDecimal(_ integer: PlistInteger) {
        if integer.isNegative { output.append(UInt8(ascii: "-")) }
        appendDecimal(integer.magnitude, digits: 1)
    }

    private mutating func appendDecimal(_ number: UInt64, digits least: Int) {
        var count = 1
        var power: UInt64 = 1
        // There are at most 20 digits. Another power would overflow, but the loop's condition never requires it.
        while number / power >= 10 {
            power *= 10
            count += 1
        }
        if count < least { output.append(repeating: UInt8(ascii: "0"), count: least - count) }
        while power > 0 {
            output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / power % 10))
            power /= 10
        }
    }

    mutating func appendReal(_ real: Double) throws(PlistError) {
        if real.isNaN, real.bitPattern != Double.nan.bitPattern {
            let bits = String(real.bitPattern, radix: 16)
            throw failure("XML can't hold a NaN with the bits 0x\(bits)")
        }
        for byte in RealSpelling.spell(real).utf8 { output.append(byte) }
    }

    mutating func appendDate(_ seconds: Double) throws(PlistError) {
        guard let whole = Int(exactly: seconds), !(whole == 0 && seconds.sign == .minus) else {
            throw failure(
                seconds.isFinite
                    ? "XML can't hold fractions of a second in a date: \(seconds)" : "not a valid date: \(seconds)")
        }
        guard CivilTime.secondsOfYears.contains(whole) else {
            throw failure("XML can't hold a date outside the years 0 to 9999")
        }
        let time = CivilTime(secondsSince2001: whole)
        appendDecimal(UInt64(time.year), digits: 4)
        for (separator, number) in zip("--T::".utf8, [time.month, time.day, time.hour, time.minute, time.second]) {
            output.append(separator)
            appendDecimal(UInt64(number), digits: 2)
        }
        output.append(UInt8(ascii: "Z"))
    }

    mutating func appendData(_ bytes: [UInt8]) {
        if isFragment { return appendFragmentData(bytes) }
        let tabs = min(indentation, Self.dataIndentation)
        let lineBytes = (Self.lineLength - 8 * tabs) / 4 * 3
        output.append("<data>\n")
        bytes.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let end = min(start + lineBytes, bytes.count)
                output.append(repeating: UInt8(ascii: "\t"), count: tabs)
                Base64.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), to: &output)
                output.append(0x0A)
                start = end
            }
        }
        indent()
        output.append("</data>\n")
    }

    mutating func appendUID(_ uid: UInt64) {
        appendLine("<dict>\n")
        indent()
        appendUnit()
        appendLine("<key>CF$UID</key>\n")
        indent()
        appendUnit()
        output.append("<integer>")
        appendDecimal(uid, digits: 1)
        appendLine("</integer>\n")
        indent()
        appendLine("</dict>\n")
    }

    private mutating func appendUnit() {
        guard isFragment else { return output.append(UInt8(ascii: "\t")) }
        if !style.isInline { output.append(style.unit) }
    }
}
