/// The text that a writer creates line by line, with a check of its size.
struct PlistTextOutput: ~Copyable {
    /// The size from which the total size is computed in advance, before more memory is used.
    private static let measuredSize = 16 << 20
    /// The minimum number of bytes of a key or value in JSON and OpenStep, with its separator.
    private static let elementBytes = 2

    let root: PlistValue
    let style: PlistTextStyle
    private let limits: PlistLimits
    private var isMeasured = false
    /// The way to the value that is being written.
    var trail = PlistTrail()
    var text = TextBuffer(capacity: 4096)

    init(_ root: PlistValue, style: PlistTextStyle, limits: PlistLimits) {
        self.root = root
        self.style = style
        self.limits = limits
    }

    /// The pointer steps to the value that is being written.
    var steps: [PlistPointerStep] { trail.steps(from: root) }

    /// Ends the line and indents the next one for a number of containers around it. On one line, appends a blank or nothing
    /// instead.
    ///
    /// - Parameter depth: the number of containers around the value on the line, if that is deeper than the line itself.
    mutating func newLine(level: Int, depth: Int? = nil, hasBlank: Bool) {
        guard !style.isInline, (depth ?? level) <= style.lineDepth ?? .max else {
            if hasBlank { text.append(style.blank) }
            return
        }
        text.append(style.newline)
        text.append(style.indentation)
        if style.unit.count == 1 {
            text.append(repeating: style.unit[0], count: level)
        } else {
            for _ in 0..<level { text.append(style.unit) }
        }
    }

    mutating func append(_ string: String) {
        for byte in string.utf8 { text.append(byte) }
    }

    /// Checks the size.
    ///
    /// - Throws: `limitExceeded` if the text is, or will be, larger than allowed.
    mutating func checkSize() throws(PlistError) {
        if text.count > min(limits.outputBytes - style.precedingBytes, Self.measuredSize) { try checkLargeSize() }
    }

    /// Checks the total size, the first time of the entire text.
    private mutating func checkLargeSize() throws(PlistError) {
        var size = text.count
        if !isMeasured {
            isMeasured = true
            let measure = PlistTextMeasure(depth: limits.depth, elementBytes: Self.elementBytes)
            size = max(size, measure.minimumBytes(of: root))
        }
        guard size <= limits.outputBytes - style.precedingBytes else {
            throw PlistError(
                .limitExceeded, "the text would be larger than \(limits.outputBytes) bytes", pointer: "",
                hint: "text repeats values that a binary property list stores once")
        }
    }
}

/// The layout of text that a writer creates for a document, or for a value inside a document.
struct PlistTextStyle: Hashable, Sendable {
    /// The line end.
    var newline: [UInt8] = [0x0A]
    /// The beginning of every line except the first.
    var indentation: [UInt8] = []
    /// The additional indentation of a line for each container around it in the value.
    var unit: [UInt8] = []
    /// True if everything is on one line.
    var isInline = false
    /// The maximum number of containers around a value with lines of its own. Deeper values stay on the line of their container.
    /// Nil for no limit.
    var lineDepth: Int?
    /// The text between elements on one line, after the comma. Not used in XML.
    var blank: [UInt8] = [0x20]
    /// The text between a key and its value; nil for the writer's default. Not used in XML.
    var joint: [UInt8]?
    /// The number of containers around the value.
    var depth = 0
    /// The number of bytes of the document that were written before, which count towards its size.
    var precedingBytes = 0
}

/// Computes the minimum length of a value's text.
struct PlistTextMeasure {
    /// The maximum depth of the writer. Deeper containers are not examined.
    let depth: Int
    /// The number of bytes of each key and value in addition to the characters of strings and keys.
    let elementBytes: Int

    /// Returns the minimum number of bytes of a value with a number of containers around it.
    func minimumBytes(of value: PlistValue, level: Int = 0) -> Int {
        switch value {
        case .array(let elements) where level < depth: minimumBytes(of: elements, level: level)
        case .dictionary(let dictionary) where level < depth: minimumBytes(of: dictionary, level: level)
        case .string(let string): elementBytes + string.utf8.count
        case .data(let bytes): elementBytes + bytes.count
        default: elementBytes
        }
    }

    private func minimumBytes(of elements: [PlistValue], level: Int) -> Int {
        var size = elementBytes
        for position in 0..<elements.count { size += minimumBytes(of: elements[position], level: level + 1) }
        return size
    }

    private func minimumBytes(of dictionary: PlistDictionary, level: Int) -> Int {
        var size = elementBytes
        for position in 0..<dictionary.count {
            size += elementBytes + dictionary.entries[position].key.utf8.count
            size += minimumBytes(of: dictionary.entries[position].value, level: level + 1)
        }
        return size
    }
}
