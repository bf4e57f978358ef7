import CapsulePropertyList
import TestSupport
import Testing

@Suite struct XMLEditPropertyTests {
    static let seeds = Array(1...150) + SeededGenerator.seeds

    /// The model is edited as a person would do it; the bytes have to be the same.
    @Test(arguments: seeds)
    func linesAreEditedAsByHand(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let before = LineModel(unit: generator.pick(["\t", "  ", "    ", " \t"]), using: &generator)
        var after = before
        after.edit(using: &generator)
        let newline = generator.pick(["\n", "\r\n", "\r"])
        let encoding = generator.pick(XMLEncodingTests.Encoding.allCases)
        let mark = generator.isLucky(oneIn: 2)
        func bytes(_ model: LineModel) -> [UInt8] {
            encoding.bytes(
                model.text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: newline), mark: mark)
        }
        let document = try PlistDocument.read(bytes(before))
        #expect(document.value == before.value, "seed \(seed)")
        let edited = try document.bytes(holding: after.value)
        let isSame = edited == bytes(after)
        #expect(
            isSame,
            "seed \(seed)\n\(before.text)\n=== expected\n\(after.text)\n=== found\n\(String(decoding: edited, as: UTF8.self))")
    }

    /// Whatever the layout and whatever the edit.
    @Test(arguments: seeds)
    func whatIsWrittenReadsBack(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let before = generator.value(depth: 4)
        let after = generator.edited(before)
        let noisy = NoisyXML(before, seed: seed)
        let encoding = generator.pick(XMLEncodingTests.Encoding.allCases)
        let bytes = encoding.bytes(noisy.text, mark: generator.isLucky(oneIn: 2))
        let document = try PlistDocument.read(bytes)
        #expect(document.value == before, "seed \(seed)")
        // A value that was made from other parts, so that nothing is shared.
        #expect(try document.bytes(holding: try read(bytes)) == bytes, "seed \(seed)")

        let edited = try document.bytes(holding: after)
        let again = try PlistDocument.read(edited)
        #expect(again.value == after, "seed \(seed)")
        #expect(try PlistReader.read(try again.bytes(holding: before)).value == before, "seed \(seed)")
        #expect(try document.bytes(holding: try read(edited)) == edited, "seed \(seed)")
        // Order is no change.
        if before == after { #expect(edited == bytes) }

        guard encoding == .utf8 else { return }
        let text = String(decoding: edited, as: UTF8.self)
        for (path, slice) in noisy.slices where Self.value(at: path, in: before) == Self.value(at: path, in: after) {
            #expect(text.utf8.contains(slice.utf8), "seed \(seed), \(path)")
        }
    }

    private static func value(at path: [PlistString], in value: PlistValue) -> PlistValue? {
        path.reduce(value as PlistValue?) { $0?.dictionary?[$1] }
    }

    /// Any two values, whatever they have in common.
    @Test(arguments: seeds)
    func anyValueBecomesAnyOther(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let (before, after) = (generator.value(depth: 4), generator.value(depth: 4))
        let document = try PlistDocument.read(Array(NoisyXML(before, seed: seed).text.utf8))
        #expect(try read(try document.bytes(holding: after)) == after, "seed \(seed)")
    }

    /// Arrays of few different values, where much is equal.
    @Test(arguments: seeds)
    func anyArrayBecomesAnyOther(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let values: [PlistValue] = ["a", "b", 1, true, [], ["a": 1], ["a": 2], ["a", "b"]]
        func array(_ generator: inout SeededGenerator) -> PlistValue {
            .array((0..<generator.number(0...12)).map { _ in generator.pick(values) })
        }
        let (before, after) = (array(&generator), array(&generator))
        let document = try PlistDocument.read(Array(NoisyXML(before, seed: seed).text.utf8))
        #expect(try read(try document.bytes(holding: after)) == after, "seed \(seed)")
    }
}
