/// Matches the objects of a binary property list to a new value.
///
/// The old and new values are followed side by side from the root. An object is kept with its content if its value is still in the
/// same place, or has moved to another place. A container whose value is no longer in the document is changed to hold the first new
/// value that matches its place. All other new values become new objects. This way, no object that others share is changed for
/// them.
struct BinaryPlistMatch: ~Copyable {
    /// The target of a reference in a changed or new container.
    enum Target {
        /// The old object in the same place.
        case object(Int)
        /// The object that holds the record's value in the end.
        case record(Int)
    }

    /// A container whose value was not in the old document.
    struct Container {
        var marker: UInt8
        /// The targets of the references. A dictionary's keys come before its values.
        var children: [Target]
        /// The old object that is changed to hold the value; nil for a new object.
        var object: Int?
    }

    private struct Pending {
        var value: PlistValue
        var record: Int
        var candidate: Int?
    }

    let objects: BinaryPlistObjects
    private(set) var table: BinaryObjectTable
    /// The record of each old object's value; -1 for objects that the root doesn't refer to.
    private var records: [Int] = []
    /// The first old object with each record's value; -1 if there is none.
    private var firstObjects: [Int] = []
    /// A kept object with each record's value; -1 if there is none.
    private var keptObjects: [Int] = []
    private var moved: [Int] = []
    private var pending: [Pending] = []
    private var numbers: [Int: Int] = [:]

    /// True for each old object that is kept unchanged.
    private(set) var stays: [Bool]
    private(set) var containers: [Container] = []
    /// The index of the container that an old object is changed to hold, by object.
    private(set) var changes: [Int: Int] = [:]
    private(set) var root = Target.object(0)

    init(_ objects: BinaryPlistObjects, limits: PlistLimits) throws(PlistError) {
        self.objects = objects
        // Only the output is limited.
        var limits = limits
        limits.outputBytes = .max
        table = BinaryObjectTable(limits: limits, sortsKeys: true)
        stays = [Bool](repeating: false, count: objects.values.count)
        if let root = objects.values[objects.trailer.root] { _ = try table.insert(root) }
        for value in objects.values {
            guard let value else {
                records.append(-1)
                continue
            }
            records.append(try table.insert(value))
        }
        firstObjects = [Int](repeating: -1, count: table.records.count)
        for (object, record) in records.enumerated().reversed() where record >= 0 { firstObjects[record] = object }
        keptObjects = [Int](repeating: -1, count: table.records.count)
    }

    /// Decides which objects are kept, changed or added. Returns false if the document already holds the value.
    mutating func follow(_ value: PlistValue) throws(PlistError) -> Bool {
        let oldRoot = objects.trailer.root
        let record = try table.insert(value)
        guard record != records[oldRoot] else { return false }
        root = target(of: value, record, candidate: oldRoot)
        while let next = pending.popLast() {
            guard numbers[next.record] == nil else { continue }
            numbers[next.record] = containers.count
            let known = pending.count
            containers.append(try container(next))
            // The first child that was found is followed next.
            pending[known...].reverse()
        }
        for record in moved where keptObjects[record] < 0 { keep(firstObjects[record]) }
        for (number, container) in containers.enumerated() {
            guard let object = container.object, !stays[object], changes[object] == nil else {
                containers[number].object = nil
                continue
            }
            changes[object] = number
        }
        return true
    }

    /// Returns the old object that finally holds the target, or the record of a new one.
    func resolve(_ target: Target) -> Target {
        guard case .record(let record) = target else { return target }
        if record < keptObjects.count, keptObjects[record] >= 0 { return .object(keptObjects[record]) }
        if let object = container(of: record).flatMap({ containers[$0].object }) { return .object(object) }
        return target
    }

    /// Returns the index of the container that holds a record's value, or nil if the old document held it.
    func container(of record: Int) -> Int? {
        numbers[record]
    }

    // MARK: Following

    /// Returns the target for a value.
    ///
    /// - Parameter candidate: the old object in the value's place.
    private mutating func target(of value: PlistValue, _ record: Int, candidate: Int?) -> Target {
        if let candidate, records[candidate] == record {
            keep(candidate)
            return .object(candidate)
        }
        if record < firstObjects.count, firstObjects[record] >= 0 {
            moved.append(record)
        } else if let marker = table.records.containerMarker(record), numbers[record] == nil {
            let isSameType = candidate.map { objects[$0].container == marker } ?? false
            pending.append(Pending(value: value, record: record, candidate: isSameType ? candidate : nil))
        }
        return .record(record)
    }

    private mutating func container(_ next: Pending) throws(PlistError) -> Container {
        switch next.value {
        case .array(let elements):
            return Container(
                marker: BinaryMarker.array, children: try children(of: elements, next.candidate), object: next.candidate)
        case .dictionary(let dictionary):
            return Container(
                marker: BinaryMarker.dictionary, children: try children(of: dictionary, next.candidate),
                object: next.candidate)
        default:
            return Container(marker: BinaryMarker.array, children: [], object: nil)
        }
    }

    /// Returns the targets for the elements of an array. Equal elements are paired from both ends, and the elements between them by
    /// position.
    private mutating func children(of elements: [PlistValue], _ candidate: Int?) throws(PlistError) -> [Target] {
        var new: [Int] = []
        for element in elements { new.append(try table.number(of: element)) }
        let old = candidate.map { objects[$0] }
        let common = min(new.count, old?.references ?? 0)
        let surplus = (old?.references ?? 0) - new.count
        var head = 0
        var tail = 0
        if let old {
            while head < common, records[objects.reference(head, of: old)] == new[head] { head += 1 }
            while tail < common - head,
                records[objects.reference(old.references - 1 - tail, of: old)] == new[new.count - 1 - tail]
            {
                tail += 1
            }
        }
        var children: [Target] = []
        for (position, element) in elements.enumerated() {
            let isInTail = position >= new.count - tail
            let place = isInTail ? position + surplus : position
            let isPaired = isInTail || place < common - tail
            let candidate = isPaired ? old.map { objects.reference(place, of: $0) } : nil
            children.append(target(of: element, new[position], candidate: candidate))
        }
        return children
    }

    private mutating func children(of dictionary: PlistDictionary, _ candidate: Int?) throws(PlistError) -> [Target] {
        let old = candidate.map { objects[$0] }
        var entries = candidate.flatMap { objects.values[$0]?.dictionary }
        // If the document has a key twice, its value doesn't, and the positions differ.
        if let old, let count = entries?.count, old.references != 2 * count { entries = nil }
        var keys: [Target] = []
        var values: [Target] = []
        for (key, value) in dictionary {
            let position = entries?.position(of: key)
            let key = PlistValue.string(key)
            let places = position.flatMap { position in
                old.map { (objects.reference(position, of: $0), objects.reference($0.references / 2 + position, of: $0)) }
            }
            keys.append(target(of: key, try table.number(of: key), candidate: places?.0))
            values.append(target(of: value, try table.number(of: value), candidate: places?.1))
        }
        return keys + values
    }

    /// Marks an old object, with everything it refers to, as kept.
    private mutating func keep(_ object: Int) {
        guard !stays[object] else { return }
        stays[object] = true
        var open = [object]
        while let object = open.popLast() {
            if keptObjects[records[object]] < 0 { keptObjects[records[object]] = object }
            let place = objects[object]
            for position in 0..<place.references {
                let child = objects.reference(position, of: place)
                guard !stays[child] else { continue }
                stays[child] = true
                open.append(child)
            }
        }
    }
}
