/// Compares two values without recursion, in time linear in their distinct objects.
///
/// A binary property list may refer to one object many times, so that 40 arrays expand to 2^40 values. Two values that were read
/// separately share nothing, and a naive comparison would visit all of these. Equality is an equivalence relation, so once the
/// comparison of two objects has begun they can be assumed to be equal: any difference found elsewhere ends the entire comparison.
/// The objects are therefore joined into classes (Hopcroft and Karp), and pairs in the same class are not compared again.
private struct PlistEquality {
    /// The number of containers after which classes are recorded. Most comparisons don't reach it.
    private static let patience = 1 << 14
    /// Strings and data shorter than this many bytes are always compared directly.
    private static let largeScalar = 1024

    private var pending: [(PlistValue, PlistValue)] = []
    private var visited = 0
    /// The address of another object of the same class, by an object's address. An object without an entry leads its class.
    private var parents: [UInt: UInt] = [:]

    static func areEqual(_ left: PlistValue, _ right: PlistValue) -> Bool {
        var equality = PlistEquality()
        guard equality.compare(left, right) else { return false }
        while let (left, right) = equality.pending.popLast() {
            guard equality.compareContents(left, right) else { return false }
        }
        return true
    }

    /// Compares scalars immediately and defers containers.
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

    /// Compares the contents of two containers of the same type and size.
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
            // Most equal dictionaries have their keys in the same order.
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

    /// Joins two objects into one class. Returns false if they are in the same class already and need no comparison.
    private mutating func join(_ left: UInt, _ right: UInt) -> Bool {
        if left == right { return false }
        guard visited > Self.patience else { return true }
        let leftRoot = representative(of: left)
        let rightRoot = representative(of: right)
        guard leftRoot != rightRoot else { return false }
        parents[leftRoot] = rightRoot
        return true
    }

    /// Returns the leader of an object's class, and halves the path to it for the next search.
    private mutating func representative(of object: UInt) -> UInt {
        var object = object
        while let parent = parents[object] {
            guard let grandparent = parents[parent] else { return parent }
            parents[object] = grandparent
            object = grandparent
        }
        return object
    }

    /// Returns the address of storage. It is unique, because both sides keep the storage alive during the comparison.
    private static func address(_ bytes: UnsafeRawBufferPointer) -> UInt {
        UInt(bitPattern: bytes.baseAddress)
    }
}

extension PlistValue: Equatable {
    /// Returns true if no encoding could distinguish the two values.
    public static func == (left: PlistValue, right: PlistValue) -> Bool {
        PlistEquality.areEqual(left, right)
    }
}

extension PlistValue: Hashable {
    /// The number of elements at each end of an array that are hashed. Longer arrays are hashed by these and their count.
    private static let hashedEnds = 8
    /// The depth below which containers are hashed by type and count only.
    private static let hashedDepth = 3
    /// The length in bytes above which strings and data are hashed by their two ends and their length only.
    private static let hashedBytes = 1024

    /// Hashes a bounded part of the value, so that shared objects can't make hashing slow. Values that differ only deep inside, or
    /// in the middle of something long, have the same hash and are distinguished by `==`.
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

    /// Returns a hash that doesn't depend on the order of the entries. Containers among the values are hashed by type and size.
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
