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

    /// The least number of bytes; `Int.max` if it is more than that.
    mutating func minimumBytes(of value: PlistValue) -> Int {
        minimumBytes(of: value, depth: 0)
    }

    private mutating func minimumBytes(of value: PlistValue, depth: Int) -> Int {
        switch value {
        case .string(let string):
            return elementBytes + string.utf8.count
        case .data(let bytes):
            return elementBytes + bytes.count
        case .integer, .real, .boolean, .date, .uid, .null:
            return elementBytes
        case .array(let elements):
            let address = elements.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            if let size = known(address, depth: depth) { return size }
            var size = elementBytes
            for element in elements {
                size = Self.sum(size, minimumBytes(of: element, depth: depth + 1))
            }
            sizes[address] = size
            return size
        case .dictionary(let dictionary):
            let address = dictionary.entries.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            if let size = known(address, depth: depth) { return size }
            var size = elementBytes
            for entry in dictionary.entries {
                size = Self.sum(size, elementBytes + entry.key.utf8.count)
                size = Self.sum(size, minimumBytes(of: entry.value, depth: depth + 1))
            }
            sizes[address] = size
            return size
        }
    }

    /// The size of a container that has been measured, or is too deep to be.
    private func known(_ address: UInt, depth: Int) -> Int? {
        depth < self.depth ? sizes[address] : elementBytes
    }

    private static func sum(_ left: Int, _ right: Int) -> Int {
        let sum = left.addingReportingOverflow(right)
        return sum.overflow ? .max : sum.partialValue
    }
}
