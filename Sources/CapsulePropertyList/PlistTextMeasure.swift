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
