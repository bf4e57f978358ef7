/// A dictionary of a property list: unique keys, in the order in which they were added.
///
/// Looking up a key takes constant time. Removing a key takes time linear in the number of entries, because the order is kept.
public struct PlistDictionary: Sendable {
    /// A stored ``Element``. Destroying an array of structs is much faster than destroying one of tuples.
    struct Entry: Sendable {
        let key: PlistString
        var value: PlistValue
    }

    /// The maximum number of entries that are searched linearly, which is faster than hashing and needs no table.
    private static let searchedEntries = 12

    private(set) var entries: [Entry]
    private var index: PlistKeyIndex?

    /// Creates an empty dictionary.
    public init() {
        entries = []
    }

    /// Creates a dictionary of key-value pairs. If a key occurs twice, the last value is kept, in the place of the first one.
    public init(_ pairs: some Sequence<(PlistString, PlistValue)>) {
        self.init()
        for (key, value) in pairs { self[key] = value }
    }

    /// - Parameter onDuplicate: called with the positions of the first and the later entry of a key that occurs twice. If it
    ///   returns, the later value is kept, in the place of the first one.
    init(
        read entries: [Entry],
        onDuplicate: (_ first: Int, _ second: Int) throws(PlistError) -> Void
    ) throws(PlistError) {
        self.entries = entries
        if entries.count <= Self.searchedEntries {
            guard Self.hasDuplicate(entries) else { return }
        } else if case .unique(let index) = PlistKeyIndex.build(over: entries) {
            self.index = index
            return
        }
        self.entries = []
        var origins: [Int] = []
        for (position, entry) in entries.enumerated() {
            if let known = self.position(of: entry.key) {
                try onDuplicate(origins[known], position)
                self.entries[known].value = entry.value
            } else {
                append(entry)
                origins.append(position)
            }
        }
    }

    /// Creates a dictionary of few entries, whose keys are known to be unique. Returns nil if there are too many for a linear
    /// search, or if the keys may not be unique.
    init?(few entries: [Entry], areUnique: Bool) {
        guard areUnique, entries.count <= Self.searchedEntries else { return nil }
        self.entries = entries
    }

    /// The number of entries.
    public var count: Int { entries.count }

    /// True if there are no entries.
    public var isEmpty: Bool { entries.isEmpty }

    /// The keys in order.
    public var keys: some RandomAccessCollection<PlistString> & Sendable {
        entries.lazy.map { $0.key }
    }

    /// The value for a key. Setting a new key appends it. Setting nil removes the key.
    public subscript(key: PlistString) -> PlistValue? {
        get {
            position(of: key).map { entries[$0].value }
        }
        _modify {
            // The value is taken out while it is changed, so that shared storage isn't copied.
            let known = position(of: key)
            var value: PlistValue?
            if let known {
                value = entries[known].value
                entries[known].value = .boolean(false)
            }
            defer { put(value, for: key, at: known) }
            yield &value
        }
    }

    func position(of key: PlistString) -> Int? {
        if let index { return index.position(of: key, in: entries) }
        for position in entries.indices where entries[position].key == key { return position }
        return nil
    }

    private mutating func put(_ value: PlistValue?, for key: PlistString, at known: Int?) {
        switch (known, value) {
        case (let position?, let value?):
            entries[position].value = value
        case (let position?, nil):
            index?.remove(position, from: entries)
            entries.remove(at: position)
        case (nil, let value?):
            append(Entry(key: key, value: value))
        case (nil, nil):
            break
        }
    }

    private mutating func append(_ entry: Entry) {
        entries.append(entry)
        if index != nil {
            index?.insert(entries.count - 1, into: entries)
        } else if entries.count > Self.searchedEntries, case .unique(let built) = PlistKeyIndex.build(over: entries) {
            index = built
        }
    }

    private static func hasDuplicate(_ entries: [Entry]) -> Bool {
        for later in entries.indices.dropFirst() {
            for earlier in 0..<later where entries[earlier].key == entries[later].key { return true }
        }
        return false
    }
}

extension PlistDictionary: RandomAccessCollection {
    /// A key and its value.
    public typealias Element = (key: PlistString, value: PlistValue)
    /// A position in the order of the keys.
    public typealias Index = Int

