/// A dictionary of a property list: unique keys, kept in the order in which they were added.
///
/// Looking up a key takes constant time; removing one takes time in the number of entries, because the order is kept.
public struct PlistDictionary: Sendable {
    /// What is stored of an ``Element``: destroying an array of structs is far quicker than one of tuples.
    struct Entry: Sendable {
        let key: PlistString
        var value: PlistValue
    }

    /// Up to this many entries are searched one by one, which is faster than hashing and needs no table.
    private static let searchedEntries = 12

    private(set) var entries: [Entry]
    /// Nil while the entries are few.
    private var index: PlistKeyIndex?

    /// An empty dictionary.
    public init() {
        entries = []
    }

    /// A dictionary of these pairs; of a key that comes twice the last value is kept, in the first one's place.
    public init(_ pairs: some Sequence<(PlistString, PlistValue)>) {
        self.init()
        for (key, value) in pairs { self[key] = value }
    }

    /// A dictionary of what a reader found.
    ///
    /// `onDuplicate` is called with the positions of the first and the later entry of a key that comes twice. If it
    /// returns, the later value is kept, in the first one's place.
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

    /// A dictionary of so few entries that they are searched, whose keys are known to be unique; nil for any others.
    init?(few entries: [Entry], areUnique: Bool) {
        guard areUnique, entries.count <= Self.searchedEntries else { return nil }
        self.entries = entries
    }

    /// The number of entries.
    public var count: Int { entries.count }

    /// Whether there are no entries.
    public var isEmpty: Bool { entries.isEmpty }

    /// The keys in order.
    public var keys: some RandomAccessCollection<PlistString> & Sendable {
        entries.lazy.map { $0.key }
    }

    /// The value of a key. Setting a new key adds it at the end; setting nil removes the key.
    public subscript(key: PlistString) -> PlistValue? {
        get {
            position(of: key).map { entries[$0].value }
        }
        _modify {
            // The value is taken out while it is changed, so that its storage is not copied for being shared.
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

    /// Where the key is among the entries.
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

    /// The first entry's position.
    public var startIndex: Int { 0 }

    /// The position behind the last entry.
    public var endIndex: Int { entries.count }

    /// The entry at a position; one outside of the dictionary stops the program.
    public subscript(position: Int) -> Element {
        let entry = entries[position]
        return (key: entry.key, value: entry.value)
    }
}

extension PlistDictionary: ExpressibleByDictionaryLiteral {
    /// A key that is written twice keeps its last value.
    public init(dictionaryLiteral elements: (PlistString, PlistValue)...) {
        self.init(elements)
    }
}

extension PlistDictionary: Hashable {
    /// True if both hold the same keys with the same values, in any order.
    public static func == (left: PlistDictionary, right: PlistDictionary) -> Bool {
        PlistValue.dictionary(left) == PlistValue.dictionary(right)
    }

    /// Feeds the entries, in no order.
    public func hash(into hasher: inout Hasher) {
        PlistValue.dictionary(self).hash(into: &hasher)
    }
}

/// A hash table from a dictionary's keys to their positions among its entries.
///
/// Open addressing with linear probing, at most half full. It holds positions only; the keys stay with the entries.
/// Keys are hashed with the process's random seed, so that a hostile document can't aim for collisions.
private struct PlistKeyIndex: Sendable {
    /// 0 is free; n + 1 is the entry at position n. The count is a power of two.
    private var slots: [UInt32]

    /// An index of the first `count` entries, or the first pair of positions that hold the same key.
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

    /// The position of the key among the entries.
    func position(of key: PlistString, in entries: [PlistDictionary.Entry]) -> Int? {
        var slot = home(of: key)
        while slots[slot] != 0 {
            let position = Int(slots[slot]) - 1
            if entries[position].key == key { return position }
            slot = next(after: slot)
        }
        return nil
    }

    /// Adds the entry at `position`, which must be the last one; returns the position of an equal key instead, if
    /// there is one.
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

    /// Forgets the entry at `position`, before it is removed from the entries; all later ones move down by one.
    mutating func remove(_ position: Int, from entries: [PlistDictionary.Entry]) {
        let wanted = UInt32(position + 1)
        var hole = home(of: entries[position].key)
        while slots[hole] != wanted { hole = next(after: hole) }
        slots[hole] = 0
        closeGap(at: hole, entries: entries)
        for slot in slots.indices where slots[slot] > wanted { slots[slot] -= 1 }
    }

    /// Moves later members of the run into the hole, so that a search never stops short of them.
    private mutating func closeGap(at gap: Int, entries: [PlistDictionary.Entry]) {
        let mask = slots.count - 1
        var hole = gap
        var slot = next(after: hole)
        while slots[slot] != 0 {
            let wish = home(of: entries[Int(slots[slot]) - 1].key)
            // The member may move if the hole lies between its home and where it is now, going round.
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
