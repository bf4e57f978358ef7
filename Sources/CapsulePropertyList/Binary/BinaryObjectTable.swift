/// The distinct objects of values, as stored in a binary property list. Equal values are one object.
///
/// A scalar is identified by its canonical bytes, and a container by the numbers of its children, in order. Storage that was
/// already visited is not visited again, because the parts of a value are often inserted after the value itself.
struct BinaryObjectTable: ~Copyable {
    /// Strings and data shorter than this many bytes are looked up by their content every time they occur.
    private static let largeScalar = 256

    /// A container whose children are being added.
    private struct Level {
        /// The index in `children` of the first child's number.
        let base: Int
        var height = 0
    }

    private let limits: PlistLimits
    private let sortsKeys: Bool
    /// True if equal containers are one object, and equal long strings and data.
    private let sharesHeavyValues: Bool
    /// Keeps the storage alive whose addresses are in `known`.
    private var held: [PlistValue] = []
    private var known: [UInt: UInt32] = [:]
    private var levels: [Level] = []
    private var trail = PlistTrail()
    private var children: [UInt32] = []
    private var heights: [UInt16] = []
    /// A lower bound for the bytes that the objects so far take in a document.
    private var leastBytes = 0
    var records = BinaryRecordTable()

    init(limits: PlistLimits, sortsKeys: Bool, sharesHeavyValues: Bool = true) {
        self.limits = limits
        self.sortsKeys = sortsKeys
        self.sharesHeavyValues = sharesHeavyValues
    }

    /// Returns the number of a value's object, which is created if no object is equal to it.
    mutating func insert(_ value: PlistValue) throws(PlistError) -> Int {
        held.append(value)
        do throws(PlistError) {
            return Int(try object(of: value))
        } catch {
            throw error.pointing(to: trail.steps(from: value, sortsKeys: sortsKeys))
        }
    }

    private mutating func object(of value: PlistValue) throws(PlistError) -> UInt32 {
        guard value.isContainer else { return try add(value) }
        let address = Self.address(of: value)
        if let object = try find(address) { return object }
        let values = try open(value)
        trail.enter()
        for position in values.indices {
            trail.go(to: position)
            children.append(try object(of: values[position]))
        }
        trail.leave()
        return try close(value, address)
    }

    private static func address(of container: PlistValue) -> UInt {
        switch container {
        case .array(let elements) where !elements.isEmpty: elements.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        case .dictionary(let dictionary) where !dictionary.isEmpty:
            dictionary.entries.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        default: 0
        }
    }

    private mutating func open(_ container: PlistValue) throws(PlistError) -> [PlistValue] {
        levels.append(Level(base: children.count))
        guard let dictionary = container.dictionary else { return container.array ?? [] }
        let entries = sortsKeys ? dictionary.entries.sortedByKey : dictionary.entries
        for entry in entries { children.append(try add(entry.key)) }
        return entries.map(\.value)
    }

    private mutating func find(_ address: UInt) throws(PlistError) -> UInt32? {
        let object = known[address]
        let height = object.map { Int(heights[Int($0)]) } ?? 1
        guard levels.count + height <= limits.depth else {
            throw PlistError(.limitExceeded, "containers nest deeper than \(limits.depth) levels")
        }
        if object != nil { recordHeight(height) }
        return object
    }

    private mutating func close(_ container: PlistValue, _ address: UInt) throws(PlistError) -> UInt32 {
        let level = levels.removeLast()
        let marker = container.array == nil ? BinaryMarker.dictionary : BinaryMarker.array
        let count = children.count - level.base
        records.append(marker, children: children[level.base...])
        children.removeLast(count)
        let object = try intern(leastBytes: 1 + count, height: level.height + 1, isShared: sharesHeavyValues)
        if address != 0, sharesHeavyValues { known[address] = object }
        recordHeight(level.height + 1)
        return object
    }

    private mutating func recordHeight(_ height: Int) {
        guard let last = levels.indices.last else { return }
        levels[last].height = max(levels[last].height, height)
    }

    private mutating func add(_ value: PlistValue) throws(PlistError) -> UInt32 {
        switch value {
        case .string(let string):
            return try add(string)
        case .data(let bytes) where bytes.count >= Self.largeScalar:
            let address = bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            if sharesHeavyValues, let object = known[address] { return object }
            let object = try addScalar(value)
            known[address] = object
            return object
        case .null:
            throw PlistError(.notRepresentable, "a binary property list has no null")
        default:
            return try addScalar(value)
        }
    }

