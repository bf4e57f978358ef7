/// The text that a writer creates line by line, with a check of its size.
struct PlistTextOutput: ~Copyable {
    /// The size from which the total size is computed in advance, before more memory is used.
    private static let measuredSize = 16 << 20
    /// The minimum number of bytes of a key or value in JSON and OpenStep, with its separator.
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

    /// Checks the total size. Shared objects are written wherever they are used, so a small document could expand to any size.
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

/// Computes the minimum length of a value's text, in time linear in its distinct objects.
struct PlistTextMeasure {
    private let depth: Int
    /// The number of bytes of each key and value in addition to the characters of strings and keys.
    private let elementBytes: Int
    /// The size of each measured container, by its address.
    private var sizes: [UInt: Int] = [:]

    /// Creates a measure. Containers deeper than the writer's limit are not examined.
    init(depth: Int, elementBytes: Int) {
        self.depth = depth
        self.elementBytes = elementBytes
    }

    /// A container that is being measured.
    private struct Frame {
        let container: PlistValue
        let address: UInt
        var next = 0
        var size: Int
    }

    /// Returns the minimum number of bytes, or `Int.max` if that overflows.
    ///
    /// Uses an explicit stack, so that depth uses no call stack.
    mutating func minimumBytes(of value: PlistValue) -> Int {
        var frames: [Frame] = []
        var result = begin(value, &frames)
        while let top = frames.indices.last {
            if let size = result {
                result = nil
                frames[top].size = Self.sum(frames[top].size, size)
            } else if let child = nextChild(of: &frames[top]) {
                result = begin(child, &frames)
            } else {
                let frame = frames.removeLast()
                sizes[frame.address] = frame.size
                result = frame.size
            }
        }
        return result ?? 0
    }

    /// Returns the next child, after counting its key if it has one.
    private func nextChild(of frame: inout Frame) -> PlistValue? {
        defer { frame.next += 1 }
        switch frame.container {
        case .array(let elements) where frame.next < elements.count: return elements[frame.next]
        case .dictionary(let dictionary) where frame.next < dictionary.count:
            let entry = dictionary.entries[frame.next]
            frame.size = Self.sum(frame.size, elementBytes + entry.key.utf8.count)
            return entry.value
        default: return nil
        }
    }

    /// Returns the size of a scalar, or of a container that was measured or is too deep, or nil for another container, which is
    /// pushed on the stack.
    private func begin(_ value: PlistValue, _ frames: inout [Frame]) -> Int? {
        let address: UInt
        switch value {
        case .string(let string): return elementBytes + string.utf8.count
        case .data(let bytes): return elementBytes + bytes.count
        case .integer, .real, .boolean, .date, .uid, .null: return elementBytes
        case .array(let elements): address = elements.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        case .dictionary(let dictionary):
            address = dictionary.entries.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }
        guard frames.count < depth else { return elementBytes }
        if let size = sizes[address] { return size }
        frames.append(Frame(container: value, address: address, size: elementBytes))
        return nil
    }

    private static func sum(_ left: Int, _ right: Int) -> Int {
        let sum = left.addingReportingOverflow(right)
        return sum.overflow ? .max : sum.partialValue
    }
}

/// Visits a value in text order, using an explicit stack.
struct PlistWalk: ~Copyable {
    enum Visit {
        /// A scalar or an empty container.
        case leaf(PlistValue)
        /// A nonempty container, whose content comes next.
        case open(PlistValue)
        /// The end of the container that was opened last.
        case close(PlistValue)
    }

    private struct Frame {
        let container: PlistValue
        /// The number of children that were begun.
        var begun = 0
    }

    private var root: PlistValue?
    private let depth: Int
    /// The number of containers around the root.
    private let outerDepth: Int
    private var frames: [Frame] = []
    /// The key of the value just visited, if it is in a dictionary and is not a close.
    private(set) var key: PlistString?

    init(_ root: PlistValue, limits: PlistLimits, outerDepth: Int) {
        self.root = root
        depth = limits.depth
        self.outerDepth = outerDepth
    }

    /// True if the value just visited is the first one in its container.
    var isFirst: Bool { frames.last.map { $0.begun == 1 } ?? true }

    /// Returns the next visit, or nil at the end.
    ///
    /// - Throws: `limitExceeded` for a container that is too deep.
    mutating func next() throws(PlistError) -> Visit? {
        guard let frame = frames.last else {
            guard let value = root else { return nil }
            root = nil
            return try visit(value)
        }
        let position = frame.begun
        switch frame.container {
        case .array(let elements) where position < elements.count:
            frames[frames.count - 1].begun += 1
            key = nil
            return try visit(elements[position])
        case .dictionary(let dictionary) where position < dictionary.count:
            frames[frames.count - 1].begun += 1
            key = dictionary.entries[position].key
            return try visit(dictionary.entries[position].value)
        default:
            frames.removeLast()
            return .close(frame.container)
        }
    }

    /// Enters a container just visited, whose children come next.
    mutating func enter(_ container: PlistValue) {
        frames.append(Frame(container: container))
    }

    private func visit(_ value: PlistValue) throws(PlistError) -> Visit {
        let isEmpty: Bool
        switch value {
        case .array(let elements): isEmpty = elements.isEmpty
        case .dictionary(let dictionary): isEmpty = dictionary.isEmpty
        default: return .leaf(value)
        }
        guard outerDepth + frames.count < depth else { throw PlistTextStack.depthFailure(depth, at: nil) }
        return isEmpty ? .leaf(value) : .open(value)
    }

    /// The pointer steps to the value just visited.
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
