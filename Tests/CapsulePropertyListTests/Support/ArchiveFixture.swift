import CapsulePropertyList
import TestSupport

/// A keyed archive that is assembled object by object, so that any part of it can be invalid. Object 0 is nil.
struct ArchiveFixture {
    private(set) var objects: [PlistValue] = ["$null"]

    /// Adds an object and returns the reference to it.
    mutating func add(_ object: PlistValue) -> PlistValue {
        objects.append(object)
        return .uid(UInt64(objects.count - 1))
    }

    /// Adds an object without fields, which are set later so that they can refer to it.
    mutating func reserve() -> PlistValue { add(false) }

    mutating func set(_ reference: PlistValue, to object: PlistValue) {
        objects[Int(reference.uid ?? 0)] = object
    }

    /// Adds a class.
    mutating func addClass(_ names: PlistString...) -> PlistValue {
        add(["$classname": .string(names[0]), "$classes": .array(names.map { .string($0) })])
    }

    /// Returns the archive, with the given root or else the last object.
    func archive(_ root: PlistValue? = nil) -> PlistValue {
        Self.archive(objects, root: root ?? .uid(UInt64(objects.count - 1)))
    }

    static func archive(_ objects: [PlistValue], root: PlistValue = .uid(1)) -> PlistValue {
        [
            "$archiver": "NSKeyedArchiver", "$version": 100_000, "$objects": .array(objects), "$top": ["root": root],
        ]
    }

    /// Returns an object of a class that is described in the archive.
    static func object(_ className: PlistValue, _ fields: PlistDictionary) -> PlistValue {
        var fields = fields
        fields["$class"] = className
        return .dictionary(fields)
    }
}

/// Returns the resolved root of an archive.
func resolvedRoot(_ archive: PlistValue, limits: PlistLimits = .standard) throws(PlistError) -> PlistValue? {
    try KeyedArchive(archive).resolved(limits: limits).dictionary?["root"]
}

/// Returns the error of reading or resolving an archive, or nil if there is none.
func archiveError(_ archive: PlistValue, limits: PlistLimits = .standard) -> PlistError? {
    do throws(PlistError) {
        _ = try KeyedArchive(archive).resolved(limits: limits)
        return nil
    } catch {
        return error
    }
}

extension SeededGenerator {
    /// Returns the same archive with other numbers, and with everything unordered in another order.
    mutating func renumbered(_ archive: PlistValue) -> PlistValue {
        guard var dictionary = archive.dictionary, let objects = dictionary["$objects"]?.array else { return archive }
        // Nil stays object 0.
        let order = [0] + (1..<objects.count).shuffled(using: &self)
        var numbers = [Int](repeating: 0, count: objects.count)
        for (number, origin) in order.enumerated() { numbers[origin] = number }
        let names = objects.map { $0.dictionary?["$classname"]?.string?.string }
        var renumbered: [PlistValue] = []
        for origin in order {
            guard var fields = objects[origin].dictionary else {
                renumbered.append(self.renumbered(objects[origin], numbers))
                continue
            }
            let name = fields["$class"]?.uid.flatMap { names[Int($0)] }
            if name == "NSSet", let elements = fields["NS.objects"]?.array {
                fields["NS.objects"] = .array(elements.shuffled(using: &self))
            }
            if let keys = fields["NS.keys"]?.array, let values = fields["NS.objects"]?.array {
                let entries = Array(zip(keys, values)).shuffled(using: &self)
                fields["NS.keys"] = .array(entries.map { $0.0 })
                fields["NS.objects"] = .array(entries.map { $0.1 })
            }
            renumbered.append(self.renumbered(.dictionary(fields), numbers))
        }
        dictionary["$objects"] = .array(renumbered)
        dictionary["$top"] = self.renumbered(dictionary["$top"] ?? [:], numbers)
        return .dictionary(dictionary)
    }

    private mutating func renumbered(_ value: PlistValue, _ numbers: [Int]) -> PlistValue {
        switch value {
        case .uid(let uid):
            return .uid(UInt64(numbers[Int(uid)]))
        case .array(let elements):
            return .array(elements.map { renumbered($0, numbers) })
        case .dictionary(let dictionary):
            let entries = dictionary.shuffled(using: &self)
            return .dictionary(PlistDictionary(entries.map { ($0.key, renumbered($0.value, numbers)) }))
        default:
            return value
        }
    }
}
