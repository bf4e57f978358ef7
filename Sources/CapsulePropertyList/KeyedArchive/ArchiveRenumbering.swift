/// Determines if two keyed archives differ only in the numbers of their objects.
///
/// Both archives are visited together, starting from everything beside `$objects`. Each object of one archive must match the same
/// object of the other wherever it occurs. Objects that nothing refers to are paired by their shapes, which ignore numbers, and
/// then compared in the same way.
struct ArchiveRenumbering: ~Copyable {
    private let left: [PlistValue]
    private let right: [PlistValue]
    private var partners: [Int: Int] = [:]
    private var owners: [Int: Int] = [:]
    /// The pairs of objects that are not compared yet. Objects form longer chains than the call stack could hold.
    private var pending: [(left: Int, right: Int)] = []

    private init(_ left: [PlistValue], _ right: [PlistValue]) {
        self.left = left
        self.right = right
    }

    /// Returns true if the archives differ only in their numbers, or false if one of them is not an archive.
    static func areEquivalent(_ left: PlistDictionary, _ right: PlistDictionary) -> Bool {
        guard let leftObjects = left["$objects"]?.array, let rightObjects = right["$objects"]?.array,
            leftObjects.count == rightObjects.count, left.count == right.count
        else { return false }
        var search = ArchiveRenumbering(leftObjects, rightObjects)
        // Object 0 is nil, whether or not anything refers to it.
        guard leftObjects.isEmpty || search.pair(0, 0) else { return false }
        for (key, value) in left where key != "$objects" {
            guard let other = right[key], search.compare(value, other) else { return false }
        }
        return search.run() && search.pairRest() && search.run()
    }

    private mutating func run() -> Bool {
        while let next = pending.popLast() {
            guard compare(left[next.left], right[next.right]) else { return false }
        }
        return true
    }

    /// Pairs the objects that nothing refers to. Objects with the same shape are paired in order. If that is not the matching
    /// order, the result is a false negative.
    private mutating func pairRest() -> Bool {
        let leftRest = left.indices.filter { partners[$0] == nil }.map { (Self.shape(of: left[$0]), $0) }.sorted { $0 < $1 }
        let rightRest = right.indices.filter { owners[$0] == nil }.map { (Self.shape(of: right[$0]), $0) }.sorted { $0 < $1 }
        for (one, other) in zip(leftRest, rightRest) {
            // Pairing one object may have paired others.
            if partners[one.1] == nil, owners[other.1] == nil { guard pair(one.1, other.1), run() else { return false } }
        }
        return partners.count == left.count
    }

    /// Returns a number that is equal for two objects that differ only in their numbers.
    private static func shape(of value: PlistValue) -> UInt64 {
        var hash = StableHash()
        var fuel = shapeFuel
        combine(value, &hash, &fuel)
        return hash.value
    }

    /// The maximum number of values of an object that its shape includes.
    private static let shapeFuel = 1 << 10

    /// Hashes values in order, until the fuel is used up.
    private static func combine(_ value: PlistValue, _ hash: inout StableHash, _ fuel: inout Int) {
        guard fuel > 0 else { return }
        fuel -= 1
        switch value {
        case .uid: hash.combine(1)
        case .array(let elements): combine(elements, &hash, &fuel)
        case .dictionary(let dictionary): combine(sorted(dictionary), &hash, &fuel)
        default: hash.combine(StableHash.of(value))
        }
    }

    private static func combine(_ elements: [PlistValue], _ hash: inout StableHash, _ fuel: inout Int) {
        hash.combine(UInt64(elements.count))
        for position in 0..<elements.count { combine(elements[position], &hash, &fuel) }
    }

    private static func combine(_ entries: [PlistDictionary.Entry], _ hash: inout StableHash, _ fuel: inout Int) {
        hash.combine(UInt64(entries.count))
        for position in 0..<entries.count {
            hash.combine(entries[position].key)
            combine(entries[position].value, &hash, &fuel)
        }
    }

    private static func sorted(_ dictionary: PlistDictionary) -> [PlistDictionary.Entry] {
        dictionary.entries.sorted { $0.key < $1.key }
    }

    private mutating func compare(_ one: PlistValue, _ other: PlistValue) -> Bool {
        switch one {
        case .uid(let number): return pair(number, with: other)
        case .array(let elements): return compare(elements, with: other)
        case .dictionary(let dictionary): return compare(dictionary, with: other)
        default: return one == other
        }
    }

    private mutating func compare(_ elements: [PlistValue], with other: PlistValue) -> Bool {
        guard case .array(let others) = other, others.count == elements.count else { return false }
        for position in 0..<elements.count {
            guard compare(elements[position], others[position]) else { return false }
        }
        return true
    }

    private mutating func compare(_ dictionary: PlistDictionary, with other: PlistValue) -> Bool {
        guard case .dictionary(let others) = other, others.count == dictionary.count else { return false }
        for position in 0..<dictionary.count {
            guard let partner = others.position(of: dictionary.entries[position].key),
                compare(dictionary.entries[position].value, others.entries[partner].value)
            else { return false }
        }
        return true
    }

    private mutating func pair(_ number: UInt64, with other: PlistValue) -> Bool {
        guard case .uid(let otherNumber) = other, let leftPlace = Int(exactly: number),
            let rightPlace = Int(exactly: otherNumber)
        else { return false }
        return pair(leftPlace, rightPlace)
    }

    /// Pairs two objects and schedules their comparison. Returns false if one of them already has another partner.
    private mutating func pair(_ leftPlace: Int, _ rightPlace: Int) -> Bool {
        guard left.indices.contains(leftPlace), right.indices.contains(rightPlace) else { return false }
        if let known = partners[leftPlace] { return known == rightPlace }
        guard owners[rightPlace] == nil else { return false }
        partners[leftPlace] = rightPlace
        owners[rightPlace] = leftPlace
        pending.append((leftPlace, rightPlace))
        return true
    }
}
