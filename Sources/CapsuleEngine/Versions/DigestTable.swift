import CapsuleCore

/// Digests in the order they came, found by value: 40 to 48 bytes each, since there may be one for each page of a database.
struct DigestTable {
    /// All of them, equal ones too.
    private(set) var digests: [ContentDigest] = []
    /// One more than a place in ``digests``, 0 where free; a power of two.
    private var slots = [UInt32](repeating: 0, count: 16)

    mutating func append(_ digest: ContentDigest) {
        digests.append(digest)
        if 4 * digests.count > 3 * slots.count {
            slots = [UInt32](repeating: 0, count: 2 * slots.count)
            for place in digests.indices { enter(place) }
        } else {
            enter(digests.count - 1)
        }
    }

    /// A place that has `digest`: of several equal ones `preferred`, else the first.
    func place(of digest: ContentDigest, preferring preferred: Int?) -> Int? {
        if let preferred, preferred < digests.count, digests[preferred] == digest { return preferred }
        let number = slots[slot(of: digest)]
        return number == 0 ? nil : Int(number) - 1
    }

    private mutating func enter(_ place: Int) {
        let slot = slot(of: digests[place])
        if slots[slot] == 0 { slots[slot] = UInt32(place + 1) }
    }

    /// Where `digest` is or would be.
    private func slot(of digest: ContentDigest) -> Int {
        var slot = digest.withBytes { Int(truncatingIfNeeded: $0.loadUnaligned(as: UInt64.self)) } & (slots.count - 1)
        while slots[slot] != 0, digests[Int(slots[slot]) - 1] != digest { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }
}
