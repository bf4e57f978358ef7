/// An object graph that NSKeyedArchiver wrote as a property list.
///
/// Objects are identified by number, and a `.uid` in their content refers to another object. The first object represents nil. The
/// numbers have no meaning: two archives of the same objects may number them differently. (Apple, Archives and Serializations
/// Guide)
package struct KeyedArchive: Sendable {
    /// The archived values by the key for which they were encoded, usually `root`. UIDs refer to ``objects``.
    package let top: PlistDictionary
    package let objects: [ArchivedObject]

    /// Returns true if the value looks like a keyed archive: a dictionary with `$archiver`, `$objects` and `$top`.
    package static func isArchive(_ value: PlistValue) -> Bool {
        parts(of: value) != nil
    }

    /// Reads the archive in a property list, and checks that every class and every UID in it exists.
    package init(_ value: PlistValue) throws(PlistError) {
        guard let (top, objects) = Self.parts(of: value) else {
            throw PlistError(.unsupported, "not a keyed archive", pointer: "")
        }
        try ArchiveReferences.check(value, objects: objects.count)
        var classes = ArchivedClasses(objects)
        var archived: [ArchivedObject] = []
        archived.reserveCapacity(objects.count)
        for number in objects.indices { archived.append(try classes.object(number)) }
        self.top = top
        self.objects = archived
    }

    private static func parts(of value: PlistValue) -> (top: PlistDictionary, objects: [PlistValue])? {
        guard let dictionary = value.dictionary, dictionary["$archiver"]?.string != nil,
            let objects = dictionary["$objects"]?.array, let top = dictionary["$top"]?.dictionary
        else { return nil }
        return (top, objects)
    }

    /// Returns true if two archives have the same objects, apart from their numbers and order, and the same other keys besides
    /// `$top`. If their graphs are equal as well, they differ only in the numbers of their objects.
    package static func haveSameObjects(_ left: PlistDictionary, _ right: PlistDictionary) -> Bool {
        guard left.count == right.count, let leftObjects = left["$objects"]?.array, let rightObjects = right["$objects"]?.array
        else { return false }
        for (key, value) in left where key != "$objects" && key != "$top" && right[key] != value { return false }
        return counts(leftObjects) == counts(rightObjects)
    }

    private static func counts(_ objects: [PlistValue]) -> [PlistValue: Int] {
        var counts: [PlistValue: Int] = [:]
        for object in objects { counts[unnumbered(object), default: 0] += 1 }
        return counts
    }

    private static func unnumbered(_ value: PlistValue) -> PlistValue {
        switch value {
        case .uid: .uid(0)
        case .array(let elements): .array(unnumbered(elements))
        case .dictionary(let dictionary): .dictionary(unnumbered(dictionary))
        default: value
        }
    }

    private static func unnumbered(_ elements: [PlistValue]) -> [PlistValue] {
        var result: [PlistValue] = []
        for position in 0..<elements.count { result.append(unnumbered(elements[position])) }
        return result
    }

    private static func unnumbered(_ dictionary: PlistDictionary) -> PlistDictionary {
        var result = dictionary
        for position in 0..<dictionary.count {
            let entry = dictionary.entries[position]
            result[entry.key] = unnumbered(entry.value)
        }
        return result
    }

    /// Returns the graph as a tree: a dictionary of the archived values, with every UID replaced by its object.
    ///
    /// - Arrays, dictionaries with strings as keys, strings, numbers, dates and data become plain values, mutable or not. Nil
    ///   becomes null.
    /// - Any other object becomes a dictionary of its fields, with its class under `$class`. Sets and ordered sets have their
    ///   elements under `$objects`. Dictionaries with other keys have the `key` and `value` of each entry under `$entries`. URLs and
    ///   UUIDs have their text under `$value`. Keys that begin with `$` get another `$` in front.
    /// - An object that contains itself, directly or indirectly, becomes `{"$ref": POINTER}` where it occurs again. So does any
    ///   other object of such a cycle that has its place elsewhere. The pointer is relative: the number of containers to go up,
    ///   followed by the path down. (Relative JSON Pointer)
    /// - Other objects appear in all their places, and share their storage.
    ///
    /// Fields, keys and, as far as possible, the elements of sets are sorted, so that neither the numbers nor the archiver's hash
    /// tables affect the result.
    package func resolved(limits: PlistLimits = .standard) throws(PlistError) -> PlistValue {
        try ArchiveResolver(self, limits: limits).resolve()
    }
}

/// An object of a keyed archive. Every `.uid` in its content refers to another object.
package struct ArchivedObject: Sendable {
    /// The content of an object.
    package enum Content: Sendable {
        /// Nil, which is object 0.
        case null
        /// A string, a number, a date or data; a URL or UUID as text; or a property list without a class.
        case value(PlistValue)
        /// The elements of an array or an ordered set.
        case array([PlistValue])
        /// The elements of a set, in no particular order.
        case set([PlistValue])
        /// The keys and values of a dictionary, in no particular order. Any object can be a key.
        case dictionary(keys: [PlistValue], values: [PlistValue])
        /// The fields of any other object by name, including `$class`.
        case fields(PlistDictionary)
    }

    /// The class, followed by its superclasses if the archive names them. Empty for a value without a class.
    package let classNames: [PlistString]
    package let content: Content
    package var className: PlistString? { classNames.first }
}

/// Determines the types of a keyed archive's objects from their classes.
/// Foundation's own classes are unwrapped only if they have exactly the expected fields, so that nothing is ever lost.
/// (swift-corelibs-foundation, the classes' `encode(with:)`)
private struct ArchivedClasses {
    /// The maximum number of names in the descriptions of all classes, because many classes could share one long list.
    private static let namesLimit = 1 << 20

