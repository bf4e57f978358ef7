import TestSupport
import Testing

@testable import CapsulePropertyList

/// The positions of a text's values, which edits rely on.
@Suite struct TextLayoutTests {
    /// Returns each node as `KEY|VALUE|INSIDE`, indented by its depth.
    private func describe(_ layout: TextLayout, _ text: String) -> [String] {
        let bytes = Array(text.utf8)
        func slice(_ range: Range<Int>?) -> String { range.map { String(decoding: bytes[$0], as: UTF8.self) } ?? "-" }
        var ends: [Int] = []
        return layout.nodes.enumerated().map { number, node in
            while let end = ends.last, end <= number { ends.removeLast() }
            defer { if node.inner != nil { ends.append(node.next) } }
            return String(repeating: " ", count: ends.count) + "\(slice(node.key))|\(slice(node.range))|\(slice(node.inner))"
        }
    }

    @Test(arguments: [
        ("1", ["-|1|-"]), (" \"é\" ", ["-|\"é\"|-"]), ("[]", ["-|[]|"]), (" { } ", ["-|{ }| "]),
        (
            "{\"é\" : [1, \"a\\\"\" ,{}], \"b\":null}",
            [
                "-|{\"é\" : [1, \"a\\\"\" ,{}], \"b\":null}|\"é\" : [1, \"a\\\"\" ,{}], \"b\":null",
                " \"é\"|[1, \"a\\\"\" ,{}]|1, \"a\\\"\" ,{}", "  -|1|-", "  -|\"a\\\"\"|-", "  -|{}|", " \"b\"|null|-",
            ]
        ),
    ])
    func json(_ text: String, _ nodes: [String]) throws {
        let layout = try Array(text.utf8).withUnsafeBytes { try JSONPlistLayout.scan($0) }
        #expect(describe(layout, text) == nodes)
    }

    @Test(arguments: [
        ("( a, 'b' , <00>,)", ["-|( a, 'b' , <00>,)| a, 'b' , <00>,", " -|a|-", " -|'b'|-", " -|<00>|-"]),
        (
            "/* c */ { a /**/ = b; \"c d\"= {}; }\n",
            ["-|{ a /**/ = b; \"c d\"= {}; }| a /**/ = b; \"c d\"= {}; ", " a|b|-", " \"c d\"|{}|"]
        ),
        (
            "/* c */\n\"a\" = \"b\";\nc = (d);\n",
            [
                "-|/* c */\n\"a\" = \"b\";\nc = (d);\n|/* c */\n\"a\" = \"b\";\nc = (d);\n", " \"a\"|\"b\"|-", " c|(d)|d",
                "  -|d|-",
            ]
        ),
        ("a ; b=c;", ["-|a ; b=c;|a ; b=c;", " a||-", " b|c|-"]), ("// c\n", ["-|// c\n|// c\n"]), (" word", ["-|word|-"]),
    ])
    func openStep(_ text: String, _ nodes: [String]) throws {
        let layout = try Array(text.utf8).withUnsafeBytes { try OpenStepPlistLayout.scan($0) }
        #expect(describe(layout, text) == nodes)
    }

    @Test func aShorthandsValueIsRightBehindItsKey() throws {
        let layout = try Array("a ; b=c;".utf8).withUnsafeBytes { try OpenStepPlistLayout.scan($0) }
        #expect(layout.nodes[1].range == 1..<1)
    }

