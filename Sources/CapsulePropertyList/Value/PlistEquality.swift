/// One comparison of two values, without recursion and in time linear in their distinct objects.
///
/// A binary property list may name one object many times, so that 40 arrays expand to 2^40 values. Two values that
/// were read apart share nothing, and comparing them naively would visit all of those. Equality is an equivalence:
/// once two objects have been set to be compared they may be taken for equal, because any difference found elsewhere
/// ends the whole comparison. So objects are joined into classes (Hopcroft and Karp), and a pair that is already in
/// one class is not looked at again.
private struct PlistEquality {
    /// Classes are kept only after this many containers, which most comparisons never reach.
    private static let patience = 1 << 14
    /// Strings and data shorter than this are simply compared.
    private static let largeScalar = 1024

    private var pending: [(PlistValue, PlistValue)] = []
    private var visited = 0
    /// From an object's address to another one of its class; an object that is not here leads its class.
    private var leaders: [UInt: UInt] = [:]

    static func areEqual(_ left: PlistValue, _ right: PlistValue) -> Bool {
        var equality = PlistEquality()
        guard equality.compare(left, right) else { return false }
        while let (left, right) = equality.pending.popLast() {
            guard equality.compareContents(left, right) else { return false }
        }
        return true
    }

    /// Compares scalars at once and puts containers off.
    private mutating func compare(_ left: PlistValue, _ right: PlistValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)):
            return compare(left, right)
        case (.integer(let left), .integer(let right)):
            return left == right
        case (.real(let left), .real(let right)), (.date(let left), .date(let right)):
            return left.bitPattern == right.bitPattern
        case (.boolean(let left), .boolean(let right)):
            return left == right
        case (.data(let left), .data(let right)):
            return compare(left, right)
        case (.uid(let left), .uid(let right)):
            return left == right
        case (.null, .null):
            return true
        case (.array(let leftElements), .array(let rightElements)):
            guard leftElements.count == rightElements.count else { return false }
            if !leftElements.isEmpty { pending.append((left, right)) }
            return true
        case (.dictionary(let leftEntries), .dictionary(let rightEntries)):
            guard leftEntries.count == rightEntries.count else { return false }
            if !leftEntries.isEmpty { pending.append((left, right)) }
            return true
        default:
            return false
        }
    }

    /// Compares the contents of two containers of one type and size.
    private mutating func compareContents(_ left: PlistValue, _ right: PlistValue) -> Bool {
        visited += 1
        switch (left, right) {
        case (.array(let left), .array(let right)):
            let isNews = join(left.withUnsafeBytes(Self.address), right.withUnsafeBytes(Self.address))
            guard isNews else { return true }
            for (leftElement, rightElement) in zip(left, right) {
                guard compare(leftElement, rightElement) else { return false }
            }
            return true
        case (.dictionary(let left), .dictionary(let right)):
            let isNews = join(left.entries.withUnsafeBytes(Self.address), right.entries.withUnsafeBytes(Self.address))
            guard isNews else { return true }
            return compareEntries(left, right)
        default:
            return false
        }
    }

    private mutating func compareEntries(_ left: PlistDictionary, _ right: PlistDictionary) -> Bool {
        for (position, entry) in left.entries.enumerated() {
            // Most dictionaries that are equal have their keys in the same order.
            if right.entries[position].key == entry.key {
                guard compare(entry.value, right.entries[position].value) else { return false }
            } else {
                guard let other = right.position(of: entry.key) else { return false }
                guard compare(entry.value, right.entries[other].value) else { return false }
            }
        }
        return true
    }

    private mutating func compare(_ left: PlistString, _ right: PlistString) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        guard left.utf8.count >= Self.largeScalar else { return left == right }
        let addresses = left.withUTF8 { left in
            right.withUTF8 { right in (Self.address(UnsafeRawBufferPointer(left)), Self.address(UnsafeRawBufferPointer(right))) }
        }
        visited += 1
        return !join(addresses.0, addresses.1) || left == right
    }

    private mutating func compare(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        guard left.count >= Self.largeScalar else { return left == right }
        visited += 1
        return !join(left.withUnsafeBytes(Self.address), right.withUnsafeBytes(Self.address)) || left == right
    }

    /// Puts two objects into one class; false if they are in one already and need not be compared.
    private mutating func join(_ left: UInt, _ right: UInt) -> Bool {
        if left == right { return false }
        guard visited > Self.patience else { return true }
        let leftLeader = leader(of: left)
        let rightLeader = leader(of: right)
        guard leftLeader != rightLeader else { return false }
        leaders[leftLeader] = rightLeader
        return true
    }

    /// The object that stands for the class, halving the way there for the next search.
    private mutating func leader(of object: UInt) -> UInt {
        var object = object
        while let parent = leaders[object] {
            guard let grandparent = leaders[parent] else { return parent }
            leaders[object] = grandparent
            object = grandparent
        }
        return object
    }

    /// Storage that both sides hold during the whole comparison can't be reused, so its address identifies it.
    private static func address(_ bytes: UnsafeRawBufferPointer) -> UInt {
        UInt(bitPattern: bytes.baseAddress)
    }
}

extension PlistValue: Equatable {
    /// Whether no encoding could tell the two apart.
    public static func == (left: PlistValue, right: PlistValue) -> Bool {
        PlistEquality.areEqual(left, right)
    }
}

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
