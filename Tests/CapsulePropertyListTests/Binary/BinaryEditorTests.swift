import CapsulePropertyList
import Foundation
import TestSupport
import Testing

@Suite struct BinaryEditorTests {
    /// An old document's objects, a new value, and the objects of the new document.
    struct Edit: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let old: [[UInt8]]
        let value: PlistValue
        let new: [[UInt8]]
        var root = 0

        init(_ name: String, _ old: [[UInt8]], _ value: PlistValue, _ new: [[UInt8]], root: Int = 0) {
            testDescription = name
            self.old = old
            self.value = value
            self.new = new
            self.root = root
        }
    }

    private static let a = BinaryFixture.string("a")
    private static let b = BinaryFixture.string("b")
    private static let c = BinaryFixture.string("c")

    @Test(arguments: [
        Edit(
            "a scalar changes", [[0xD2, 1, 2, 3, 4], a, b, [0x10, 1], [0x10, 2]], ["a": 5, "b": 2],
            [[0xD2, 1, 2, 4, 3], a, b, [0x10, 2], [0x10, 5]]),
        Edit(
            "a scalar becomes one that is there", [[0xD2, 1, 2, 3, 4], a, b, [0x10, 1], [0x10, 2]], ["a": 2, "b": 2],
            [[0xD2, 1, 2, 3, 3], a, b, [0x10, 2]]),
        Edit(
            "a key is added", [[0xD1, 1, 2], a, [0xA0]], ["a": [], "b": ["c"]],
            [[0xD2, 1, 3, 2, 4], a, [0xA0], b, [0xA1, 5], c]),
        Edit(
            "a key is removed", [[0xD2, 1, 2, 3, 4], a, b, [0xA1, 1], [0xA1, 2]], ["b": ["b"]], [[0xD1, 1, 2], b, [0xA1, 1]]),
        Edit("the last key is removed", [[0xD1, 1, 2], a, [0x09]], [:], [[0xD0]]),
        Edit(
            "keys change places", [[0xD2, 1, 2, 3, 3], a, b, [0x09]], ["b": false, "a": true],
            [[0xD2, 2, 1, 4, 3], a, b, [0x09], [0x08]]),
        Edit("an element goes in front", [[0xA2, 1, 2], a, b], ["c", "a", "b"], [[0xA3, 3, 1, 2], a, b, c]),
        Edit("an element goes between", [[0xA2, 1, 2], a, b], ["a", "c", "b"], [[0xA3, 1, 3, 2], a, b, c]),
        Edit("elements change places", [[0xA3, 1, 2, 3], a, b, c], ["c", "b", "a"], [[0xA3, 3, 2, 1], a, b, c]),
        Edit(
            "a container in an array changes", [[0xA3, 1, 2, 3], [0xA1, 4], [0xA1, 5], [0xA1, 6], a, b, c],
            [["a"], ["b", "b"], ["c"]],
            [[0xA3, 1, 2, 3], [0xA1, 4], [0xA2, 5, 5], [0xA1, 6], a, b, c]),
        Edit(
            "behind an element that went", [[0xA3, 1, 2, 3], [0xA1, 4], [0xA1, 5], [0xA1, 6], a, b, c], [["b"], ["c"]],
            [[0xA2, 1, 2], [0xA1, 3], [0xA1, 4], b, c]),
        Edit(
            "a shared container changes in one place", [[0xA2, 1, 1], [0xA1, 2], [0x10, 7]], [[8], [7]],
            [[0xA2, 3, 1], [0xA1, 2], [0x10, 7], [0xA1, 4], [0x10, 8]]),
        Edit(
            "a shared container changes everywhere", [[0xA2, 1, 1], [0xA1, 2], [0x10, 7]], [[8], [8]],
            [[0xA2, 1, 1], [0xA1, 2], [0x10, 8]]),
        Edit(
            "a shared container changes twice", [[0xA2, 1, 1], [0xA1, 2], [0x10, 7]], [[8], [9]],
            [[0xA2, 1, 3], [0xA1, 2], [0x10, 8], [0xA1, 4], [0x10, 9]]),
        Edit(
            "a shared container changes below", [[0xA2, 1, 1], [0xA1, 2], [0xA1, 3], [0x10, 7]], [[[7]], [[7, 7]]],
            [[0xA2, 1, 4], [0xA1, 2], [0xA1, 3], [0x10, 7], [0xA1, 5], [0xA2, 3, 3]]),
        Edit(
            "equal objects that are not shared stay two", [[0xA3, 1, 2, 3], [0xA0], [0xA0], a], [[], [], "b"],
            [[0xA3, 1, 2, 3], [0xA0], [0xA0], b]),
        Edit(
            "one of two equal objects changes", [[0xD2, 1, 2, 3, 4], a, b, [0xA0], [0xA0]], ["a": ["a"], "b": []],
            [[0xD2, 1, 2, 3, 4], a, b, [0xA1, 1], [0xA0]]),
        Edit("the root is wrapped", [[0xA1, 1], a], [["a"]], [[0xA1, 1], a, [0xA1, 0]], root: 2),
        Edit("the root becomes another type", [[0xA1, 1], a], ["a": "a"], [a, [0xD1, 0, 0]], root: 1),
        Edit("the root becomes a scalar that is there", [[0xA2, 1, 2], a, b], "b", [b]),
        Edit("the root becomes a new scalar", [[0x09]], false, [[0x08]]),
        Edit(
            "what nothing refers to goes", [[0x10, 9], [0xA1, 3], [0xA1, 0], a], [["a"]], [[0xA1, 1], a, [0xA1, 0]], root: 2),
        Edit(
            "odd widths stay",
            [
                [0xAF, 0x11, 0, 5, 1, 2, 3, 4, 5], [0x11, 0, 1], [0x22, 0x3F, 0x80, 0, 0], [0x61, 0, 0x61],
                [0x5F, 0x10, 1, 0x62], [0x09],
            ],
            [1, 1.0, "a", "b", false],
            [
                [0xAF, 0x11, 0, 5, 1, 2, 3, 4, 5], [0x11, 0, 1], [0x22, 0x3F, 0x80, 0, 0], [0x61, 0, 0x61],
                [0x5F, 0x10, 1, 0x62], [0x08],
            ]),
        Edit(
            "objects of every size stay",
            [
                [0xA7, 1, 2, 3, 4, 5, 6, 7], [0x13, 0, 0, 0, 0, 0, 0, 0, 1], [0x33, 0, 0, 0, 0, 0, 0, 0, 0], [0x42, 1, 2],
                [0x4F, 0x10, 3, 1, 2, 3], [0x82, 0, 0, 1], [0x14] + [UInt8](repeating: 0, count: 16), [0x62, 0, 0xE9, 0, 0x61],
            ],
            [1, .date(0), .data([1, 2]), .data([1, 2, 3]), .uid(1), 0, "éa", true],
            [
                [0xA8, 1, 2, 3, 4, 5, 6, 7, 8], [0x13, 0, 0, 0, 0, 0, 0, 0, 1], [0x33, 0, 0, 0, 0, 0, 0, 0, 0], [0x42, 1, 2],
                [0x4F, 0x10, 3, 1, 2, 3], [0x82, 0, 0, 1], [0x14] + [UInt8](repeating: 0, count: 16), [0x62, 0, 0xE9, 0, 0x61],
                [0x09],
            ]),
        Edit(
            "an equal dictionary keeps its order", [[0xA2, 1, 2], [0xD2, 3, 4, 3, 4], [0x09], a, b],
            [["b": "b", "a": "a"], false],
            [[0xA2, 1, 4], [0xD2, 2, 3, 2, 3], a, b, [0x08]]),
    ])
    func touchesOnlyWhatChanges(_ edit: Edit) throws {
        let old = BinaryFixture.bytes(edit.old) { if edit.testDescription == "what nothing refers to goes" { $0.root = 1 } }
        let new = try BinaryPlistEditor.bytes(old, holding: edit.value)
        #expect(new == BinaryFixture.bytes(edit.new) { $0.root = edit.root })
        #expect(try read(new) == edit.value)
        #expect(try BinaryPlistEditor.bytes(new, holding: edit.value) == new)
    }

    /// An edit that changes nothing must write nothing, however unusual the document is.
    @Test func anEqualValueChangesNothing() throws {
        let documents = [
            BinaryFixture.bytes([[0xA2, 1, 1], [0xA2, 2, 2], [0x10, 0x2A]]) { $0.offsetBytes = 2 },
            BinaryFixture.bytes([
                [0x10, 9], [0xD2, 2, 3, 4, 5], [0x61, 0, 0x61], BinaryFixture.string("b"), [0x11, 0, 1], [0xA0], [0xF0],
            ]) {
                $0.root = 1
                $0.offsetBytes = 7
            },
        ]
        for document in documents {
            #expect(try BinaryPlistEditor.bytes(document, holding: try read(document)) == document)
        }
        #expect(try BinaryPlistEditor.bytes(documents[1], holding: ["b": [], "a": 1]) == documents[1])
    }

    @Test(arguments: [3, 5, 8])
    func widthsThatAreWideEnoughStay(_ width: Int) throws {
        func reference(_ object: Int) -> [UInt8] { BinaryFixture.bigEndian(UInt64(object), width) }
        func document(_ objects: [[UInt8]]) -> [UInt8] {
            BinaryFixture.bytes(objects) {
                $0.referenceBytes = width
                $0.offsetBytes = width
            }
        }
        let old = document([[0xA1] + reference(1), [0x09]])
        #expect(
            try BinaryPlistEditor.bytes(old, holding: [true, false])
                == document([[0xA2] + reference(1) + reference(2), [0x09], [0x08]]))
    }

    @Test func theSortVersionStays() throws {
        var old = BinaryFixture.bytes([[0x09]])
        old[old.count - 27] = 1
        let new = try BinaryPlistEditor.bytes(old, holding: false)
        #expect(new[new.count - 27] == 1)
    }

    @Test func widthsGrowWithTheDocument() throws {
        let old = try BinaryPlistWriter.write(.array((0..<254).map { .integer(PlistInteger($0)) }))
        #expect(old[old.count - 25] == 1)
        let value = PlistValue.array((0..<255).map { .integer(PlistInteger($0)) })
        let new = try BinaryPlistEditor.bytes(old, holding: value)
        #expect(new[new.count - 25] == 2)
        #expect(try read(new) == value)
        #expect(try FoundationOracle.read(new) == value)
        let large = PlistValue.array((0..<254).map { .integer(PlistInteger($0)) } + [.data([UInt8](repeating: 0, count: 70_000))])
        let larger = try BinaryPlistEditor.bytes(new, holding: large)
        #expect(larger[larger.count - 26] == 4)
        #expect(try FoundationOracle.read(larger) == large)
    }

    /// The last of two equal keys counts, and the other is removed once its dictionary changes.
    @Test func aKeyThatComesTwice() throws {
        let document = BinaryFixture.bytes([[0xD3, 1, 2, 1, 3, 4, 4], Self.a, Self.b, [0x08], [0x09]])
        #expect(try BinaryPlistEditor.bytes(document, holding: ["a": true, "b": true]) == document)
        let new = try BinaryPlistEditor.bytes(document, holding: ["a": true, "b": true, "c": true])
        #expect(new == BinaryFixture.bytes([[0xD3, 1, 2, 4, 3, 3, 3], Self.a, Self.b, [0x09], Self.c]))
    }

    @Test func namesWhatItCannotHold() {
        let document = BinaryFixture.bytes([[0xA1, 1], [0x09]])
        func error(_ value: PlistValue, _ limits: PlistLimits = .standard, _ document: [UInt8]) -> PlistError? {
            do throws(PlistError) {
                _ = try BinaryPlistEditor.bytes(document, holding: value, limits: limits)
                return nil
            } catch {
                return error
            }
        }
        #expect(error([[1, .null]], document)?.pointer == "/0/1")
        #expect(error([[1, .null]], document)?.code == .notRepresentable)
        #expect(error([[[]]], PlistLimits(depth: 2), document)?.code == .limitExceeded)
        #expect(
            error([1], PlistLimits(outputBytes: 40), document)?.message
                == "the binary property list would be larger than 40 bytes")
        #expect(error([1], PlistLimits(documentBytes: 40), document)?.code == .limitExceeded)
        #expect(error([1], BinaryFixture.bytes([[0xA1, 0]]))?.code == .cycle)
        #expect(error([1], BinaryFixture.bytes([[0xA1, 9]]))?.code == .damaged)
        #expect(error([1], Array("bplist".utf8))?.code == .unsupported)
        #expect(error([1], [])?.code == .unsupported)
        func error(_ value: PlistValue, _ document: [UInt8]) -> PlistError? { error(value, .standard, document) }
    }

    @Test func sharedObjectsAreEdited() throws {
        let document = BinaryFixture.bytes((1...16).map { [0xA2, $0, $0] } + [[0x10, 0x2A]])
        let old = try read(document)
        func changed(_ value: PlistValue, _ path: ArraySlice<Int>) -> PlistValue {
            guard let step = path.first, var elements = value.array else { return 43 }
            elements[step] = changed(elements[step], path.dropFirst())
            return .array(elements)
        }
        let value = changed(old, [Int](repeating: 1, count: 16)[...])
        let new = try BinaryPlistEditor.bytes(document, holding: value)
        // 15 arrays are copied. The root, which has no other references, is changed.
        #expect(objects(of: new).count == 17 + 15 + 1)
        #expect(try read(new) == value)
        #expect(try BinaryPlistEditor.bytes(new, holding: old).count <= document.count)
        #expect(try BinaryPlistEditor.bytes(document, holding: [old, old]).count < document.count + 10)
    }

    @Test(arguments: Array(1...20) + SeededGenerator.seeds)
    func whateverChangesReadsBack(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var value = generator.anyValue(depth: 4)
        var document = try BinaryPlistWriter.write(value)
        for step in 0..<12 {
            let changed = generator.changed(value)
            let new = try BinaryPlistEditor.bytes(document, holding: changed)
            #expect(try read(new) == changed, "seed \(seed), step \(step)")
            if value == changed { #expect(new == document, "seed \(seed), step \(step)") }
            let (old, kept) = (objects(of: document), objects(of: new))
            #expect(referenced(in: new) == kept.count, "seed \(seed), step \(step)")
            let scalars = Set(old.filter { $0[0] < 0xA0 })
            let left = kept.filter { scalars.contains($0) }
            let stayed = Set(left)
            #expect(left == old.filter { stayed.contains($0) }, "seed \(seed), step \(step)")
            #expect(
                kept.prefix { $0[0] >= 0xA0 || scalars.contains($0) }.filter { scalars.contains($0) } == left,
                "seed \(seed), step \(step)")
            (value, document) = (changed, new)
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func foundationReadsWhatIsEdited(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let (old, value) = (generator.plainValue(depth: 4), generator.plainValue(depth: 4))
            let document = try FoundationOracle.write(["old": old, "both": [old, value]], .binary)
            let new = try BinaryPlistEditor.bytes(document, holding: ["new": value, "both": [value, old]])
            #expect(try FoundationOracle.read(new) == ["new": value, "both": [value, old]], "seed \(seed)")
        }
    }

    @Test func oneOfManyKeysChanges() throws {
        let entries = (0..<20_000).map { row in
            (
                PlistString("key \(row)"),
                ["row": .integer(PlistInteger(row)), "list": [.integer(PlistInteger(row % 7)), "x"]] as PlistValue
            )
        }
        var dictionary = PlistDictionary(entries)
        let document = try BinaryPlistWriter.write(.dictionary(dictionary))
        dictionary["key 9999"] = ["row": 9999, "list": [.integer(PlistInteger(9999 % 7)), "y"]]
        let new = try BinaryPlistEditor.bytes(document, holding: .dictionary(dictionary))
        // A list that others share is copied, "y" is new, and both have an offset.
        #expect(new.count == document.count + 5 + 4 + 2 + 4)
        #expect(try read(new) == .dictionary(dictionary))
    }

    /// The readable content of a damaged document can be written and changed.
    @Test(arguments: DamageTests.documents.filter { $0.starts(with: "bplist".utf8) }.indices, [0x01, 0x80] as [UInt8])
    func damagedDocumentsAreEdited(_ index: Int, _ pattern: UInt8) throws {
        let whole = DamageTests.documents.filter { $0.starts(with: "bplist".utf8) }[index]
        for place in sample(of: whole.indices, oneIn: 2, from: Int(pattern)) {
            var document = whole
            document[place] ^= pattern
            guard let value = try? PlistReader.readLeniently(document).value else { continue }
            let changed: PlistValue = [value, ["new": value]]
            #expect(try read(try BinaryPlistWriter.write(value)) == value)
            #expect(try BinaryPlistEditor.bytes(document, holding: value) == document)
            #expect(try read(try BinaryPlistEditor.bytes(document, holding: changed)) == changed)
        }
    }

    // MARK: Reading documents

    /// Returns the bytes of a document's objects, ordered by number. The objects must follow one another.
    private func objects(of document: [UInt8]) -> [[UInt8]] {
        let (offsets, table) = offsets(of: document)
        return zip(offsets, offsets.dropFirst() + [table]).map { Array(document[$0..<$1]) }
    }

    private func offsets(of document: [UInt8]) -> (offsets: [Int], table: Int) {
        func number(_ start: Int, _ bytes: Int) -> Int { document[start..<start + bytes].reduce(0) { $0 << 8 | Int($1) } }
        let end = document.count
        let table = number(end - 8, 8)
        let width = Int(document[end - 26])
        return ((0..<number(end - 24, 8)).map { number(table + $0 * width, width) }, table)
    }

    /// Returns the number of objects that the root refers to, including itself.
    private func referenced(in document: [UInt8]) -> Int {
        let objects = objects(of: document)
        let width = Int(document[document.count - 25])
        var found: Set<Int> = []
        var open = [document[(document.count - 16)..<(document.count - 8)].reduce(0) { $0 << 8 | Int($1) }]
        while let object = open.popLast() {
            guard found.insert(object).inserted, objects[object][0] >= 0xA0 else { continue }
            let head = objects[object][0] & 0xF == 0xF ? 2 + 1 << Int(objects[object][1] & 0xF) : 1
            let bytes = objects[object].dropFirst(head)
            open += stride(from: bytes.startIndex, to: bytes.endIndex, by: width).map { start in
                bytes[start..<start + width].reduce(0) { $0 << 8 | Int($1) }
            }
        }
        return found.count
    }
}
