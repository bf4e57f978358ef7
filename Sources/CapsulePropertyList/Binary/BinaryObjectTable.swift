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
