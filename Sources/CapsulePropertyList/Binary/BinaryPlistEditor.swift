/// Edits binary property lists minimally.
///
/// Objects that are still needed keep their order and, except for the numbers that refer to other objects, their bytes. New objects
/// follow, and objects without references are removed. If a reader would refuse the result, because too much in it is shared, the
/// document is written anew.
public enum BinaryPlistEditor {
    /// Returns the document with another value, or the same bytes if its value is equal already.
    ///
    /// Changed dictionaries have their keys in the value's order. Dictionaries that are equal to old ones keep their own order. If
    /// the document has a key twice, the last value counts.
    ///
    /// - Throws: the errors of reading the document and of writing the value.
    public static func bytes(
        _ document: [UInt8], holding value: PlistValue, limits: PlistLimits = .standard
    ) throws(PlistError) -> [UInt8] {
        let result: Result<[UInt8]?, PlistError> = document.withUnsafeBytes { bytes in
            do throws(PlistError) {
                return .success(try edit(bytes, value, limits: limits))
            } catch {
                return .failure(error)
            }
        }
        return try result.get() ?? document
    }

    /// Returns the edited document, or nil if nothing changes.
    private static func edit(
        _ bytes: UnsafeRawBufferPointer, _ value: PlistValue, limits: PlistLimits
    ) throws(PlistError) -> [UInt8]? {
        guard bytes.count <= limits.documentBytes else {
            throw PlistError(.limitExceeded, "the property list is larger than \(limits.documentBytes) bytes")
        }
        let objects = try BinaryPlistObjects(bytes, limits: limits)
        var match = try BinaryPlistMatch(objects, limits: limits)
        guard try match.follow(value) else { return nil }
        if let document = try BinaryPlistRevision(match).bytes(weight: value.weight, limits: limits) { return document }
        // Equal values that were added are one object, and a reader would refuse that.
        return try BinaryPlistWriter.write(value, limits: limits)
    }
}

/// A binary property list that consists of old and new objects, with their new numbers.
private struct BinaryPlistRevision: ~Copyable {
    // Never changed, but with a constant Swift 6.2 would not let an initializer call a method that changes other members.
    private var match: BinaryPlistMatch
    /// The old objects that are kept, in order.
    private var kept: [Int] = []
    /// The new number of each old object; -1 for removed ones.
    private var numbers: [Int]
    /// The records of the new objects, in the order in which a writer visits them.
    private var added: [Int] = []
    private var addedNumbers: [Int: Int] = [:]

    init(_ match: consuming BinaryPlistMatch) {
        numbers = [Int](repeating: -1, count: match.stays.count)
        for object in match.stays.indices where match.stays[object] || match.changes[object] != nil {
            numbers[object] = kept.count
            kept.append(object)
        }
        self.match = match
        number()
    }

    /// Numbers the new objects by following changed and new containers from the root.
    private mutating func number() {
        var visited = [Bool](repeating: false, count: match.containers.count)
        var open = [match.root]
        while let target = open.popLast() {
            let container: Int?
            switch match.resolve(target) {
            case .object(let object):
                container = match.changes[object]
            case .record(let record):
                container = match.container(of: record)
                if addedNumbers[record] == nil {
                    addedNumbers[record] = kept.count + added.count
                    added.append(record)
                }
            }
            guard let container, !visited[container] else { continue }
            visited[container] = true
            open.append(contentsOf: match.containers[container].children.reversed())
        }
    }

    /// Returns the document, or nil if a value of this weight is too heavy for it.
    ///
    /// - Throws: `limitExceeded` if the document is too large.
    func bytes(weight: Int, limits: PlistLimits) throws(PlistError) -> [UInt8]? {
        let trailer = match.objects.trailer
        var bytes = 0
        var references = 0
        for object in kept {
            if let number = match.changes[object] {
                bytes += head(of: number, changing: object)?.count ?? headBytes(of: match.containers[number])
                references += match.containers[number].children.count
            } else {
                bytes += match.objects[object].head.count
                references += match.objects[object].references
            }
        }
        for record in added {
            if let container = match.container(of: record) {
                bytes += headBytes(of: match.containers[container])
                references += match.containers[container].children.count
            } else {
                bytes += match.table.records[record].count
            }
        }
        let layout = try BinaryPlistLayout(
            objects: kept.count + added.count, bytes: bytes, references: references, root: number(of: match.root),
            replacing: trailer, limits: limits)
        return limits.allow(weight: weight, in: layout.objectBytes) ? document(layout) : nil
    }