    /// The position of the first entry.
    public var startIndex: Int { 0 }

    /// The position after the last entry.
    public var endIndex: Int { entries.count }

    /// The entry at a position, which must be valid.
    public subscript(position: Int) -> Element {
        let entry = entries[position]
        return (key: entry.key, value: entry.value)
    }
}

extension PlistDictionary: ExpressibleByDictionaryLiteral {
    /// Creates a dictionary. A key that occurs twice keeps its last value.
    public init(dictionaryLiteral elements: (PlistString, PlistValue)...) {
        self.init(elements)
    }
}

/// A hash table of a dictionary's keys, which maps them to their positions among the entries.
/// The table uses open addressing with linear probing, and is at most half full. It holds positions only; the keys stay in the
/// entries. Keys are hashed with the process's random seed, so that a hostile document can't provoke collisions.
private struct PlistKeyIndex: Sendable {
    /// The slots: 0 is free, and n + 1 is the entry at position n. Their number is a power of two.
    private var slots: [UInt32]

    /// The result of building an index: the index, or the first two positions with the same key.
    enum Build {
        case unique(PlistKeyIndex)
        case duplicate(first: Int, second: Int)
    }

    static func build(over entries: [PlistDictionary.Entry]) -> Build {
        var index = PlistKeyIndex(capacity: entries.count)
        for position in entries.indices {
            if let first = index.insert(position, into: entries) { return .duplicate(first: first, second: position) }
        }
        return .unique(index)
    }

    private init(capacity: Int) {
        var size = 32
        while size < capacity * 2 { size *= 2 }
        slots = [UInt32](repeating: 0, count: size)
    }

    func position(of key: PlistString, in entries: [PlistDictionary.Entry]) -> Int? {
        var slot = home(of: key)
        while slots[slot] != 0 {
            let position = Int(slots[slot]) - 1
            if entries[position].key == key { return position }
            slot = next(after: slot)
        }
        return nil
    }

    /// Adds the entry at `position`, which must be the last one. If an equal key exists, returns its position instead.
    @discardableResult
    mutating func insert(_ position: Int, into entries: [PlistDictionary.Entry]) -> Int? {
        if (position + 1) * 2 > slots.count { grow(to: position, of: entries) }
        let key = entries[position].key
        var slot = home(of: key)
        while slots[slot] != 0 {
            let other = Int(slots[slot]) - 1
            if entries[other].key == key { return other }
            slot = next(after: slot)
        }
        slots[slot] = UInt32(position + 1)
        return nil
    }

    /// Removes the entry at `position` from the index, before it is removed from the entries. All later positions decrease by one.
    mutating func remove(_ position: Int, from entries: [PlistDictionary.Entry]) {
        let wanted = UInt32(position + 1)
        var hole = home(of: entries[position].key)
        while slots[hole] != wanted { hole = next(after: hole) }
        slots[hole] = 0
        closeGap(at: hole, entries: entries)
        for slot in slots.indices where slots[slot] > wanted { slots[slot] -= 1 }
    }

    /// Moves later members of the probe sequence into the hole, so that searches still find them.
    private mutating func closeGap(at gap: Int, entries: [PlistDictionary.Entry]) {
        let mask = slots.count - 1
        var hole = gap
        var slot = next(after: hole)
        while slots[slot] != 0 {
            let wish = home(of: entries[Int(slots[slot]) - 1].key)
            // The member may move if the hole is between its home slot and its current slot, cyclically.
            if (slot - wish) & mask >= (slot - hole) & mask {
                slots[hole] = slots[slot]
                slots[slot] = 0
                hole = slot
            }
            slot = next(after: slot)
        }
    }

    private mutating func grow(to count: Int, of entries: [PlistDictionary.Entry]) {
        var larger = PlistKeyIndex(capacity: count * 2)
        for position in 0..<count {
            var slot = larger.home(of: entries[position].key)
            while larger.slots[slot] != 0 { slot = larger.next(after: slot) }
            larger.slots[slot] = UInt32(position + 1)
        }
        self = larger
    }

    private func home(of key: PlistString) -> Int {
        key.hashValue & (slots.count - 1)
    }

    private func next(after slot: Int) -> Int {
        (slot + 1) & (slots.count - 1)
    }
}

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
