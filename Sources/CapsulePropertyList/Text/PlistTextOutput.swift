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

/// How a writer of text lays out what it writes: a document, or a value that goes into one.
struct PlistTextStyle: Hashable, Sendable {
    /// What ends a line.
    var newline: [UInt8] = [0x0A]
    /// What every line but the first begins with.
    var indentation: [UInt8] = []
    /// What a line begins with besides, once for each container of the value that is around it.
    var unit: [UInt8] = []
    /// True if everything stays on one line.
    var isInline = false
    /// Containers around what has lines of its own at most; what is deeper stays on the line of its container. nil for all.
    var lineDepth: Int?
    /// What is between elements, besides the comma, that are on one line. XML has nothing there.
    var blank: [UInt8] = [0x20]
    /// What is between a key and its value, where the writer's own way is not wanted. XML has nothing there.
    var joint: [UInt8]?
    /// How many containers are around the value.
    var depth = 0
    /// How many bytes of a document were written before, which count towards its size.
    var precedingBytes = 0
}

/// How long the text of a value will be at least, found out in time linear in its distinct objects.
struct PlistTextMeasure {
    private let depth: Int
    /// What each key and each value takes besides the characters of a string or key.
    private let elementBytes: Int
    /// From a container's address to its size.
    private var sizes: [UInt: Int] = [:]

    /// A measure that does not look into containers deeper than the writer goes.
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

    /// The least number of bytes; `Int.max` if it is more than that.
    ///
    /// The stack is an explicit one, so that depth costs no call stack.
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

    /// Counts the next child's key, if it has one.
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

    /// The size of a scalar, and of a container that has been measured or is too deep to be; any other is put on the stack.
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

/// Goes through a value in the order in which a text holds it, on an explicit stack.
struct PlistWalk: ~Copyable {
    enum Visit {
        /// A scalar, or a container with nothing in it.
        case leaf(PlistValue)
        /// A container with something in it, which comes next.
        case open(PlistValue)
        /// The end of the container that was opened last.
        case close(PlistValue)
    }

    private struct Frame {
        let container: PlistValue
        /// How many children have been begun.
        var begun = 0
    }

    private var root: PlistValue?
    private let depth: Int
    /// How many containers are around the root.
    private let outerDepth: Int
    private var frames: [Frame] = []
    /// The key of the value just visited, if it is a dictionary's and not its close.
    private(set) var key: PlistString?

    init(_ root: PlistValue, limits: PlistLimits, outerDepth: Int) {
        self.root = root
        depth = limits.depth
        self.outerDepth = outerDepth
    }

    /// Whether the value just visited is the first one in its container.
    var isFirst: Bool { frames.last.map { $0.begun == 1 } ?? true }

    /// What comes next; nil at the end. Throws `limitExceeded` at a container that is too deep.
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

    /// Opens a container just visited, whose children come next.
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

    /// The way to the value just visited.
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
