/// A hash table from a dictionary's keys to their positions among its entries.
///
/// Open addressing with linear probing, at most half full. It holds positions only; the keys stay with the entries.
/// Keys are hashed with the process's random seed, so that a hostile document can't aim for collisions.
struct PlistKeyIndex: Sendable {
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
