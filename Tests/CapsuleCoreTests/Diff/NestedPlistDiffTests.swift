import CapsulePropertyList
import Testing

@testable import CapsuleCore

/// Keyed archives are compared by the archived objects, because two saves of the same objects may number them differently.
@Suite struct ArchiveDiffTests {
    /// People who know each other, numbered in order. Object 0 is nil, and the next two are classes.
    private static func people(_ objects: [PlistValue], root: UInt64 = 3, order: [Int]? = nil) -> PlistValue {
        let classes: [PlistValue] = [["$classname": "Person", "$classes": ["Person", "NSObject"]], ["$classname": "Robot"]]
        let all = ["$null"] + classes + objects
        guard let order else { return archive(all, root) }
        // The new numbers of the objects, which keep their references.
        var numbers = Array(0..<all.count)
        for (number, origin) in order.enumerated() { numbers[origin] = number }
        return archive(order.map { renumbered(all[$0], numbers) }, UInt64(numbers[Int(root)]))
    }

    private static func archive(_ objects: [PlistValue], _ root: UInt64) -> PlistValue {
        [
            "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(root)], "$objects": .array(objects),
        ]
    }

    private static func renumbered(_ value: PlistValue, _ numbers: [Int]) -> PlistValue {
        switch value {
        case .uid(let uid): .uid(UInt64(numbers[Int(uid)]))
        case .array(let elements): .array(elements.map { renumbered($0, numbers) })
        case .dictionary(let dictionary):
            .dictionary(PlistDictionary(dictionary.map { ($0.key, renumbered($0.value, numbers)) }))
        default: value
        }
    }

    private static func person(_ name: PlistString, friend: UInt64, of number: UInt64 = 1) -> PlistValue {
        ["$class": .uid(number), "name": .string(name), "friend": .uid(friend)]
    }

    private static let friends = [person("Ann", friend: 4), person("Bob", friend: 3), person("Cid", friend: 0)]

    private static func binary(_ value: PlistValue) throws -> PlistValue { .data(try BinaryPlistWriter.write(value)) }
    private static func xml(_ value: PlistValue) throws -> PlistValue { .data(try XMLPlistWriter.write(value)) }

    private func lines(_ old: PlistValue, _ new: PlistValue) throws -> [String] {
        try PlistDiff(old, new).changes.map { change in
            PlistDiffTests.line(change) + (change.className.map { " in \($0)" } ?? "")
        }
    }

    /// The same graph in archives that differ nevertheless.
    @Test(arguments: [
        // An object that nothing refers to is different.
        people(friends.dropLast() + [person("Sid", friend: 0)]),
        // One of two objects that look alike.
        archive(["$null", ["$classname": "Pair"], ["$class": .uid(1), "a": .uid(3), "b": .uid(4)], "x", "x"], 2),
        // Nil is another value.
        archive(["something"] + (people(friends).dictionary?["$objects"]?.array?.dropFirst() ?? []), 3),
    ])
    func anotherWayIsTold(_ new: PlistValue) throws {
        let shared = Self.archive(
            ["$null", ["$classname": "Pair"], ["$class": .uid(1), "a": .uid(3), "b": .uid(3)], "x", "y"], 2)
        let isPair = new.dictionary?["$objects"]?.array?.count == 5
        let old = isPair ? shared : Self.people(Self.friends)
        #expect(try PlistDiff(old, new).changes.map(\.name) == ["encoding"])
        #expect(try lines(["s": Self.binary(old)], ["s": Self.binary(new)]) == ["e /s/<archive> binary → binary"])
        #expect(try PlistDiff(old, old).isEmpty)
    }

    @Test func renumberingIsNoChange() throws {
        let (old, new) = (Self.people(Self.friends), Self.people(Self.friends, order: [0, 5, 3, 2, 4, 1]))
        #expect(old != new)
        let diff = try PlistDiff(old, new)
        #expect(diff.isEmpty)
        #expect(try PlistDiff(["state": Self.binary(old)], ["state": Self.binary(new)]).isEmpty)
        #expect(try PlistDiff(["state": Self.xml(old)], ["state": Self.xml(new)]).isEmpty)
        #expect(try lines(["state": Self.xml(old)], ["state": Self.binary(new)]) == ["e /state/<archive> xml → binary"])
        // In an array, such data is the same element.
        #expect(try PlistDiff([Self.binary(old), 1], [Self.binary(new), 1]).isEmpty)
    }

