/// The text that a writer makes, line by line, and whether there is too much of it.
struct PlistTextOutput: ~Copyable {
    /// Output that passes this size is checked for what it will come to, before more memory is spent on it.
    private static let measuredSize = 16 << 20
    /// What a key or value takes in JSON and OpenStep at least, with what separates it from the next.
    private static let elementBytes = 2

    private let root: PlistValue
    let style: PlistTextStyle
    private let limits: PlistLimits
    private var isMeasured = false
    var text = TextBuffer(capacity: 4096)

    init(_ root: PlistValue, style: PlistTextStyle, limits: PlistLimits) {
        self.root = root
        self.style = style
        self.limits = limits
    }

    /// Ends the line and indents the next one for so many containers of the value around it. On one line there is a
    /// blank instead, or nothing.
    ///
    /// - Parameter depth: how many containers are around what the line is for, which may be deeper than the line itself.
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

    /// Throws `limitExceeded` if the text is, or will be, larger than allowed.
    mutating func checkSize() throws(PlistError) {
        if text.count > min(limits.outputBytes - style.precedingBytes, Self.measuredSize) { try checkLargeSize() }
    }

    /// Shared objects are written wherever they are used, so a few bytes read could become any number.
    private mutating func checkLargeSize() throws(PlistError) {
        var size = text.count
        if !isMeasured {
            isMeasured = true
            var measure = PlistTextMeasure(depth: limits.depth, elementBytes: Self.elementBytes)
            size = max(size, measure.minimumBytes(of: root))
        }
        guard size <= limits.outputBytes - style.precedingBytes else {
            throw PlistError(
                .limitExceeded, "the text would be larger than \(limits.outputBytes) bytes", pointer: "",
                hint: "text repeats values that a binary property list stores once")
        }
    }
}
