import CapsulePropertyList
import TestSupport
import Testing

@Suite struct EditPropertyTests {
    static let seeds = Array(1...UInt64(rounds(100))) + SeededGenerator.seeds

    /// Edits a line model as a person would do it. The editor must produce the same bytes.
    @Test(arguments: LineDialect.Syntax.allCases, seeds)
    func linesAreEditedAsByHand(syntax: LineDialect.Syntax, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let dialect = LineDialect(
            syntax: syntax, unit: syntax == .strings ? "\t" : generator.pick(["\t", "  ", "    ", " \t"]),
            sign: generator.pick(syntax == .json ? [": ", " : ", ":"] : [" = ", "=", "  =\t"]))
        let before = LineModel(dialect, using: &generator)
        var after = before
        after.edit(using: &generator)
        let newline = generator.pick(["\n", "\r\n", "\r"])
        let encoding = generator.pick(XMLEncodingTests.Encoding.allCases)
        let mark = generator.isLucky(oneIn: 2)
        func bytes(_ model: LineModel) -> [UInt8] {
            encoding.bytes(
                model.text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: newline), mark: mark)
        }
        let document = try PlistDocument.read(bytes(before), accepting: [dialect.format])
        #expect(document.value == before.value, "seed \(seed)")
        let edited = try document.bytes(holding: after.value)
        guard edited != bytes(after) else { return }
        let found = String(decoding: edited.filter { $0 != 0 }, as: UTF8.self)
        Issue.record("seed \(seed)\n\(before.text)\n=== expected\n\(after.text)\n=== found\n\(found)")
    }

    /// Any layout and any edit must read back correctly.
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
        // A value created from other objects, so that nothing is shared.
        #expect(try document.bytes(holding: try read(bytes)) == bytes, "seed \(seed)")

        let edited = try document.bytes(holding: after)
        let again = try PlistDocument.read(edited)
        #expect(again.value == after, "seed \(seed)")
        #expect(try PlistReader.read(try again.bytes(holding: before)).value == before, "seed \(seed)")
        #expect(try document.bytes(holding: try read(edited)) == edited, "seed \(seed)")
        // A different order is not a change.
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

    /// The same for JSON and OpenStep.
    @Test(arguments: [LineDialect.Syntax.json, .openStep, .strings], seeds)
    func whatIsWrittenInOtherTextsReadsBack(syntax: LineDialect.Syntax, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let (before, text) = Self.noisy(syntax, &generator)
        var edited = before
        for _ in 0..<generator.number(1...4) { generator.change(&edited) { Self.value(syntax, depth: 2, &$0) } }
        let after = syntax == .strings && edited.dictionary == nil ? [:] : edited
        let encoding = generator.pick(XMLEncodingTests.Encoding.allCases)
        let bytes = encoding.bytes(text, mark: true)
        try check(bytes, syntax == .json ? .json : .openStep, before, after, "seed \(seed)")
    }

    private func check(
        _ bytes: [UInt8], _ format: PlistFormat, _ before: PlistValue, _ after: PlistValue, _ comment: Comment
    ) throws {
        let document = try PlistDocument.read(bytes, accepting: [format])
        #expect(document.value == before, comment)
        let other = try PlistReader.read(bytes, accepting: [format]).value
        #expect(try document.bytes(holding: other) == bytes, comment)
        let edited = try document.bytes(holding: after)
        guard let again = written(edited, format, after, from: bytes, comment) else { return }
        let back = try again.bytes(holding: before)
        _ = written(back, format, before, from: edited, comment)
        if before == after { #expect(edited == bytes, comment) }
    }

    /// Returns the edited document after checking that it has the expected value, or records an issue.
    private func written(
        _ bytes: [UInt8], _ format: PlistFormat, _ value: PlistValue, from before: [UInt8], _ comment: Comment
    ) -> PlistDocument? {
        let document = try? PlistDocument.read(bytes, accepting: [format])
        if document?.value == value { return document }
        let texts = [before, bytes].map { String(decoding: $0.filter { $0 != 0 }, as: UTF8.self) }
        Issue.record("\(comment)\n\(texts[0])\n=== is to hold\n\(value)\n=== found\n\(texts[1])")
        return nil
    }

    /// Returns a value that the syntax can represent, and a text of it.
    static func noisy(
        _ syntax: LineDialect.Syntax, _ generator: inout SeededGenerator
    ) -> (value: PlistValue, text: String) {
        let value = value(syntax, depth: 4, &generator)
        switch syntax {
        case .xml: return (value, NoisyXML(value, seed: generator.next()).text)
        case .json: return (value, generator.json(value))
        case .openStep: return (value, generator.openStep(value))
        case .strings:
            let dictionary = value.dictionary ?? ["a": value]
            return (.dictionary(dictionary), generator.entries(of: dictionary))
        }
    }

    private static func value(
        _ syntax: LineDialect.Syntax, depth: Int, _ generator: inout SeededGenerator
    ) -> PlistValue {
        switch syntax {
        case .xml: generator.value(depth: depth)
        case .json: generator.jsonValue(depth: depth)
        case .openStep, .strings: generator.openStepValue(depth: depth)
        }
    }

    /// Edits between any two values, whatever they have in common.
    @Test(arguments: LineDialect.Syntax.allCases, seeds)
    func anyValueBecomesAnyOther(syntax: LineDialect.Syntax, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let (before, text) = Self.noisy(syntax, &generator)
        let (after, _) = Self.noisy(syntax, &generator)
        let format = LineDialect(syntax: syntax, unit: "", sign: "").format
        try check(Array(text.utf8), format, before, after, "seed \(seed)")
    }

    /// Arrays of few different values, so that many elements are equal.
    @Test(arguments: LineDialect.Syntax.allCases, seeds)
    func anyArrayBecomesAnyOther(syntax: LineDialect.Syntax, seed: UInt64) throws {
        guard syntax != .strings else { return }
        var generator = SeededGenerator(seed: seed)
        let values: [PlistValue] = ["a", "b", "/", "c d", [], ["a": "1"], ["a": "2"], ["a", "b"]]
        func array(_ generator: inout SeededGenerator) -> PlistValue {
            .array((0..<generator.number(0...12)).map { _ in generator.pick(values) })
        }
        let (before, after) = (array(&generator), array(&generator))
        let text: String
        switch syntax {
        case .xml: text = NoisyXML(before, seed: seed).text
        case .json: text = generator.json(before)
        case .openStep, .strings: text = generator.openStep(before)
        }
        let format = LineDialect(syntax: syntax, unit: "", sign: "").format
        try check(Array(text.utf8), format, before, after, "seed \(seed)")
    }
}