    /// An archiver writes the elements of a set in any order.
    @Test func theOrderOfASetIsNoChange() throws {
        func set(_ elements: PlistValue...) -> PlistValue {
            Self.archive(["$null", ["$classname": "NSSet"], ["$class": .uid(1), "NS.objects": .array(elements)], "x", "y"], 2)
        }
        #expect(try PlistDiff(set(.uid(3), .uid(4)), set(.uid(4), .uid(3))).isEmpty)
    }

    /// A reference with another number refers to another object.
    @Test func aReferenceChanges() throws {
        let old = Self.people(Self.friends)
        var objects = Self.friends
        objects[0] = Self.person("Ann", friend: 5)
        let expected = [
            #"~ PLACE/root/friend/friend {"$ref": "2"} → null type in Person"#,
            #"~ PLACE/root/friend/name "Bob" → "Cid" in Person"#,
        ]
        #expect(try lines(old, Self.people(objects)) == expected.map { $0.replacing("PLACE", with: "/<archive>") })
        #expect(
            try lines(["s": Self.binary(old)], ["s": Self.binary(Self.people(objects, order: [0, 2, 1, 5, 4, 3]))])
                == expected.map { $0.replacing("PLACE", with: "/s/<archive>") })
    }

    /// An object of another class is another object, not the same one with other fields.
    @Test func aClassChanges() throws {
        var objects = Self.friends
        objects[1] = Self.person("Bob", friend: 0, of: 2)
        let changes = try PlistDiff(Self.people(Self.friends), Self.people(objects)).changes
        #expect(changes.map(\.pointer.description) == ["/<archive>/root/friend"])
        #expect(changes.first?.className == "Person")
        #expect(changes.first?.old?.dictionary?["$class"] == "Person")
        #expect(changes.first?.new?.dictionary?["$class"] == "Robot")
    }

    @Test func fieldsAreAddedAndDeleted() throws {
        let old = Self.people([["$class": .uid(1), "name": "Ann", "tags": ["a", "b"]]])
        let new = Self.people([["$class": .uid(1), "age": 7, "tags": ["b"]]])
        #expect(
            try lines(old, new) == [
                #"- /<archive>/root/name "Ann" in Person"#, #"- /<archive>/root/tags/0 "a" in Person"#,
                "+ /<archive>/root/age 7 in Person",
            ])
    }

    /// An archive that can't be shown as a graph is compared as a property list.
    @Test func damagedArchivesArePropertyLists() throws {
        let (old, new) = (Self.people([.uid(9)]), Self.people([.uid(8)]))
        #expect(try lines(old, new).map { $0.prefix(15) } == ["~ /$objects/3 u"])
        #expect(
            try lines(["s": Self.binary(old)], ["s": Self.binary(new)]).map { $0.prefix(25) } == ["~ /s/<plist>/$objects/3 u"])
        #expect(try lines(Self.people(Self.friends), new).allSatisfy { !$0.contains("<archive>") })
    }

    /// The graph would have too many values. The archives are compared as they are, and the diff reports that it stopped.
    @Test func largeGraphsAreBounded() throws {
        let objects = (0..<40).map { number -> PlistValue in [.uid(UInt64(number + 4)), .uid(UInt64(number + 4))] }
        let old = Self.people(objects + ["x"])
        var new = old.dictionary ?? [:]
        new["$version"] = 1
        let diff = try PlistDiff(old, .dictionary(new))
        #expect(diff.changes.map(PlistDiffTests.line) == ["~ /$version 100000 → 1"])
        #expect(diff.bounds == [.nestedDocuments])
    }

    /// The places in a diff can be used as pointers.
    @Test func placesCanBeRead() throws {
        var objects = Self.friends
        objects[1] = Self.person("Bo", friend: 3)
        let old: PlistValue = ["s": try Self.binary(Self.people(Self.friends))]
        let changes = try PlistDiff(old, ["s": try Self.binary(Self.people(objects))]).changes
        #expect(changes.count == 1)
        for change in changes { #expect(try old.value(at: change.pointer) == change.old) }
    }
}

/// Apps keep property lists in the data of their preferences. A report that "data differs" would not help.
@Suite struct NestedPlistDiffTests {
    private static func xml(_ body: String, indent: String = "") -> PlistValue {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\(indent)\(body)</plist>"
        return .data(Array(text.utf8))
    }

