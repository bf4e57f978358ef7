/// Tells what the objects of a keyed archive are by their classes.
///
/// Foundation's own classes are unwrapped only if they hold what they are known to hold and nothing else, so that nothing is
/// ever left out. (swift-corelibs-foundation, the classes' `encode(with:)`)
struct ArchivedClasses {
    /// Names in the descriptions of all classes: many could have one long list of them in common.
    private static let namesLimit = 1 << 20

    private let objects: [PlistValue]
    /// The names in the description of each class that has been asked for, by UID.
    private var names: [Int: [PlistString]] = [:]
    private var namesCount = 0
    /// What the objects are whose fields have this storage: a binary property list may name one object many times.
    private var known: [UInt: ArchivedObject] = [:]

    init(_ objects: [PlistValue]) {
        self.objects = objects
    }

    /// Throws `damaged` if the object's class is none.
    mutating func object(_ number: Int) throws(PlistError) -> ArchivedObject {
        let object = objects[number]
        guard let fields = object.dictionary, let reference = fields["$class"] else {
            let isNull = number == 0 && object.string == "$null"
            return ArchivedObject(classNames: [], content: isNull ? .null : .value(object))
        }
        let address = fields.entries.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        if let object = known[address] { return object }
        guard case .uid(let uid) = reference, let names = classNames(Int(clamping: uid)) else {
            throw PlistError(.damaged, "not a class", pointer: "/$objects/\(number)/$class")
        }
        guard namesCount <= Self.namesLimit else {
            throw PlistError(
                .limitExceeded, "the keyed archive's classes have too many names", pointer: "/$objects/\(uid)/$classes")
        }
        let archived = ArchivedObject(
            classNames: names, content: content(of: names.first ?? "", fields) ?? .fields(fields))
        known[address] = archived
        return archived
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

    /// What an object of one of Foundation's classes holds; nil for any other.
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

    /// The one field that an object has besides its class.
    private func only(_ name: PlistString, in fields: PlistDictionary) -> PlistValue? {
        fields.count == 2 ? fields[name] : nil
    }

    /// Fields that are numbered from 0, which are all that an object has besides its class.
    private func numbered(_ prefix: String, in fields: PlistDictionary) -> [PlistValue]? {
        var elements: [PlistValue] = []
        for number in 0..<fields.count - 1 {
            guard let element = fields[PlistString("\(prefix)\(number)")] else { return nil }
            elements.append(element)
        }
        return elements
    }

    /// The value itself, or the object without a class that it refers to.
    private func scalar(_ value: PlistValue) -> PlistValue {
        guard case .uid(let uid) = value, let number = Int(exactly: uid), objects.indices.contains(number) else { return value }
        return objects[number]
    }

    /// The text of a UUID's 16 bytes. (RFC 9562, section 4, in upper case as Foundation has it)
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
