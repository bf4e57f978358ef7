package import CapsulePropertyList

/// The values of a property list that contain no others, each with its place.
///
/// Keys are in the order of their bytes, so that equal values give equal lists. The elements of an array are in their own order,
/// named by identity if it is known (``ArrayIdentities``). Property lists and keyed archives in data are opened. An object that a
/// binary property list shares is listed wherever it is used, so the caller ends a long walk by throwing.
package struct PlistLeaves {
    private static let documentDepth = 4
    private static let documentLimit = 1 << 26

    private struct Position {
        var pointer: [PlistString] = []
        /// The same steps, but with each array element by its index, for the rules of array identity.
        var identity: [PlistString] = []
        var documents = 0
        var isArchived = false
        /// The key in a dictionary; nil for an element of an array, and for what data contains.
        var key: PlistString?
        /// The name that values beside the place, or beside one that contains it, give it.
        var naming: SecretName = []

        func appending(_ step: PlistString, identity own: PlistString? = nil, key: PlistString? = nil) -> Position {
            var place = self
            place.key = key
            place.pointer.append(step)
            place.identity.append(own ?? step)
            return place
        }

        func entering(_ step: PlistString, isArchived: Bool) -> Position {
            var place = appending(step)
            place.documents += 1
            place.isArchived = isArchived
            return place
        }
    }

    private var pending: [(value: PlistValue, place: Position)]
    private var documentBytes = 0

    /// Calls `take` with each value except arrays and dictionaries that are not empty.
    package static func forEach<Failure: Error>(
        in root: PlistValue, _ take: (PlistPointer, PlistValue) throws(Failure) -> Void
    ) throws(Failure) {
        try forEachPlace(in: root) { (pointer, _, leaf, _) throws(Failure) in
            if let leaf { try take(pointer, leaf) }
        }
    }

    /// Calls `take` with each place, the key that it has in a dictionary, its value, and what the values beside it say about it. The
    /// value is nil for a place that contains others, which follow it.
    package static func forEachPlace<Failure: Error>(
        in root: PlistValue, _ take: (PlistPointer, _ key: PlistString?, PlistValue?, SecretName) throws(Failure) -> Void
    ) throws(Failure) {
        var leaves = PlistLeaves(pending: [(root, Position())])
        while let (value, place) = leaves.pending.popLast() {
            try take(PlistPointer(steps: place.pointer), place.key, leaves.open(value, place), place.naming)
        }
    }

    /// Returns a leaf; for anything else, leaves what is inside for later, and returns nil.
    private mutating func open(_ value: PlistValue, _ place: Position) -> PlistValue? {
        switch value {
        case .dictionary(let dictionary) where !dictionary.isEmpty: push(dictionary, place)
        case .array(let elements) where !elements.isEmpty: push(elements, place)
        case .data(let bytes):
            guard let (value, isArchive) = document(in: bytes, place) else { return value }
            pending.append((value, place.entering(isArchive ? "<archive>" : "<plist>", isArchived: isArchive)))
        default: return value
        }
        return nil
    }

    private mutating func push(_ dictionary: PlistDictionary, _ place: Position) {
        if !place.isArchived, place.documents < Self.documentDepth, let graph = Self.graph(of: .dictionary(dictionary)) {
            pending.append((graph, place.entering("<archive>", isArchived: true)))
            return
        }
        var place = place
        place.naming.formUnion(Secrets.naming(in: dictionary))
        // The entry that is pushed last is written next.
        let entries = dictionary.map { ($0.key, $0.value) }
        for (key, value) in entries.sorted(by: { $1.0.utf8.lexicographicallyPrecedes($0.0.utf8) }) {
            pending.append((value, place.appending(key, key: key)))
        }
    }

    private mutating func push(_ elements: [PlistValue], _ place: Position) {
        // A merge reports rules that contradict each other. Here they are ignored.
        let identity = place.isArchived ? nil : (try? ArrayIdentities().identity(at: place.identity)) ?? nil
        let names = ElementPointers(elements, elements, identity)
        for (number, element) in elements.enumerated().reversed() {
            pending.append((element, place.appending(names.paired(number, number), identity: PlistString(String(number)))))
        }
    }

    /// Returns the binary or XML property list in data, or nil if there is none. Other encodings are not tried, because any
    /// text could look like one.
    private mutating func document(in bytes: [UInt8], _ place: Position) -> (value: PlistValue, isArchive: Bool)? {
        switch PlistFormat.sniff(bytes) {
        case .binary, .xml: break
        default: return nil
        }
        guard place.documents < Self.documentDepth, bytes.count <= Self.documentLimit - documentBytes else { return nil }
        documentBytes += bytes.count
        guard let value = try? PlistDocument.read(bytes).value else { return nil }
        return Self.graph(of: value).map { ($0, true) } ?? (value, false)
    }

    private static func graph(of value: PlistValue) -> PlistValue? {
        guard KeyedArchive.isArchive(value) else { return nil }
        return try? KeyedArchive(value).resolved(limits: PlistLimits(outputBytes: 1 << 26))
    }
}
