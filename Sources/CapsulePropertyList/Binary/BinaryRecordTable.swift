/// Distinct records of bytes, numbered in the order in which they came.
///
/// The record of a scalar is the scalar's canonical bytes. That of a container is its marker without a count, and then the
/// numbers of the records of what it holds, a dictionary's keys before its values. Records are hashed with the process's
/// random seed, so that a hostile document can't aim for collisions; their numbers do not depend on it.
struct BinaryRecordTable: ~Copyable {
    /// Bytes of a child's number in a container's record.
    private static let numberBytes = 4

    var bytes = TextBuffer(capacity: 4096)
    /// Where each record ends, which is where the next one begins.
    private var ends: [Int] = []
    private var hashes: [UInt32] = []
    /// 0 is free; n + 1 is record n. Open addressing with linear probing, at most half full; the count is a power of two.
    private var slots = [UInt32](repeating: 0, count: 256)

    /// The number of records.
    var count: Int { ends.count }

    /// What has been appended since the last record.
    var pendingBytes: Int { bytes.count - (ends.last ?? 0) }

    /// Makes a record of what has been appended, or drops it if there is such a record; its number in any case.
    mutating func intern() -> UInt32 {
        let start = ends.last ?? 0
        let record = UnsafeRawBufferPointer(rebasing: bytes.bytes[start...])
        var hasher = Hasher()
        hasher.combine(bytes: record)
        let hash = UInt32(truncatingIfNeeded: hasher.finalize())
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let other = Int(slots[slot]) - 1
            if hashes[other] == hash, self[other].hasSameBytes(as: record) {
                bytes.truncate(to: start)
                return UInt32(other)
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        let number = UInt32(ends.count)
        slots[slot] = number + 1
        ends.append(bytes.count)
        hashes.append(hash)
        if ends.count * 2 > slots.count { grow() }
        return number
    }

    private mutating func grow() {
        let mask = slots.count * 2 - 1
        slots = [UInt32](repeating: 0, count: mask + 1)
        for (number, hash) in hashes.enumerated() {
            var slot = Int(hash) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = UInt32(number + 1)
        }
    }

    /// A record's bytes, valid until the next change.
    subscript(record: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes.bytes[(record == 0 ? 0 : ends[record - 1])..<ends[record]])
    }

    // MARK: Containers

    /// Appends what makes a container's record: its marker and its children's numbers.
    mutating func append(_ marker: UInt8, children: ArraySlice<UInt32>) {
        bytes.append(marker)
        children.withUnsafeBytes { bytes.append($0) }
    }

    /// The marker of an array or a dictionary, nil for a scalar's record.
    func containerMarker(_ record: Int) -> UInt8? {
        let marker = self[record].first ?? 0
        return marker & 0xF0 == BinaryMarker.array || marker & 0xF0 == BinaryMarker.dictionary ? marker : nil
    }

    /// How many records a container's record names: two for each entry of a dictionary. 0 for a scalar's.
    func childCount(_ record: Int) -> Int {
        containerMarker(record) == nil ? 0 : (self[record].count - 1) / Self.numberBytes
    }

    /// The number of a container's child.
    func child(_ position: Int, of record: Int) -> Int {
        Int(self[record].loadUnaligned(fromByteOffset: 1 + position * Self.numberBytes, as: UInt32.self))
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both are equally long and hold the same bytes.
    fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        return withMemoryRebound(to: UInt8.self) { left in
            other.withMemoryRebound(to: UInt8.self) { right in left.firstDifference(from: right) == nil }
        }
    }
}
