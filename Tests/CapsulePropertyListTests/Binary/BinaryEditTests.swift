import CapsulePropertyList
import Foundation
import TestSupport
import Testing

/// Edits of binary property lists, which are written anew unless the value is the same.
@Suite struct BinaryEditTests {
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
            #expect(try PlistDocument.read(document).bytes(holding: try read(document)) == document)
        }
        #expect(try PlistDocument.read(documents[1]).bytes(holding: ["b": [], "a": 1]) == documents[1])
    }

    /// The last of two equal keys counts.
    @Test func aKeyThatComesTwice() throws {
        let (a, b) = (BinaryFixture.string("a"), BinaryFixture.string("b"))
        let bytes = BinaryFixture.bytes([[0xD3, 1, 2, 1, 3, 4, 4], a, b, [0x08], [0x09]])
        let document = try PlistDocument.read(bytes, isLenient: true)
        #expect(try document.bytes(holding: ["a": true, "b": true]) == bytes)
        #expect(try read(try document.bytes(holding: ["a": true, "c": true])) == ["a": true, "c": true])
    }

    @Test(arguments: Array(1...20) + SeededGenerator.seeds)
    func whateverChangesReadsBack(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var document = try PlistDocument.read(try BinaryPlistWriter.write(generator.anyValue(depth: 4)), accepting: [.binary])
        for step in 0..<12 {
            let changed = generator.changed(document.value)
            let new = try document.bytes(holding: changed)
            if document.value == changed { #expect(new == document.bytes, "seed \(seed), step \(step)") }
            document = try .read(new, accepting: [.binary])
            #expect(document.value == changed, "seed \(seed), step \(step)")
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func foundationReadsWhatIsEdited(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let (old, value) = (generator.plainValue(depth: 4), generator.plainValue(depth: 4))
            let document = try FoundationOracle.write(["old": old, "both": [old, value]], .binary)
            let new = try PlistDocument.read(document).bytes(holding: ["new": value, "both": [value, old]])
            #expect(try FoundationOracle.read(new) == ["new": value, "both": [value, old]], "seed \(seed)")
        }
    }

    /// The readable content of a damaged document can be written and changed.
    @Test(arguments: DamageTests.documents.filter { $0.starts(with: "bplist".utf8) }.indices, [0x01, 0x80] as [UInt8])
    func damagedDocumentsAreEdited(_ index: Int, _ pattern: UInt8) throws {
        let whole = DamageTests.documents.filter { $0.starts(with: "bplist".utf8) }[index]
        for place in sample(of: whole.indices, oneIn: 2, from: Int(pattern)) {
            var document = whole
            document[place] ^= pattern
            guard let old = try? PlistDocument.read(document, isLenient: true) else { continue }
            let value = old.value
            let changed: PlistValue = [value, ["new": value]]
            #expect(try read(try BinaryPlistWriter.write(value)) == value)
            #expect(try old.bytes(holding: value) == document)
            #expect(try read(try old.bytes(holding: changed)) == changed)
        }
    }
}
