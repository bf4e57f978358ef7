/// The distinct objects of values, as stored in a binary property list. Equal values are one object.
///
/// A scalar is identified by its canonical bytes, and a container by the numbers of its children, in order. Storage that was
/// already visited is not visited again, so shared objects cost no more than they did when they were read.
struct BinaryObjectTable: ~Copyable {
    /// Strings and data shorter than this many bytes are looked up by their content every time they occur.
    private static let largeScalar = 256

    /// A container whose children are being added.
    private struct Frame {
        enum Source {
            case array([PlistValue])
            case dictionary([PlistDictionary.Entry])
        }

        let source: Source
        let address: UInt
        /// The index in `children` of the first child's number.
        let base: Int
        /// The number of children that were begun. A dictionary's keys are all added at the start.
        var begun = 0
        /// The maximum number of container levels in the children so far.
        var height = 0
    }

    private let limits: PlistLimits
    /// True if dictionaries are identified by their keys in byte order, and not in their own order.
    private let sortsKeys: Bool
    /// Keeps the storage alive whose addresses are in `known`.
    private var held: [PlistValue] = []
    private var known: [UInt: UInt32] = [:]
    private var frames: [Frame] = []
    private var children: [UInt32] = []
    private var heights: [UInt16] = []
    /// A lower bound for the bytes that the objects so far take in a document.
    private var leastBytes = 0
    var records = BinaryRecordTable()

    init(limits: PlistLimits, sortsKeys: Bool) {
        self.limits = limits
        self.sortsKeys = sortsKeys
    }

    /// Returns the number of a value's object, which is created if no object is equal to it.
    ///
    /// - Throws: `notRepresentable` for null, or `limitExceeded`, both with the pointer.
    mutating func insert(_ value: PlistValue) throws(PlistError) -> Int {
        held.append(value)
        do throws(PlistError) {
            return try number(of: value)
        } catch {
            throw error.pointing(to: steps)
        }
    }

    /// Returns the number of the object of a value that is part of an inserted one.
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

    /// Adds the elements of an array. Returns false if a frame was opened for an element, which must be completed first.
    private mutating func addChildren(of elements: [PlistValue], from start: Int) throws(PlistError) -> Bool {
        let last = frames.count - 1
        for position in start..<elements.count {
            frames[last].begun = position + 1
            guard let child = try begin(elements[position]) else { return false }
            children.append(child)
        }
        return true
    }

    /// Adds the values of a dictionary. Returns false if a frame was opened for a value, which must be completed first.
    private mutating func addChildren(of entries: [PlistDictionary.Entry], from start: Int) throws(PlistError) -> Bool {
        let last = frames.count - 1
        for position in start..<entries.count {
            frames[last].begun = position + 1
            guard let child = try begin(entries[position].value) else { return false }
            children.append(child)
        }
        return true
    }

    /// Returns the number of a scalar or of a known container, or nil if a frame was opened for the value.
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

    /// Returns the number of the container with the given storage address, or nil if it is not known. Always checks the depth.
    private mutating func find(_ address: UInt) throws(PlistError) -> UInt32? {
        let object = known[address]
        let height = object.map { Int(heights[Int($0)]) } ?? 1
        guard frames.count + height <= limits.depth else {
            throw PlistError(.limitExceeded, "containers nest deeper than \(limits.depth) levels")
        }
        if object != nil { recordHeight(height) }
        return object
    }

    /// Creates the object of the container in the last frame, which is complete.
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
            recordHeight(frame.height + 1)
        }
        return object
    }

    private mutating func recordHeight(_ height: Int) {
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

    /// Returns the number of the object whose record was just appended.
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

    /// The pointer steps to the value that is being added.
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
    /// The entries sorted by the bytes of their keys.
    fileprivate var sortedByKey: [PlistDictionary.Entry] {
        let isSorted = zip(self, dropFirst()).allSatisfy { $0.key < $1.key }
        return isSorted ? self : sorted { $0.key < $1.key }
    }
}

/// Distinct records of bytes, numbered in the order in which they were added.
///
/// The record of a scalar is its canonical bytes. The record of a container is its marker without a count, followed by the record
/// numbers of its children; a dictionary's keys come before its values. Records are hashed with the process's random seed, so that
/// a hostile document can't provoke collisions. The record numbers don't depend on the seed.
struct BinaryRecordTable: ~Copyable {
    /// The number of bytes of a child's number in a container's record.
    private static let numberBytes = 4

    var bytes = TextBuffer(capacity: 4096)
    /// The end of each record, where the next one begins.
    private var ends: [Int] = []
    private var hashes: [UInt32] = []
    /// The slots of the hash table: 0 is free, and n + 1 is record n. The table uses open addressing with linear probing, is at
    /// most half full, and has a power of two as its size.
    private var slots = [UInt32](repeating: 0, count: 256)

    /// The number of records.
    var count: Int { ends.count }

    /// The number of bytes that were appended since the last record.
    var pendingBytes: Int { bytes.count - (ends.last ?? 0) }

    /// Makes a record of the appended bytes, or drops them if an equal record exists. Returns its number in both cases.
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

    /// The bytes of a record, valid until the next change.
    subscript(record: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes.bytes[(record == 0 ? 0 : ends[record - 1])..<ends[record]])
    }

    // MARK: Containers

    /// Appends the content of a container's record: its marker and the numbers of its children.
    mutating func append(_ marker: UInt8, children: ArraySlice<UInt32>) {
        bytes.append(marker)
        children.withUnsafeBytes { bytes.append($0) }
    }

    /// Returns the marker of an array or a dictionary, or nil for a scalar's record.
    func containerMarker(_ record: Int) -> UInt8? {
        let marker = self[record].first ?? 0
        return marker & 0xF0 == BinaryMarker.array || marker & 0xF0 == BinaryMarker.dictionary ? marker : nil
    }

    /// Returns the number of children in a container's record: two for each entry of a dictionary, or 0 for a scalar's record.
    func childCount(_ record: Int) -> Int {
        containerMarker(record) == nil ? 0 : (self[record].count - 1) / Self.numberBytes
    }

    /// Returns the record number of a container's child.
    func child(_ position: Int, of record: Int) -> Int {
        Int(self[record].loadUnaligned(fromByteOffset: 1 + position * Self.numberBytes, as: UInt32.self))
    }
}

extension UnsafeRawBufferPointer {
    /// Returns true if both buffers have the same length and the same bytes.
    fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        return withMemoryRebound(to: UInt8.self) { left in
            other.withMemoryRebound(to: UInt8.self) { right in left.firstDifference(from: right) == nil }
        }
    }
}
