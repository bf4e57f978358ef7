extension PlistValue: Equatable {
    /// Returns true if no encoding could distinguish the two values.
    public static func == (left: PlistValue, right: PlistValue) -> Bool {
        switch (left, right) {
        case (.array(let left), .array(let right)): areEqual(left, right)
        case (.dictionary(let left), .dictionary(let right)): left == right
        default: areEqualScalars(left, right)
        }
    }

    private static func areEqual(_ left: [PlistValue], _ right: [PlistValue]) -> Bool {
        guard left.count == right.count else { return false }
        if hasSameStorage(left, right) { return true }
        for position in left.indices {
            // `!=` would take more stack.
            guard left[position] == right[position] else { return false }
        }
        return true
    }

    private static func areEqualScalars(_ left: PlistValue, _ right: PlistValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)), (.date(let left), .date(let right)): left.bitPattern == right.bitPattern
        case (.boolean(let left), .boolean(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        case (.uid(let left), .uid(let right)): left == right
        case (.null, .null): true
        default: false
        }
    }

    /// Returns true if two arrays are copies of each other that were never changed. Their elements need no comparison.
    fileprivate static func hasSameStorage<Element>(_ left: [Element], _ right: [Element]) -> Bool {
        left.withUnsafeBytes { $0.baseAddress } == right.withUnsafeBytes { $0.baseAddress }
    }
}

extension PlistDictionary: Equatable {
    /// Returns true if both dictionaries have the same keys with the same values, in any order.
    public static func == (left: PlistDictionary, right: PlistDictionary) -> Bool {
        guard left.count == right.count else { return false }
        if PlistValue.hasSameStorage(left.entries, right.entries) { return true }
        for position in left.entries.indices {
            guard let other = right.position(of: left.entries[position].key, near: position),
                left.entries[position].value == right.entries[other].value
            else { return false }
        }
        return true
    }

    /// Returns the position of a key. Most equal dictionaries have their keys in the same order, so one position is tried first.
    private func position(of key: PlistString, near position: Int) -> Int? {
        entries[position].key == key ? position : self.position(of: key)
    }
}

extension PlistValue: Hashable {
    /// Hashes the whole value, in time linear in its size.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .array(let elements): Self.hash(elements, into: &hasher)
        case .dictionary(let dictionary): dictionary.hash(into: &hasher)
        default: hashScalar(into: &hasher)
        }
    }

    private static func hash(_ elements: [PlistValue], into hasher: inout Hasher) {
        hasher.combine(7 as UInt8)
        hasher.combine(elements.count)
        for position in elements.indices { elements[position].hash(into: &hasher) }
    }

    private func hashScalar(into hasher: inout Hasher) {
        switch self {
        case .string(let string):
            hasher.combine(0 as UInt8)
            hasher.combine(string)
        case .integer(let integer):
            hasher.combine(1 as UInt8)
            hasher.combine(integer)
        case .real(let real):
            hasher.combine(2 as UInt8)
            hasher.combine(real.bitPattern)
        case .boolean(let boolean):
            hasher.combine(3 as UInt8)
            hasher.combine(boolean)
        case .date(let seconds):
            hasher.combine(4 as UInt8)
            hasher.combine(seconds.bitPattern)
        case .data(let bytes):
            hasher.combine(5 as UInt8)
            hasher.combine(bytes.count)
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        case .uid(let uid):
            hasher.combine(6 as UInt8)
            hasher.combine(uid)
        case .null, .array, .dictionary:
            hasher.combine(9 as UInt8)
        }
    }
}

extension PlistDictionary: Hashable {
    /// Hashes the entries, independent of their order.
    public func hash(into hasher: inout Hasher) {
        // A sum of hashes doesn't depend on the order.
        var sum = 0
        for position in entries.indices {
            var entry = Hasher()
            entry.combine(entries[position].key)
            entries[position].value.hash(into: &entry)
            sum &+= entry.finalize()
        }
        hasher.combine(8 as UInt8)
        hasher.combine(count)
        hasher.combine(sum)
    }
}
