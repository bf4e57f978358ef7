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
    private var pending: [(PlistValue, PlistValue)] = []
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
            guard let other = right[key] else { return false }
            search.pending.append((value, other))
        }
        return search.run() && search.pairRest() && search.run()
    }

    private mutating func run() -> Bool {
        while let (one, other) = pending.popLast() {
            guard compare(one, other) else { return false }
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

    /// Hashes values in order, with an explicit stack, so that depth uses no call stack.
    private static func combine(_ value: PlistValue, _ hash: inout StableHash, _ fuel: inout Int) {
        var pending: [(key: PlistString?, value: PlistValue)] = [(nil, value)]
        while let (key, value) = pending.popLast() {
            if let key { hash.combine(key) }
            guard fuel > 0 else { continue }
            fuel -= 1
            switch value {
            case .uid: hash.combine(1)
            case .array(let elements):
                hash.combine(UInt64(elements.count))
                pending += elements.reversed().map { (nil, $0) }
            case .dictionary(let entries):
                hash.combine(UInt64(entries.count))
                for entry in entries.entries.sorted(by: { $1.key < $0.key }) { pending.append((entry.key, entry.value)) }
            default: hash.combine(StableHash.of(value))
            }
        }
    }

    private mutating func compare(_ one: PlistValue, _ other: PlistValue) -> Bool {
        switch (one, other) {
        case (.uid(let leftNumber), .uid(let rightNumber)):
            guard let leftPlace = Int(exactly: leftNumber), let rightPlace = Int(exactly: rightNumber) else { return false }
            return pair(leftPlace, rightPlace)
        case (.array(let leftElements), .array(let rightElements)):
            guard leftElements.count == rightElements.count else { return false }
            for each in zip(leftElements, rightElements) { pending.append(each) }
            return true
        case (.dictionary(let leftEntries), .dictionary(let rightEntries)):
            guard leftEntries.count == rightEntries.count else { return false }
            for (key, value) in leftEntries {
                guard let partner = rightEntries[key] else { return false }
                pending.append((value, partner))
            }
            return true
        default:
            return one == other
        }
    }

    /// Pairs two objects and schedules their comparison. Returns false if one of them already has another partner.
    private mutating func pair(_ leftPlace: Int, _ rightPlace: Int) -> Bool {
        guard left.indices.contains(leftPlace), right.indices.contains(rightPlace) else { return false }
        if let known = partners[leftPlace] { return known == rightPlace }
        guard owners[rightPlace] == nil else { return false }
        partners[leftPlace] = rightPlace
        owners[rightPlace] = leftPlace
        pending.append((left[leftPlace], right[rightPlace]))
        return true
    }
}
