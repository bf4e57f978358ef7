import CapsulePropertyList
import TestSupport
import Testing

@Suite struct OpenStepReaderTests {
    static let documents: [(String, PlistValue)] = [
        ("{ a = b; }", ["a": "b"]), ("{a=b;c=(1,2,);}", ["a": "b", "c": ["1", "2"]]), ("()", []), ("( )", []), ("{ }", [:]),
        ("(a)", ["a"]), ("( a , b , )", ["a", "b"]), ("({},(),<>,\"\",'')", [[:], [], .data([]), "", ""]),
        ("<>", .data([])), ("<0fbd77 1c2735ae>", .data([0x0F, 0xBD, 0x77, 0x1C, 0x27, 0x35, 0xAE])),
        ("< 0F\n\tbd 01 >", .data([0x0F, 0xBD, 1])),
        (#"("\"\\\n\a\b\f\v\r\t\'/")"#, ["\"\\\n\u{7}\u{8}\u{C}\u{B}\r\t'/"]),
        ("('single \"quoted\" \\' end')", ["single \"quoted\" ' end"]),
        (#"("\U0041\U00e9\U00E9\UD83D\UDE00\U41x\U9\"")"#, ["Aéé😀Ax\t\""]), (#"("\101\60\0\7x\1011")"#, ["A0\0\u{7}xA1"]),
        (#"("\q\é\/\u0041\8")"#, ["qé/u00418"]), ("(\"a\\\nb\")", ["a\nb"]), ("(\"a\nb\tc\")", ["a\nb\tc"]),
        ("(\"12345678\\\"12345678\")", ["12345678\"12345678"]), ("(\"é日本😀\")", ["é日本😀"]),
        ("(a_$/:.-Z9,http://x.y/z,/a,-1)", ["a_$/:.-Z9", "http://x.y/z", "/a", "-1"]),
        ("/* c */ { // x\n a /* y */ = /**/ b // z\r ; }/* e */", ["a": "b"]),
        ("( // x\ra,\u{2029}b\u{B}\u{C})", ["a", "b"]),
        ("{ a; 'b c'; }", ["a": "a", "b c": "b c"]), ("{ a = { b = ( { c = d; } ); }; }", ["a": ["b": [["c": "d"]]]]),
        ("// !$*UTF8*$!\n{\n\tobjects = {\n\t};\n}\n", ["objects": [:]]),
        ("a = b;", ["a": "b"]), ("/* c */\n\"a b\" = \"c\";\n\n/* d */\ne = f;\n// end", ["a b": "c", "e": "f"]),
        ("a = { b = c; }; d = (e);", ["a": ["b": "c"], "d": ["e"]]), ("a = <00>;", ["a": .data([0])]),
        ("key = \"\";", ["key": ""]), ("{ a = 1; b = 1.5; c = YES; }", ["a": "1", "b": "1.5", "c": "YES"]),
    ]

    @Test(arguments: documents)
    func isRead(_ document: String, _ value: PlistValue) throws {
        #expect(try readOpenStep(document) == value)
        // The encoding is detected, except for empty braces and parentheses.
        let (again, format) = try PlistReader.read(Array(document.utf8))
        #expect(again == value)
        #expect(format == (document == "{ }" ? .json : .openStep))
    }

    /// Ambiguous texts are read if no other encoding is accepted.
    @Test(
        arguments: [
            ("hello", "hello"), (" 'a b' ", "a b"), ("12", "12"), ("", [:]), (" // only a comment", [:]), ("a;", ["a": "a"]),
            ("\"a b\";\"c\";", ["a b": "a b", "c": "c"]), ("{}", [:]), ("{ /* c */ }", [:]),
            ("<0f\u{2028}bd>", .data([0x0F, 0xBD])), ("( // x\u{2028}a)", ["a"]),
        ] as [(String, PlistValue)])
    func isReadOnRequest(_ document: String, _ value: PlistValue) throws {
        #expect(try readOpenStep(document) == value)
    }

    /// The NeXTSTEP character set, which octal escapes refer to.
    @Test func octalEscapesAreOfNeXTSTEP() throws {
        let expected =
            "\u{A0}ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖÙÚÛÜÝÞµ×÷©¡¢£⁄¥ƒ§¤’“«‹›ﬁﬂ®–†‡·¦¶•‚„”»…‰¬¿¹ˋ´ˆ˜¯˘˙¨²˚¸³˝˛ˇ—±¼½¾àáâãäåçèéêëìÆíªîïðñŁØŒºòóôõöæùúûıüýłøœßþÿ"
        let escapes = (0x80...0xFD).map { "\\" + String($0, radix: 8) }.joined()
        #expect(try readOpenStep("\"\(escapes)\"") == .string(PlistString(expected)))
        let ascii = (0..<0x80).map { "\\" + String($0, radix: 8) + ($0 < 0o100 ? "." : "") }.joined()
        let characters = (0..<0x80).map { String(Unicode.Scalar(UInt8($0))) + ($0 < 0o100 ? "." : "") }.joined()
        #expect(try readOpenStep("\"\(ascii)\"") == .string(PlistString(characters)))
    }

    @Test(arguments: XMLEncodingTests.Encoding.allCases, [true, false])
    func isReadInEveryEncoding(_ encoding: XMLEncodingTests.Encoding, mark: Bool) throws {
        let (value, format) = try PlistReader.read(encoding.bytes("/* é */\r\n\"é日本\" = \"😀\";\r\n", mark: mark))
        #expect(value == ["é日本": "😀"])
        #expect(format == .openStep)
        let error = readingError(encoding.bytes("\"é\" = \"😀\";\r\n\"日\" = bad?;", mark: mark))
        #expect(error?.location == .text(line: 2, column: 10))
    }

    @Test func aLenientReadingKeepsTheLastValue() throws {
        let (value, format, warnings) = try PlistReader.readLeniently(Array("\"a\" = 1;\nb = 2;\na = 3;".utf8))
        #expect(value == ["a": "3", "b": "2"])
        #expect(format == .openStep)
        #expect(warnings.first?.location == .text(line: 3, column: 1))
        #expect(warnings.first?.related == .text(line: 1, column: 1))
    }

    @Test(arguments: SeededGenerator.seeds)
    func anySpellingIsRead(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<rounds(200) {
            let value = random.openStepValue(depth: 4)
            let text = random.openStep(value)
            #expect(try readOpenStep(text) == value, "seed \(seed): \(text)")
            guard let dictionary = value.dictionary else { continue }
            let entries = random.entries(of: dictionary)
            #expect(try readOpenStep(entries) == value, "seed \(seed): \(entries)")
        }
    }
}