    private mutating func add(_ string: PlistString) throws(PlistError) -> UInt32 {
        guard string.utf8.count >= Self.largeScalar else { return try addScalar(string) }
        let address = string.withUTF8 { UInt(bitPattern: $0.baseAddress) }
        if sharesHeavyValues, let object = known[address] { return object }
        let object = try addScalar(string)
        known[address] = object
        return object
    }

    private mutating func addScalar(_ string: PlistString) throws(PlistError) -> UInt32 {
        string.withUTF8 { records.bytes.append(binary: UnsafeRawBufferPointer($0)) }
        return try intern(leastBytes: records.pendingBytes, height: 0, isShared: sharesHeavyValues || string.weight == 1)
    }

    private mutating func addScalar(_ value: PlistValue) throws(PlistError) -> UInt32 {
        records.bytes.append(binary: value)
        return try intern(leastBytes: records.pendingBytes, height: 0, isShared: sharesHeavyValues || value.weight == 1)
    }

    private mutating func intern(leastBytes bytes: Int, height: Int, isShared: Bool = true) throws(PlistError) -> UInt32 {
        let object = isShared ? records.intern() : records.add()
        guard Int(object) == heights.count else { return object }
        heights.append(UInt16(height))
        leastBytes += bytes
        guard leastBytes <= limits.outputBytes, records.count < UInt32.max else {
            throw BinaryPlistLayout.sizeFailure(limits)
        }
        return object
    }
}

extension [PlistDictionary.Entry] {
    var sortedByKey: [PlistDictionary.Entry] {
        let isSorted = zip(self, dropFirst()).allSatisfy { $0.key < $1.key }
        return isSorted ? self : sorted { $0.key < $1.key }
    }
}

/// Distinct records of bytes, numbered in the order in which they were added.
/// The record of a scalar is its canonical bytes. The record of a container is its marker without a count, followed by the record
/// numbers of its children; a dictionary's keys come before its values. Records are hashed with the process's random seed, so that
/// a hostile document can't provoke collisions. The record numbers don't depend on the seed.
struct BinaryRecordTable: ~Copyable {
    private static let numberBytes = 4

    var bytes = TextBuffer(capacity: 4096)
    private var ends: [Int] = []
    private var hashes: [UInt32] = []
    /// The slots of the hash table: 0 is free, and n + 1 is record n. The table uses open addressing with linear probing, is at
    /// most half full, and has a power of two as its size.
    private var slots = [UInt32](repeating: 0, count: 256)

    var count: Int { ends.count }
    var pendingBytes: Int { bytes.count - (ends.last ?? 0) }

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
        slots[slot] = UInt32(ends.count) + 1
        return add(hash: hash)
    }

    mutating func add() -> UInt32 {
        // No equal record is ever looked up, so any hash is right. Different ones keep the table's probes short.
        add(hash: UInt32(truncatingIfNeeded: ends.count &* 0x9E37_79B1))
    }

    private mutating func add(hash: UInt32) -> UInt32 {
        ends.append(bytes.count)
        hashes.append(hash)
        if ends.count * 2 > slots.count { grow() }
        return UInt32(ends.count - 1)
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

    /// The bytes of a record, valid until the next change.
    subscript(record: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes.bytes[(record == 0 ? 0 : ends[record - 1])..<ends[record]])
    }

    mutating func append(_ marker: UInt8, children: ArraySlice<UInt32>) {
        bytes.append(marker)
        children.withUnsafeBytes { bytes.append($0) }
    }

    func containerMarker(_ record: Int) -> UInt8? {
        let marker = self[record].first ?? 0
        return marker & 0xF0 == BinaryMarker.array || marker & 0xF0 == BinaryMarker.dictionary ? marker : nil
    }

    /// Returns the number of children in a container's record: two for each entry of a dictionary, or 0 for a scalar's record.
    func childCount(_ record: Int) -> Int {
        containerMarker(record) == nil ? 0 : (self[record].count - 1) / Self.numberBytes
    }

    func child(_ position: Int, of record: Int) -> Int {
        Int(self[record].loadUnaligned(fromByteOffset: 1 + position * Self.numberBytes, as: UInt32.self))
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        return withMemoryRebound(to: UInt8.self) { left in
            other.withMemoryRebound(to: UInt8.self) { right in left.firstDifference(from: right) == nil }
        }
    }
}
