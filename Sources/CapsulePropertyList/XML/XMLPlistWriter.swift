/// Writes canonical XML property lists: Apple's layout, one spelling for each value, the same bytes everywhere.
///
/// Keys come in the document's order and lines end in LF. Where Apple's writer loses something this one does not: a
/// real is the shortest spelling that reads back as the same number (Apple writes 17 digits), -0.0 keeps its sign, and
/// CR is written `&#13;`. (layout as of CoreFoundation's CFPropertyList.c)
public struct XMLPlistWriter: ~Copyable {
    /// The only key of the dictionary that stands for a UID.
    static let uidKey: PlistString = "CF$UID"
    /// Output that passes this size is checked for what it will come to, before more memory is spent on it.
    private static let measuredSize = 16 << 20
    /// What a tag pair and a newline take, if the element's name is as short as any.
    private static let elementBytes = 8

    /// A container that is being written.
    private struct Frame {
        let container: PlistValue
        /// How many children have been begun.
        var begun = 0
    }

    private let limits: PlistLimits
    private let root: PlistValue
    /// How a fragment is laid out; the canonical layout of a document has no need of it.
    let style: PlistTextStyle
    /// Whether a value is written that goes into a document.
    let isFragment: Bool
    /// Whether other characters than ASCII's are written as numbers.
    let isASCII: Bool
    /// What the limits leave to this writer.
    private let depth: Int
    private let outputBytes: Int
    private var isMeasured = false
    private var frames: [Frame] = []
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

    /// The document, with a newline at its end.
    ///
    /// Throws `notRepresentable`, with the pointer to the value, for what XML can't hold: dates with fractions of a
    /// second or outside of the years 0 to 9999; null; strings and keys with U+0000 to U+001F other than tab, LF and CR, or
    /// with U+FFFE or U+FFFF; a dictionary that would read back as a UID; a NaN with other bits than `Double.nan`.
    /// Throws `limitExceeded` for too much output or depth.
    public static func write(_ value: PlistValue, limits: PlistLimits = .standard) throws(PlistError) -> [UInt8] {
        var writer = XMLPlistWriter(value, limits: limits)
        do throws(PlistError) {
            try writer.writeDocument()
        } catch {
            throw error.pointing(to: writer.steps)
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
        try writeRoot()
        output.append("</plist>\n")
        try checkSize()
    }

    /// Writes the value, each element on a line of its own with the line's indentation and end.
    mutating func writeRoot() throws(PlistError) {
        try begin(root)
        while let frame = frames.last {
            switch frame.container {
            case .array(let elements): try writeChildren(of: elements, from: frame.begun)
            case .dictionary(let dictionary): try writeChildren(of: dictionary, from: frame.begun)
            default: frames.removeLast()
            }
        }
    }

    /// Writes an array's elements up to one that holds others itself, or else the array's end.
    private mutating func writeChildren(of elements: [PlistValue], from start: Int) throws(PlistError) {
        let depth = frames.count
        for position in start..<elements.count {
            frames[depth - 1].begun = position + 1
            try begin(elements[position])
            try checkSize()
            if frames.count > depth { return }
        }
        frames.removeLast()
        indent()
        appendLine("</array>\n")
    }

    /// Writes a dictionary's entries up to one that holds others itself, or else the dictionary's end.
    private mutating func writeChildren(of dictionary: PlistDictionary, from start: Int) throws(PlistError) {
        let depth = frames.count
        for position in start..<dictionary.count {
            frames[depth - 1].begun = position + 1
            let (key, value) = dictionary[position]
            indent()
            output.append("<key>")
            try appendText(key)
            appendLine("</key>\n")
            try begin(value)
            try checkSize()
            if frames.count > depth { return }
        }
        frames.removeLast()
        indent()
        appendLine("</dict>\n")
    }

    /// Writes a scalar or an empty container; of another container the opening tag.
    private mutating func begin(_ value: PlistValue) throws(PlistError) {
        indent()
        switch value {
        case .array(let elements):
            try checkDepth()
            appendLine(elements.isEmpty ? "<array/>\n" : "<array>\n")
            if !elements.isEmpty { frames.append(Frame(container: value)) }
        case .dictionary(let dictionary):
            try checkDepth()
            try Self.check(dictionary)
            appendLine(dictionary.isEmpty ? "<dict/>\n" : "<dict>\n")
            if !dictionary.isEmpty { frames.append(Frame(container: value)) }
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
    }

    /// Throws if the dictionary would be something else when it is read.
    static func check(_ dictionary: PlistDictionary) throws(PlistError) {
        if dictionary.count == 1, let uid = dictionary[uidKey]?.integer?.uint64 {
            throw PlistError(.notRepresentable, "a dictionary {CF$UID: \(uid)} would read back as a UID")
        }
    }

    private func checkDepth() throws(PlistError) {
        guard frames.count < depth else {
            throw PlistError(.limitExceeded, "containers nest deeper than \(limits.depth) levels")
        }
    }

    /// The number of levels by which the next line is indented.
    var indentation: Int { frames.count }

    func failure(_ message: String) -> PlistError {
        PlistError(.notRepresentable, message)
    }

    mutating func checkSize() throws(PlistError) {
        if output.count > min(outputBytes, Self.measuredSize) { try checkLargeSize() }
    }

    /// Shared objects are written wherever they are used, so a few bytes read could become any number.
    private mutating func checkLargeSize() throws(PlistError) {
        var size = output.count
        if !isMeasured {
            isMeasured = true
            var measure = PlistTextMeasure(depth: depth, elementBytes: Self.elementBytes)
            size = max(size, measure.minimumBytes(of: root))
        }
        guard size <= outputBytes else {
            throw PlistError(
                .limitExceeded, "the XML would be larger than \(limits.outputBytes) bytes", pointer: "",
                hint: "XML repeats values that a binary property list stores once")
        }
    }

    /// The way to the value being written.
    var steps: [PlistPointerStep] {
        frames.compactMap { frame in
            guard frame.begun > 0 else { return nil }
            switch frame.container {
            case .dictionary(let dictionary): return .key(dictionary[frame.begun - 1].key)
            default: return .index(frame.begun - 1)
            }
        }
    }
}