    /// Each node's own bytes read back as its value.
    @Test(arguments: SeededGenerator.seeds)
    func everyNodeIsItsValue(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let value = random.jsonValue(depth: 4)
            let text = Array(random.json(value).utf8)
            let layout = try text.withUnsafeBytes { try JSONPlistLayout.scan($0) }
            try check(value, 0, layout, text, .json)
            #expect(layout.nodes.first?.next == layout.nodes.count, "seed \(seed)")
        }
        for _ in 0..<60 {
            let value = random.openStepValue(depth: 4)
            let text = Array(random.openStep(value).utf8)
            let layout = try text.withUnsafeBytes { try OpenStepPlistLayout.scan($0) }
            try check(value, 0, layout, text, .openStep)
        }
    }

    private func check(
        _ value: PlistValue, _ number: Int, _ layout: TextLayout, _ text: [UInt8], _ format: PlistFormat
    ) throws {
        func read(_ range: Range<Int>) throws -> PlistValue {
            try PlistReader.read(Array(text[range]), accepting: [format]).value
        }
        let node = layout.nodes[number]
        guard !node.range.isEmpty else { return }
        #expect(try read(node.range) == value)
        let children = layout.children(of: number)
        switch value {
        case .array(let elements):
            #expect(children.count == elements.count)
            #expect(node.inner == node.range.lowerBound + 1..<node.range.upperBound - 1)
            for (child, element) in zip(children, elements) { try check(element, child, layout, text, format) }
        case .dictionary(let dictionary):
            #expect(children.count == dictionary.count)
            #expect(node.inner == node.range.lowerBound + 1..<node.range.upperBound - 1)
            for (child, entry) in zip(children, dictionary) {
                #expect(try layout.nodes[child].key.map { try read($0) } == .string(entry.key))
                try check(entry.value, child, layout, text, format)
            }
        default:
            #expect(node.inner == nil)
            #expect(children.isEmpty)
        }
    }

    /// A damaged document has a layout if it has a value, and the layout is inside the text.
    @Test(arguments: DamageTests.damaged.indices, SeededGenerator.seeds)
    func damageDoesNoHarm(_ index: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var document = DamageTests.damaged[index]
            for _ in 0..<random.number(1...3) {
                document[random.number(0...document.count - 1)] = random.pick(Array("\"'\\{}()[]<>,;:=/* a0\n".utf8) + [0xC3])
            }
            check(document, .json) { text throws(PlistError) in try JSONPlistLayout.scan(text) }
            check(document, .openStep) { text throws(PlistError) in try OpenStepPlistLayout.scan(text) }
        }
    }

    private func check(
        _ document: [UInt8], _ format: PlistFormat, _ scan: (UnsafeRawBufferPointer) throws(PlistError) -> TextLayout
    ) {
        let layout = try? PlistReader.withBytes(document, scan)
        let isRead = readingError(document, accepting: [format]) == nil
        let isUTF8 = document.withUnsafeBytes { PlistTextEncoding.detect($0) } == (.utf8, 0)
        #expect(layout != nil || !isRead || !isUTF8)
        for (number, node) in (layout?.nodes ?? []).enumerated() {
            #expect(node.next > number && node.next <= layout?.nodes.count ?? 0)
            #expect(node.range.upperBound <= document.count)
            if let inner = node.inner {
                #expect(node.range.lowerBound <= inner.lowerBound && inner.upperBound <= node.range.upperBound)
            }
            if let key = node.key { #expect(key.upperBound <= node.range.lowerBound) }
        }
    }

    @Test(arguments: ["[", "{\"a\"", "[1,]", "nope"])
    func whatIsNoJSONHasNoLayout(_ text: String) {
        #expect(throws: PlistError.self) { try Array(text.utf8).withUnsafeBytes { try JSONPlistLayout.scan($0) } }
        #expect(throws: PlistError.self) { try Array("(a b".utf8).withUnsafeBytes { try OpenStepPlistLayout.scan($0) } }
    }
}

/// Values that are written to be inserted into an existing document.
@Suite struct TextFragmentTests {
    static let value: PlistValue = ["a": ["b c", [], [:], ["d": "e"]], "f": "g"]
    static let style = PlistTextStyle(newline: [0x0D, 0x0A], indentation: Array("> ".utf8), unit: Array("..".utf8))
    static let inline = PlistTextStyle(isInline: true)

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func json() throws {
        let lines = [
            "{", "> ..\"a\": [", "> ....\"b c\",", "> ....[],", "> ....{},", "> ....{", "> ......\"d\": \"e\"", "> ....}",
            "> ..],",
            "> ..\"f\": \"g\"", "> }",
        ]
        #expect(text(try JSONPlistWriter.fragment(Self.value, style: Self.style)) == lines.joined(separator: "\r\n"))
        #expect(
            text(try JSONPlistWriter.fragment(Self.value, style: Self.inline))
                == #"{"a": ["b c", [], {}, {"d": "e"}], "f": "g"}"#)
        #expect(text(JSONPlistWriter.fragment(key: "a\"b")) == #""a\"b""#)
    }

    @Test func openStep() throws {
        let lines = [
            "{", "> ..a = (", "> ....\"b c\",", "> ....(),", "> ....{},", "> ....{", "> ......d = e;", "> ....},", "> ..);",
            "> ..f = g;", "> }",
        ]
        #expect(text(try OpenStepPlistWriter.fragment(Self.value, style: Self.style)) == lines.joined(separator: "\r\n"))
        #expect(
            text(try OpenStepPlistWriter.fragment(Self.value, style: Self.inline))
                == #"{ a = ("b c", (), {}, { d = e; }); f = g; }"#)
        #expect(text(try OpenStepPlistWriter.fragment("word", style: Self.inline)) == "word")
        #expect(text(OpenStepPlistWriter.fragment(key: "a b")) == "\"a b\"")
        #expect(text(OpenStepPlistWriter.fragment(key: "ab")) == "ab")
    }

    /// The containers around a fragment count towards the depth.
    @Test func depthCountsFromTheDocumentsRoot() {
        let limits = PlistLimits(depth: 3)
        for depth in 0...3 {
            let style = PlistTextStyle(isInline: true, depth: depth)
            let json = failure { () throws(PlistError) in try JSONPlistWriter.fragment([[]], style: style, limits: limits) }
            let openStep = failure { () throws(PlistError) in try OpenStepPlistWriter.fragment([[]], style: style, limits: limits)
            }
            #expect((json == nil) == (depth <= 1))
            #expect((openStep == nil) == (depth <= 1))
            #expect(json?.message ?? "containers nest deeper than 3 levels" == "containers nest deeper than 3 levels")
        }
    }
}
