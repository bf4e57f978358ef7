/// The distinct objects of values, as a binary property list holds them: what is equal is one object.
///
/// A scalar is known by its canonical bytes, a container by the numbers of what it holds, in order. Storage that comes
/// again is not looked into again, so that shared objects cost no more than they did when they were read.
struct BinaryObjectTable: ~Copyable {
    /// Strings and data shorter than this are simply looked up wherever they come.
    private static let largeScalar = 256

    /// A container whose children are being added.
    private struct Frame {
        enum Source {
            case array([PlistValue])
            case dictionary([PlistDictionary.Entry])
        }

        let source: Source
        let address: UInt
        /// Where its children's numbers begin on `children`.
        let base: Int
        /// How many children have been begun; a dictionary's keys are all there from the start.
        var begun = 0
        /// The levels of containers in the children so far.
        var height = 0
    }

    private let limits: PlistLimits
    /// Whether dictionaries are known by their keys in the order of bytes, and not in their own.
    private let sortsKeys: Bool
    /// Keeps the storage alive whose addresses are known.
    private var held: [PlistValue] = []
    private var known: [UInt: UInt32] = [:]
    private var frames: [Frame] = []
    private var children: [UInt32] = []
    private var heights: [UInt16] = []
    /// No smaller than what the objects so far take in a document.
    private var leastBytes = 0
    var records = BinaryRecordTable()

    init(limits: PlistLimits, sortsKeys: Bool) {
        self.limits = limits
        self.sortsKeys = sortsKeys
    }

    /// The number of a value's object, which is new if there was none equal to it.
    ///
    /// Throws `notRepresentable` for null and `limitExceeded`, both with the pointer.
    mutating func insert(_ value: PlistValue) throws(PlistError) -> Int {
        held.append(value)
        do throws(PlistError) {
            return try number(of: value)
        } catch {
            throw error.pointing(to: steps)
        }
    }

    /// The number of the object of a value that is part of one inserted.
    mutating func number(of value: PlistValue) throws(PlistError) -> Int {
        if let object = try begin(value) { return Int(object) }
        var object: UInt32 = 0
        while let frame = frames.last {
            let isComplete: Bool
            switch frame.source {
            case .array(let elements): isComplete = try addChildren(of: elements, from: frame.begun)
            case .dictionary(let entries): isComplete = try addChildren(of: entries, from: frame.begun)
            }
            if isComplete { object = try close() }
        }
        return Int(object)
    }

    /// Adds an array's elements; false if one of them has been opened and must be done first.
    private mutating func addChildren(of elements: [PlistValue], from start: Int) throws(PlistError) -> Bool {
        let last = frames.count - 1
        for position in start..<elements.count {
            frames[last].begun = position + 1
            guard let child = try begin(elements[position]) else { return false }
            children.append(child)
        }
        return true
    }

    /// Adds a dictionary's values; false if one of them has been opened and must be done first.
    private mutating func addChildren(of entries: [PlistDictionary.Entry], from start: Int) throws(PlistError) -> Bool {
        let last = frames.count - 1
        for position in start..<entries.count {
            frames[last].begun = position + 1
            guard let child = try begin(entries[position].value) else { return false }
            children.append(child)
        }
        return true
    }

    /// The number of a scalar, or of a container that is known; nil if a frame has been opened for it.
    private mutating func begin(_ value: PlistValue) throws(PlistError) -> UInt32? {
        switch value {
        case .array(let elements):
            let address = elements.isEmpty ? 0 : elements.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            if let object = try find(address) { return object }
            frames.append(Frame(source: .array(elements), address: address, base: children.count))
            return nil
        case .dictionary(let dictionary):
            let entries = dictionary.entries
            let address = entries.isEmpty ? 0 : entries.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            if let object = try find(address) { return object }
            let ordered = sortsKeys ? entries.sortedByKey : entries
            frames.append(Frame(source: .dictionary(ordered), address: address, base: children.count))
            for entry in ordered { children.append(try add(entry.key)) }
            return nil
        case .string(let string):
            return try add(string)
        case .data(let bytes):
            guard bytes.count >= Self.largeScalar else { return try addScalar(value) }
            let address = bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            if let object = known[address] { return object }
            let object = try addScalar(value)
            known[address] = object
            return object
        case .null:
            throw PlistError(.notRepresentable, "a binary property list has no null")
        default:
            return try addScalar(value)
        }
    }

    /// The container whose storage is known; nil if there is none. Checks the depth in any case.
    private mutating func find(_ address: UInt) throws(PlistError) -> UInt32? {
        let object = known[address]
        let height = object.map { Int(heights[Int($0)]) } ?? 1
        guard frames.count + height <= limits.depth else {
            throw PlistError(.limitExceeded, "containers nest deeper than \(limits.depth) levels")
        }
        if object != nil { noteHeight(height) }
        return object
    }

    /// Makes the object of the container whose frame is the last, which is complete.
    private mutating func close() throws(PlistError) -> UInt32 {
        let frame = frames.removeLast()
        let count = children.count - frame.base
        switch frame.source {
        case .array: records.append(BinaryMarker.array, children: children[frame.base...])
        case .dictionary: records.append(BinaryMarker.dictionary, children: children[frame.base...])
        }
        children.removeLast(count)
        let object = try intern(leastBytes: 1 + count, height: frame.height + 1)
        if frame.address != 0 { known[frame.address] = object }
        if !frames.isEmpty {
            children.append(object)
            noteHeight(frame.height + 1)
        }
        return object
    }

    private mutating func noteHeight(_ height: Int) {
        guard let last = frames.indices.last else { return }
        frames[last].height = max(frames[last].height, height)
    }

    private mutating func add(_ string: PlistString) throws(PlistError) -> UInt32 {
        guard string.utf8.count >= Self.largeScalar else { return try addScalar(string) }
        let address = string.withUTF8 { UInt(bitPattern: $0.baseAddress) }
        if let object = known[address] { return object }
        let object = try addScalar(string)
        known[address] = object
        return object
    }

    private mutating func addScalar(_ string: PlistString) throws(PlistError) -> UInt32 {
        string.withUTF8 { records.bytes.append(binary: UnsafeRawBufferPointer($0)) }
        return try intern(leastBytes: records.pendingBytes, height: 0)
    }

    private mutating func addScalar(_ value: PlistValue) throws(PlistError) -> UInt32 {
        records.bytes.append(binary: value)
        return try intern(leastBytes: records.pendingBytes, height: 0)
    }

    /// The number of the object whose record has just been appended.
    private mutating func intern(leastBytes bytes: Int, height: Int) throws(PlistError) -> UInt32 {
        let object = records.intern()
        guard Int(object) == heights.count else { return object }
        heights.append(UInt16(height))
        leastBytes += bytes
        guard leastBytes <= limits.outputBytes, records.count < UInt32.max else {
            throw BinaryPlistLayout.sizeFailure(limits)
        }
        return object
    }

    /// The way to the value being added.
    private var steps: [PlistPointerStep] {
        frames.compactMap { frame in
            guard frame.begun > 0 else { return nil }
            switch frame.source {
            case .array: return .index(frame.begun - 1)
            case .dictionary(let entries): return .key(entries[frame.begun - 1].key)
            }
        }
    }
}

extension [PlistDictionary.Entry] {
    /// The entries by their keys' bytes.
    fileprivate var sortedByKey: [PlistDictionary.Entry] {
        let isSorted = zip(self, dropFirst()).allSatisfy { $0.key < $1.key }
        return isSorted ? self : sorted { $0.key < $1.key }
    }
}

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