    /// `{count: N}` as the system writes it.
    private static func binary(count: UInt8) -> PlistValue {
        let objects: [UInt8] = [0xD1, 1, 2, 0x55] + Array("count".utf8) + [0x10, count]
        let trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 3] + Array(repeating: 0, count: 8)
        return .data(Array("bplist00".utf8) + objects + [8, 11, 17] + trailer + [0, 0, 0, 0, 0, 0, 0, 19])
    }

    private static func lines(_ old: PlistValue, _ new: PlistValue) throws -> [String] {
        try PlistDiff(["state": old], ["state": new]).changes.map(PlistDiffTests.line)
    }

    @Test func comparesInside() throws {
        let old = Self.xml("<dict><key>count</key><integer>1</integer></dict>")
        #expect(
            try Self.lines(old, Self.xml("<dict><key>count</key><integer>2</integer></dict>")) == ["~ /state/<plist>/count 1 → 2"]
        )
        #expect(try Self.lines(old, Self.binary(count: 2)) == ["~ /state/<plist>/count 1 → 2"])
        #expect(try Self.lines(old, Self.xml("<string>x</string>")) == ["~ /state/<plist> {\"count\": 1} → \"x\" type"])
    }

    @Test func identitiesHoldInside() throws {
        let fonts = { (names: String) in Self.xml("<dict><key>UIAppFonts</key><array>\(names)</array></dict>") }
        #expect(
            try Self.lines(fonts("<string>a</string>"), fonts("<string>b</string><string>a</string>"))
                == ["+ /state/<plist>/UIAppFonts/[=b] \"b\""])
    }

    @Test func encodingOnly() throws {
        let old = Self.xml("<dict><key>count</key><integer>1</integer></dict>")
        #expect(try Self.lines(old, Self.binary(count: 1)) == ["e /state/<plist> xml → binary"])
        let spaced = Self.xml("<dict><key>count</key><integer>1</integer></dict>", indent: "\n")
        #expect(try Self.lines(old, spaced) == ["e /state/<plist> xml → xml"])
    }

    @Test func whatDoesNotParseIsData() throws {
        let old = Self.xml("<dict><key>count</key><integer>1</integer></dict>")
        let others: [(PlistValue, NestedGap)] = [
            (Self.xml("<dict>"), .unreadable), (.data(Array("bplist00".utf8)), .unreadable), (.data([1, 2, 3]), .oneSided),
            (.data(Array("text".utf8)), .oneSided), (.data([]), .oneSided), (.data(Array("<html>".utf8)), .oneSided),
        ]
        for (other, gap) in others {
            let changes = try PlistDiff(["state": old], ["state": other]).changes
            #expect(
                changes == [PlistChange(.modified(old: old, new: other), at: try PlistPointer("/state"), nestedGap: gap)])
        }
        let texts = try PlistDiff(["a": .data(Array("one".utf8))], ["a": .data(Array("two".utf8))]).changes
        #expect(texts.map(\.pointer.description) == ["/a"])
        #expect(texts.map(\.nestedGap) == [nil])
    }

    /// Documents inside documents: from some depth on they are data, and the report says so.
    @Test func depthIsBounded() throws {
        func nested(_ leaf: String, _ depth: Int) -> String {
            (0..<depth).reduce(leaf) { inner, _ in
                "<plist><dict><key>a</key><data>\(Self.base64(Array(inner.utf8)))</data></dict></plist>"
            }
        }
        let old = PlistValue.data(Array(nested("<plist><integer>1</integer></plist>", 3).utf8))
        let new = PlistValue.data(Array(nested("<plist><integer>2</integer></plist>", 3).utf8))
        #expect(try Self.lines(old, new) == ["~ /state/<plist>/a/<plist>/a/<plist>/a/<plist> 1 → 2"])
        let deeper = try PlistDiff(
            .data(Array(nested("<plist><integer>1</integer></plist>", 4).utf8)),
            .data(Array(nested("<plist><integer>2</integer></plist>", 4).utf8)))
        #expect(deeper.changes.map(\.pointer.description) == ["/<plist>/a/<plist>/a/<plist>/a/<plist>/a"])
        #expect(deeper.bounds == [.nestedDocuments])
        #expect(deeper.changes.map(\.nestedGap) == [nil])
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                result.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
