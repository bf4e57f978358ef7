import CapsulePropertyList
import Foundation
import TestSupport
import Testing

/// Compares resolved archives of Foundation's archiver with the original objects.
@Suite struct KeyedArchiveOracleTests {
    /// An object and its expected value in the tree.
    struct Sample: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let make: @Sendable () -> NSObject
        let value: PlistValue

        init(_ name: String, _ value: PlistValue, _ make: @escaping @Sendable () -> NSObject) {
            testDescription = name
            self.make = make
            self.value = value
        }
    }

    @Test(arguments: [
        Sample("string", "é") { NSString("é") }, Sample("mutable string", "m") { NSMutableString(string: "m") },
        Sample("integer", -3) { NSNumber(value: -3) }, Sample("real", 2.5) { NSNumber(value: 2.5) },
        Sample("boolean", true) { NSNumber(value: true) },
        Sample("large integer", .integer(PlistInteger(UInt64.max))) { NSNumber(value: UInt64.max) },
        Sample("data", .data([1, 2])) { NSData(data: Data([1, 2])) },
        Sample("mutable data", .data([1])) { NSMutableData(data: Data([1])) },
        Sample("date", .date(0.5)) { NSDate(timeIntervalSinceReferenceDate: 0.5) },
        Sample("array", ["a", ["a"]]) { NSArray(array: [NSString("a"), NSArray(object: NSString("a"))]) },
        Sample("mutable array", [1]) { NSMutableArray(array: [NSNumber(value: 1)]) }, Sample("empty array", []) { NSArray() },
        Sample("dictionary", ["a": "x", "b": ["c": 1]]) {
            NSDictionary(dictionary: ["a": NSString("x"), "b": NSMutableDictionary(dictionary: ["c": NSNumber(value: 1)])])
        },
        Sample("dictionary with a dollar sign", ["$$class": "x", "$$$ref": "y"]) {
            NSDictionary(dictionary: ["$class": NSString("x"), "$$ref": NSString("y")])
        },
        Sample(
            "dictionary with other keys",
            ["$class": "NSDictionary", "$entries": [["key": 3, "value": "v"], ["key": "k", "value": "w"]]]
        ) { NSDictionary(objects: [NSString("w"), NSString("v")], forKeys: [NSString("k"), NSNumber(value: 3)]) },
        Sample("set", ["$class": "NSSet", "$objects": [1, 10, "a", "b"]]) {
            NSSet(array: [NSString("b"), NSNumber(value: 10), NSString("a"), NSNumber(value: 1)])
        },
        Sample("ordered set", ["$class": "NSOrderedSet", "$objects": ["b", "a"]]) {
            NSOrderedSet(array: [NSString("b"), NSString("a")])
        },
        Sample("counted set", ["$class": "NSCountedSet", "NS.count": 1, "NS.count0": 2, "NS.object0": "z"]) {
            NSCountedSet(array: [NSString("z"), NSString("z")])
        },
        Sample("URL", ["$class": "NSURL", "$value": "https://example.com/a"]) {
            NSURL(string: "https://example.com/a") ?? NSObject()
        },
        Sample(
            "URL with a base",
            ["$class": "NSURL", "NS.base": ["$class": "NSURL", "$value": "https://example.com/"], "NS.relative": "b"]
        ) { NSURL(string: "b", relativeTo: URL(string: "https://example.com/")) ?? NSObject() },
        Sample("UUID", ["$class": "NSUUID", "$value": "E621E1F8-C36C-495A-03FC-0C247A3E6E5F"]) {
            NSUUID(uuidString: "e621e1f8-c36c-495a-03fc-0c247a3e6e5f") ?? NSObject()
        },
        Sample("null", ["$class": "NSNull"]) { NSNull() },
        Sample("locale", ["$class": "NSLocale", "NS.identifier": "en_US"]) { NSLocale(localeIdentifier: "en_US") },
    ])
    func unwrapsFoundationsClasses(_ sample: Sample) throws {
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let archive = try read(foundationArchive(sample.make(), format))
            #expect(KeyedArchive.isArchive(archive))
            #expect(try resolvedRoot(archive) == sample.value)
        }
    }

    static func friends() -> ArchivedPerson {
        let (ann, bob) = (ArchivedPerson("Ann"), ArchivedPerson("Bob"))
        ann.friend = bob
        bob.friend = ann
        ann.things = [ann, NSArray(array: [bob]), NSNumber(value: 7)]
        return ann
    }

    static let resolvedFriends: PlistValue = [
        "$class": .string(ArchivedPerson.archivedName), "$0": "unkeyed", "$$$odd": 1.5, "data": .data([1, 2, 3]), "flag": true,
        "name": "Ann", "tags": ["$class": "NSSet", "$objects": [2, "x", "y"]],
        "things": [["$ref": "2"], [["$ref": "3/friend"]], 7],
        "friend": [
            "$class": .string(ArchivedPerson.archivedName), "$0": "unkeyed", "$$$odd": 1.5, "data": .data([1, 2, 3]),
            "flag": true, "name": "Bob", "friend": ["$ref": "2"], "tags": ["$class": "NSSet", "$objects": [2, "x", "y"]],
            "things": [],
        ],
    ]

    /// The order of Foundation's dictionaries, and so of the archive's fields, is different in each process.
    @Test func marksCircles() throws {
        let archive = try read(foundationArchive(Self.friends()))
        #expect(try resolvedRoot(archive) == Self.resolvedFriends)
        let keyed = try KeyedArchive(archive)
        #expect(keyed.objects[0].className == nil)
        #expect(keyed.objects[1].classNames == [ArchivedPerson.archivedName, "NSObject"])
    }

    @Test(arguments: SeededGenerator.seeds)
    func numbersDoNotMatter(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let archive = try read(foundationArchive(Self.friends()))
        let keyed = try KeyedArchive(archive)
        for _ in 0..<20 {
            let other = generator.renumbered(archive)
            #expect(other != archive)
            #expect(try keyed.resolved() == KeyedArchive(other).resolved())
        }
        let changed = Self.friends()
        changed.friend?.things = [NSString("new")]
        #expect(try keyed.resolved() != KeyedArchive(try read(foundationArchive(changed))).resolved())
    }

    /// Children that refer to their parent, in a set whose order is different in each process.
    @Test(arguments: SeededGenerator.seeds)
    func setsHaveNoOrder(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let parent = ArchivedPerson("parent")
        let children = (0..<12).map { ArchivedPerson("child \($0)") }
        for (number, child) in children.enumerated() {
            child.friend = parent
            child.things = [NSSet(array: [NSString("x"), NSSet(array: [NSNumber(value: number)]), parent])]
        }
        parent.things = [NSSet(array: children), NSSet(array: [NSSet(object: NSNumber(value: 1)), NSSet()])]
        let archive = try read(foundationArchive(parent))
        let keyed = try KeyedArchive(archive)
        for _ in 0..<5 {
            #expect(try keyed.resolved() == KeyedArchive(generator.renumbered(archive)).resolved(), "seed \(seed)")
        }
        children[3].things = []
        #expect(try keyed.resolved() != KeyedArchive(try read(foundationArchive(parent))).resolved())
    }

    /// An archive inside an archive stays data, which can be read in turn.
    @Test func nestedArchives() throws {
        let inner = foundationArchive(NSArray(object: NSString("inner")))
        let outer = try read(foundationArchive(NSDictionary(dictionary: ["state": NSData(data: Data(inner))])))
        #expect(try resolvedRoot(outer) == ["state": .data(inner)])
        #expect(try resolvedRoot(try read(inner)) == ["inner"])
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func damagedArchivesAreErrors(_ format: PropertyListSerialization.PropertyListFormat) {
        let person = ArchivedPerson("A")
        person.friend = person
        let whole = foundationArchive(person, format)
        var resolved = 0
        func use(_ document: [UInt8]) {
            guard let value = try? PlistReader.readLeniently(document).value, KeyedArchive.isArchive(value) else { return }
            do throws(PlistError) {
                let tree = try KeyedArchive(value).resolved()
                _ = try PlistPrinter.text(of: value, unarchives: true)
                #expect(tree == tree)
                resolved += 1
            } catch {
                #expect(error.pointer != nil)
            }
        }
        for place in sample(of: whole.indices, oneIn: 4) {
            for pattern: UInt8 in format == .xml ? [0x01, 0x04] : [0x01, 0x02, 0x80] {
                var document = whole
                document[place] ^= pattern
                use(document)
            }
            use(Array(whole[..<place]))
        }
        #expect(resolved > 0)
    }
}
