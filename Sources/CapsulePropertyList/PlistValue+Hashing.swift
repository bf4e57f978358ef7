extension PlistValue: Hashable {
    /// Arrays longer than this are hashed by their ends and their count.
    private static let hashedEnds = 8
    /// Containers below this depth are hashed by type and count only.
    private static let hashedDepth = 3
    /// Strings and data longer than this are hashed by their ends and their count.
    private static let hashedBytes = 1024

    /// Feeds a bounded part of the value, so that shared objects can't make it take for ever: values that differ only
    /// deep inside, or in the middle of something long, have the same hash and are told apart by `==`.
    public func hash(into hasher: inout Hasher) {
        hash(into: &hasher, depth: Self.hashedDepth)
    }

    private func hash(into hasher: inout Hasher, depth: Int) {
        switch self {
        case .string(let string):
            hasher.combine(0 as UInt8)
            string.withUTF8 { Self.hash(UnsafeRawBufferPointer($0), into: &hasher) }
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
            bytes.withUnsafeBytes { Self.hash($0, into: &hasher) }
        case .uid(let uid):
            hasher.combine(6 as UInt8)
            hasher.combine(uid)
        case .null:
            hasher.combine(9 as UInt8)
        case .array(let elements):
            hasher.combine(7 as UInt8)
            hasher.combine(elements.count)
            guard depth > 0 else { return }
            for element in elements.prefix(Self.hashedEnds) { element.hash(into: &hasher, depth: depth - 1) }
            for element in elements.dropFirst(Self.hashedEnds).suffix(Self.hashedEnds) {
                element.hash(into: &hasher, depth: depth - 1)
            }
        case .dictionary(let dictionary):
            hasher.combine(8 as UInt8)
            hasher.combine(dictionary.count)
            guard depth > 0 else { return }
            hasher.combine(Self.unorderedHash(of: dictionary, from: hasher))
        }
    }

    /// The same number for the same entries in any order. Containers among the values count by type and size.
    private static func unorderedHash(of dictionary: PlistDictionary, from hasher: Hasher) -> Int {
        var sum = 0
        for (key, value) in dictionary {
            var entryHasher = hasher
            key.withUTF8 { hash(UnsafeRawBufferPointer($0), into: &entryHasher) }
            value.hash(into: &entryHasher, depth: 0)
            sum &+= entryHasher.finalize()
        }
        return sum
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer, into hasher: inout Hasher) {
        hasher.combine(bytes.count)
        if bytes.count <= hashedBytes {
            hasher.combine(bytes: bytes)
        } else {
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes.prefix(hashedBytes / 2)))
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes.suffix(hashedBytes / 2)))
        }
    }
}
