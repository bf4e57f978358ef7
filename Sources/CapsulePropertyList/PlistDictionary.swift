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

extension PlistDictionary: CustomStringConvertible, CustomReflectable {
    /// As ``PlistValue`` describes a dictionary.
    public var description: String { PlistValue.dictionary(self).description }

    /// As ``PlistValue`` mirrors a dictionary.
    public var customMirror: Mirror { PlistValue.dictionary(self).customMirror }
}