    private let objects: [PlistValue]
    private var names: [Int: [PlistString]] = [:]
    private var namesCount = 0

    init(_ objects: [PlistValue]) {
        self.objects = objects
    }

    mutating func object(_ number: Int) throws(PlistError) -> ArchivedObject {
        let object = objects[number]
        guard let fields = object.dictionary, let reference = fields["$class"] else {
            let isNull = number == 0 && object.string == "$null"
            return ArchivedObject(classNames: [], content: isNull ? .null : .value(object))
        }
        guard case .uid(let uid) = reference, let names = classNames(Int(clamping: uid)) else {
            throw PlistError(.damaged, "not a class", pointer: "/$objects/\(number)/$class")
        }
        guard namesCount <= Self.namesLimit else {
            throw PlistError(
                .limitExceeded, "the keyed archive's classes have too many names", pointer: "/$objects/\(uid)/$classes")
        }
        return ArchivedObject(classNames: names, content: content(of: names.first ?? "", fields) ?? .fields(fields))
    }

    private mutating func classNames(_ uid: Int) -> [PlistString]? {
        if let known = names[uid] { return known }
        guard objects.indices.contains(uid), let description = objects[uid].dictionary,
            let name = description["$classname"]?.string
        else { return nil }
        var all = [name]
        if let classes = description["$classes"] {
            guard let elements = classes.array else { return nil }
            namesCount += elements.count
            for (place, element) in elements.enumerated() {
                guard let name = element.string else { return nil }
                if place > 0 || name != all[0] { all.append(name) }
            }
        }
        names[uid] = all
        return all
    }

    private func content(of name: PlistString, _ fields: PlistDictionary) -> ArchivedObject.Content? {
        switch name.string {
        case "NSArray", "NSMutableArray":
            return only("NS.objects", in: fields)?.array.map { .array($0) }
        case "NSOrderedSet", "NSMutableOrderedSet":
            return (only("NS.objects", in: fields)?.array ?? numbered("NS.object.", in: fields)).map { .array($0) }
        case "NSSet", "NSMutableSet":
            return (only("NS.objects", in: fields)?.array ?? numbered("NS.object.", in: fields)).map { .set($0) }
        case "NSDictionary", "NSMutableDictionary":
            guard fields.count == 3, let keys = fields["NS.keys"]?.array, let values = fields["NS.objects"]?.array,
                keys.count == values.count
            else { return nil }
            return .dictionary(keys: keys, values: values)
        case "NSString", "NSMutableString":
            return only("NS.string", in: fields).flatMap { scalar($0).string }.map { .value(.string($0)) }
        case "NSData", "NSMutableData":
            return only("NS.data", in: fields).flatMap { scalar($0).data }.map { .value(.data($0)) }
        case "NSDate":
            return only("NS.time", in: fields)?.real.map { .value(.date($0)) }
        case "NSUUID":
            return only("NS.uuidbytes", in: fields)?.data.flatMap { Self.uuid($0) }.map { .value(.string($0)) }
        case "NSURL":
            guard fields.count == 3, fields["NS.base"]?.uid == 0, objects.first?.string == "$null",
                let text = fields["NS.relative"].flatMap({ scalar($0).string })
            else { return nil }
            return .value(.string(text))
        default:
            return nil
        }
    }

    private func only(_ name: PlistString, in fields: PlistDictionary) -> PlistValue? {
        fields.count == 2 ? fields[name] : nil
    }

    private func numbered(_ prefix: String, in fields: PlistDictionary) -> [PlistValue]? {
        var elements: [PlistValue] = []
        for number in 0..<fields.count - 1 {
            guard let element = fields[PlistString("\(prefix)\(number)")] else { return nil }
            elements.append(element)
        }
        return elements
    }

    private func scalar(_ value: PlistValue) -> PlistValue {
        guard case .uid(let uid) = value, let number = Int(exactly: uid), objects.indices.contains(number) else { return value }
        return objects[number]
    }

    /// Returns the text of a UUID's 16 bytes. (RFC 9562, section 4, in upper case as in Foundation)
    private static func uuid(_ bytes: [UInt8]) -> PlistString? {
        guard bytes.count == 16 else { return nil }
        var text = ""
        for (place, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(place) { text += "-" }
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return PlistString(text)
    }
}

/// Finds references to missing objects in a keyed archive.
private struct ArchiveReferences {
    let objects: Int
    private var trail = PlistTrail()

    static func check(_ archive: PlistValue, objects: Int) throws(PlistError) {
        var references = ArchiveReferences(objects: objects)
        do throws(PlistError) {
            try references.visit(archive)
        } catch {
            throw error.pointing(to: references.trail.steps(from: archive))
        }
    }

    private mutating func visit(_ value: PlistValue) throws(PlistError) {
        switch value {
        case .uid(let uid): try check(uid)
        case .array(let elements): try visit(elements)
        case .dictionary(let dictionary): try visit(dictionary)
        default: break
        }
    }

    private mutating func visit(_ elements: [PlistValue]) throws(PlistError) {
        trail.enter()
        for position in 0..<elements.count {
            trail.go(to: position)
            try visit(elements[position])
        }
        trail.leave()
    }

    private mutating func visit(_ dictionary: PlistDictionary) throws(PlistError) {
        trail.enter()
        for position in 0..<dictionary.count {
            trail.go(to: position)
            try visit(dictionary.entries[position].value)
        }
        trail.leave()
    }

    private func check(_ uid: UInt64) throws(PlistError) {
        guard uid < objects else { throw PlistError(.damaged, "no object has the UID \(uid)") }
    }
}