    private func document(_ layout: BinaryPlistLayout) -> [UInt8] {
        var document = BinaryPlistDocument(layout)
        for object in kept {
            document.beginObject()
            if let number = match.changes[object] {
                append(match.containers[number], head: head(of: number, changing: object), to: &document)
                continue
            }
            let place = match.objects[object]
            document.append(UnsafeRawBufferPointer(rebasing: match.objects.bytes[place.head]))
            for position in 0..<place.references {
                document.append(reference: numbers[match.objects.reference(position, of: place)])
            }
        }
        for record in added {
            document.beginObject()
            if let container = match.container(of: record) {
                append(match.containers[container], head: nil, to: &document)
            } else {
                document.append(match.table.records[record])
            }
        }
        return document.finish()
    }

    private func append(
        _ container: BinaryPlistMatch.Container, head: Range<Int>?, to document: inout BinaryPlistDocument
    ) {
        if let head {
            document.append(UnsafeRawBufferPointer(rebasing: match.objects.bytes[head]))
        } else {
            document.append(marker: container.marker, count: count(of: container))
        }
        for child in container.children { document.append(reference: number(of: child)) }
    }

    /// Returns the range of the changed object's marker and count if these stay the same, or nil.
    private func head(of container: Int, changing object: Int) -> Range<Int>? {
        let place = match.objects[object]
        return place.references == match.containers[container].children.count ? place.head : nil
    }

    private func headBytes(of container: BinaryPlistMatch.Container) -> Int {
        BinaryMarker.headBytes(count: count(of: container))
    }

    private func count(of container: BinaryPlistMatch.Container) -> Int {
        container.marker == BinaryMarker.dictionary ? container.children.count / 2 : container.children.count
    }

    private func number(of target: BinaryPlistMatch.Target) -> Int {
        switch match.resolve(target) {
        case .object(let object): numbers[object]
        case .record(let record): addedNumbers[record].guaranteed("a record that is referred to has a number")
        }
    }
}

/// The objects of a binary property list as stored, with the information that a minimal edit needs to keep them.
struct BinaryPlistObjects {
    /// The type of an object and the ranges of its bytes.
    struct Object {
        /// `BinaryMarker.array` or `BinaryMarker.dictionary`; nil for a scalar.
        var container: UInt8?
        /// The marker and count of a container, or all bytes of a scalar.
        var head: Range<Int>
        /// The number of references of a container. A dictionary's keys come before its values.
        var references = 0
    }

    let bytes: UnsafeRawBufferPointer
    let trailer: BinaryPlistTrailer
    /// The value of each object that the root refers to, directly or indirectly; nil for the others.
    let values: [PlistValue?]

    /// Reads an entire document, which must outlive this value. If a key occurs twice, the last value counts.
    init(_ bytes: UnsafeRawBufferPointer, limits: PlistLimits) throws(PlistError) {
        let duplicates = PlistDuplicateKeys(.last, in: .binary, limits: PlistLimits(warnings: 0))
        let trailer = try BinaryPlistTrailer(bytes, limits: limits)
        let reader = BinaryPlistReader(bytes, trailer: trailer, limits: limits, duplicates: duplicates)
        self.bytes = bytes
        self.trailer = trailer
        values = try reader.readObjects()
    }

    /// Returns an object that has a value. The reader has checked that the object's bytes exist.
    subscript(number: Int) -> Object {
        let start = bytes.bigEndian(at: trailer.table + number * trailer.offsetBytes, bytes: trailer.offsetBytes)
            .guaranteed("the offset table is in the document")
        let low = Int(bytes[start] & 0xF)
        switch bytes[start] & 0xF0 {
        case BinaryMarker.array, BinaryMarker.dictionary:
            let (head, count) = run(low, start)
            let container = bytes[start] & 0xF0
            return Object(
                container: container, head: head, references: container == BinaryMarker.array ? count : 2 * count)
        case BinaryMarker.data, BinaryMarker.ascii:
            let (head, count) = run(low, start)
            return Object(container: nil, head: start..<head.upperBound + count)
        case BinaryMarker.utf16:
            let (head, count) = run(low, start)
            return Object(container: nil, head: start..<head.upperBound + 2 * count)
        case BinaryMarker.uid:
            return Object(container: nil, head: start..<start + 2 + low)
        case 0x00:
            return Object(container: nil, head: start..<start + 1)
        default:
            // Integers, reals and dates.
            return Object(container: nil, head: start..<start + 1 + 1 << low)
        }
    }

    /// Returns the number of the object that a container refers to at a position.
    func reference(_ position: Int, of object: Object) -> Int {
        let offset = object.head.upperBound + position * trailer.referenceBytes
        return bytes.bigEndian(at: offset, bytes: trailer.referenceBytes)
            .guaranteed("the references of an object are in the document")
    }

    /// Returns the range of an object's marker and count, and the count.
    private func run(_ low: Int, _ start: Int) -> (head: Range<Int>, count: Int) {
        guard low == BinaryMarker.largeCount else { return (start..<start + 1, low) }
        let countBytes = 1 << Int(bytes[start + 1] & 0xF)
        return (start..<start + 2 + countBytes, bytes.bigEndian(at: start + 2, bytes: countBytes) ?? 0)
    }
}
