import CapsulePropertyList
import Foundation
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

@Suite struct OpenStepReaderErrorTests {
    @Test(arguments: [
        ErrorCase("{ a = b }", .syntax, 1, 8), ErrorCase("{ a = b; ", .syntax, 1, 10), ErrorCase("{ a b; }", .syntax, 1, 4, "/a"),
        ErrorCase("{ a = ; }", .syntax, 1, 7, "/a"), ErrorCase("{ = b; }", .syntax, 1, 3),
        ErrorCase("{ (a) = b; }", .syntax, 1, 3),
        ErrorCase("{ <00> = b; }", .syntax, 1, 3), ErrorCase("{ a = b; ; }", .syntax, 1, 10),
        ErrorCase("{ a = b; )", .syntax, 1, 10),
        ErrorCase("{", .syntax, 1, 2), ErrorCase("{ a", .syntax, 1, 4, "/a"), ErrorCase("{ a =", .syntax, 1, 6, "/a"),
        ErrorCase("{ a = b; c }", .syntax, 1, 11, "/c"), ErrorCase("{ a : b; }", .syntax, 1, 4, "/a"),
        ErrorCase("( a b )", .syntax, 1, 4, "/1"), ErrorCase("( , )", .syntax, 1, 3, "/0"),
        ErrorCase("( a, , b )", .syntax, 1, 6, "/1"),
        ErrorCase("( a", .syntax, 1, 4, "/1"), ErrorCase("(", .syntax, 1, 2, "/0"), ErrorCase("( a; )", .syntax, 1, 4, "/1"),
        ErrorCase("( a }", .syntax, 1, 4, "/1"), ErrorCase("(a) b", .syntax, 1, 5), ErrorCase("{ a = b; } c", .syntax, 1, 12),
        ErrorCase("{ a = b; };", .syntax, 1, 11), ErrorCase("<00> a", .syntax, 1, 6), ErrorCase("a b", .syntax, 1, 3),
        ErrorCase("a = b", .syntax, 1, 6), ErrorCase("a = b\nc = d;", .syntax, 1, 6), ErrorCase("a = b; c", .syntax, 1, 9, "/c"),
        ErrorCase("a = b; c d;", .syntax, 1, 9, "/c"), ErrorCase("a = b; }", .syntax, 1, 8),
        ErrorCase("a = ;", .syntax, 1, 5, "/a"),
        ErrorCase("a = b; = c;", .syntax, 1, 8), ErrorCase("}", .syntax, 1, 1), ErrorCase("=", .syntax, 1, 1),
        ErrorCase("\"abc", .syntax, 1, 1), ErrorCase("{\n a = \"x; }", .syntax, 2, 6, "/a"), ErrorCase("'a\"", .syntax, 1, 1),
        ErrorCase("\"\\", .syntax, 1, 1), ErrorCase("\"\\\"", .syntax, 1, 1), ErrorCase("/* a", .syntax, 1, 1),
        ErrorCase("/*/", .syntax, 1, 1),
        ErrorCase("(a /* b)", .syntax, 1, 4, "/1"), ErrorCase("{ a = <0f1>; }", .invalidScalar, 1, 10, "/a"),
        ErrorCase("<0g>", .invalidScalar, 1, 2), ErrorCase("<g0>", .invalidScalar, 1, 2),
        ErrorCase("<00 /* */ 00>", .invalidScalar, 1, 5),
        ErrorCase("<0 0>", .invalidScalar, 1, 2), ErrorCase("<0f", .syntax, 1, 4), ErrorCase("(<", .syntax, 1, 3, "/0"),
        ErrorCase("(<*I5>)", .unsupported, 1, 2, "/0"),
        ErrorCase("{ a = <*D2001-01-01 00:00:00 +0000>; }", .unsupported, 1, 7, "/a"),
        ErrorCase("<[YQ==]>", .unsupported, 1, 1), ErrorCase(#"("a\400")"#, .syntax, 1, 4, "/0"),
        ErrorCase(#""\376""#, .syntax, 1, 2),
        ErrorCase(#""\377""#, .syntax, 1, 2), ErrorCase(#""\U""#, .syntax, 1, 2), ErrorCase(#""\Ux""#, .syntax, 1, 2),
        ErrorCase(#""\UD800""#, .syntax, 1, 2), ErrorCase(#""\UDE00""#, .syntax, 1, 2),
        ErrorCase(#""\UD83D\U0041""#, .syntax, 1, 2),
        ErrorCase(#""\UD83D\U""#, .syntax, 1, 2), ErrorCase(#""\UD83Dx""#, .syntax, 1, 2),
        ErrorCase("{ a = b+c; }", .syntax, 1, 8),
        ErrorCase("{ a = @x; }", .syntax, 1, 7, "/a"), ErrorCase("{ a+b = x; }", .syntax, 1, 4, "/a"),
        ErrorCase("{ é = x; }", .syntax, 1, 3),
        ErrorCase("[a]", .syntax, 1, 1), ErrorCase("# a", .syntax, 1, 1), ErrorCase("\0", .syntax, 1, 1),
        ErrorCase("{ \"a/b\" = ( x, { c = ?; } ); }", .syntax, 1, 22, "/a~1b/1/c"),
    ])
    func namesThePlace(_ expected: ErrorCase) {
        expected.check(failure { () throws(PlistError) in try readOpenStep(expected.document) })
    }

    @Test(arguments: [
        ("{ a = b+c; }", "quote strings with characters other than letters, digits and _ $ / : . -"),
        ("{ a = é; }", "quote strings with characters other than letters, digits and _ $ / : . -"),
        ("{ a = [b]; }", "write an array as (a, b)"),
        ("{ a = <*I5>; }", "OpenStep property lists have strings and data only; write a string, or save the file as XML"),
        ("{ a = \"\\401\"; }", "write \\U and four hexadecimal digits"), ("{ a = b }", nil),
    ])
    func knowsWhatWasMeant(_ document: String, _ hint: String?) {
        #expect(failure { () throws(PlistError) in try readOpenStep(document) }?.hint == hint)
    }

    @Test(arguments: ["(\"X\")", "(/*X*/)", "(//X\n)", "('X')", "(X)"])
    func invalidTextIsAnErrorAtItsPlace(_ document: String) {
        let bytes = document.utf8.flatMap { $0 == UInt8(ascii: "X") ? [0xC3, 0xA9, 0xC0] : [$0] }
        let error = failure { () throws(PlistError) in try PlistReader.read(bytes, accepting: [.openStep]) }
        let isString = document == "(X)"
        #expect(error?.code == (isString ? .syntax : .encoding))
        let column = document.prefix { $0 != "X" }.utf8.count + (isString ? 1 : 2)
        #expect(error?.location == .text(line: 1, column: column))
    }

    /// If the second byte is NUL, the same text would be detected as UTF-16.
    @Test(arguments: [("(a, \"\0\")", 6), ("(a /* \0 */)", 7), ("(a) // \0", 8)])
    func aNULIsAnError(_ document: String, _ column: Int) throws {
        let error = readingError(Array(document.utf8), accepting: [.openStep])
        #expect(error?.code == .syntax)
        #expect(error?.location == .text(line: 1, column: column))
        #expect(try readOpenStep("(\"\\000\", \"\\U0000\")") == ["\0", "\0"])
    }

    @Test func aKeyThatComesTwiceIsAnErrorWithBothPlaces() {
        let error = readingError(Array("{ x = { a = 1;\n  \"\\141\" = 2; }; }".utf8))
        #expect(error?.code == .duplicateKey)
        #expect(error?.location == .text(line: 2, column: 3))
        #expect(error?.related == .text(line: 1, column: 9))
        #expect(error?.pointer == "/x/a")
    }

    @Test(arguments: [513, 100_000, 3_000_000], ["(", "{a="])
    func deepNestingIsAnErrorInBoundedTime(_ depth: Int, _ bracket: String) {
        let bytes = Array(String(repeating: bracket, count: depth).utf8)
        let error = failure { () throws(PlistError) in try PlistReader.read(bytes, accepting: [.openStep]) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.location == .text(line: 1, column: 512 * bracket.utf8.count + 1))
        #expect(readingError(bytes) != nil)
    }
}

@Suite struct OpenStepWriterTests {
    @Test(
        arguments: [
            ([], "()"), ([:], "{}"), ("", "\"\""), ("word", "\"word\""), (["word"], "(\n\tword,\n)"), ([""], "(\n\t\"\",\n)"),
            (["a b"], "(\n\t\"a b\",\n)"), (["a-b"], "(\n\t\"a-b\",\n)"), (["a_$/:.9"], "(\n\ta_$/:.9,\n)"),
            (["//"], "(\n\t\"//\",\n)"),
            (["a//b"], "(\n\t\"a//b\",\n)"), (["/a/b"], "(\n\t/a/b,\n)"), (["é日本😀"], "(\n\t\"é日本😀\",\n)"),
            (["1", "YES"], "(\n\t1,\n\tYES,\n)"),
            (["\" \\ ' /* \u{2028}"], "(\n\t\"\\\" \\\\ ' /* \u{2028}\",\n)"),
            (["\0\u{1}\u{7}\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}"], "(\n\t\"\\U0000\\U0001\\a\\b\\t\\n\\v\\f\\r\\U001f\\U007f\",\n)"),
            (.data([]), "<>"), (.data([0x0F]), "<0f>"), (.data([0x0F, 0xBD, 0x77, 0x1C, 0x27, 0x35, 0xAE]), "<0fbd771c 2735ae>"),
            (
                ["b": ["x", [], [:], .data([1, 2, 3, 4])], "a b": ["": "é"]],
                "{\n\tb = (\n\t\tx,\n\t\t(),\n\t\t{},\n\t\t<01020304>,\n\t);\n\t\"a b\" = {\n\t\t\"\" = \"é\";\n\t};\n}"
            ),
        ] as [(PlistValue, String)])
    func spellsEachValueOneWay(_ value: PlistValue, _ text: String) throws {
        #expect(try writeOpenStep(value) == text)
        #expect(try readOpenStep(text) == value)
        #expect(try PlistReader.read(Array(text.utf8)).value == value)
    }

    @Test(arguments: [1, 1.5, true, .date(0), .uid(1), .null] as [PlistValue])
    func namesWhatOpenStepCannotHold(_ value: PlistValue) {
        let error = failure { () throws(PlistError) in try OpenStepPlistWriter.write(["a/b": ["x", value]]) }
        #expect(error?.code == .notRepresentable)
        #expect(error?.pointer == "/a~1b/1")
        #expect(error?.message == "OpenStep property lists support only strings and data, not \(value.typeNameWithArticle)")
    }

    @Test(arguments: SeededGenerator.seeds)
    func whatIsWrittenReadsBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<rounds(100) {
            let value = random.openStepValue(depth: 5)
            let written = try OpenStepPlistWriter.write(value)
            #expect(try PlistReader.read(written).value == value, "seed \(seed): \(String(decoding: written, as: UTF8.self))")
            let back = try PlistReader.read(written, accepting: [.openStep]).value
            #expect(back == value, "seed \(seed)")
            #expect(try OpenStepPlistWriter.write(back) == written, "seed \(seed)")
        }
    }

    @Test func depthIsBoundedAsInReading() throws {
        #expect(try readOpenStep(try writeOpenStep(nestedArrays(512))) == nestedArrays(512))
        let error = failure { () throws(PlistError) in try OpenStepPlistWriter.write(nestedArrays(513)) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.pointer == String(repeating: "/0", count: 512))
    }

    @Test(.timeLimit(.minutes(1)))
    func tooMuchIsNotWrittenOut() {
        let error = failure { () throws(PlistError) in try OpenStepPlistWriter.write(largeValue(2 << 30)) }
        #expect(error?.code == .limitExceeded)
    }
}

/// Foundation reads OpenStep property lists, and we read them with the same result.
@Suite struct OpenStepOracleTests {
    @Test(arguments: OpenStepReaderTests.documents)
    func foundationReadsTheSame(_ document: String, _ value: PlistValue) throws {
        #expect(try FoundationOracle.read(Array(document.utf8)) == value)
    }

    /// All octal escapes except the two that are undefined in NeXTSTEP's character set.
    @Test func bothKnowTheCharactersOfNeXTSTEP() throws {
        for byte in 0...0xFD {
            let document = "(\"\\\(String(byte, radix: 8))\")"
            #expect(try FoundationOracle.read(Array(document.utf8)) == (try readOpenStep(document)), "\(document)")
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func foundationReadsWhatWeWrite(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let value = Self.distinctKeys(random.openStepValue(depth: 4))
            let written = try OpenStepPlistWriter.write(value)
            #expect(try FoundationOracle.read(written) == value, "seed \(seed): \(String(decoding: written, as: UTF8.self))")
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func bothReadAnySpelling(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let value = Self.distinctKeys(random.openStepValue(depth: 4))
            let text = random.openStep(value)
            #expect(try FoundationOracle.read(Array(text.utf8)) == value, "seed \(seed): \(text)")
        }
    }

    /// Foundation's dictionaries treat canonically equivalent keys as equal.
    private static func distinctKeys(_ value: PlistValue) -> PlistValue {
        switch value {
        case .array(let elements): return .array(elements.map { distinctKeys($0) })
        case .dictionary(let dictionary):
            var seen: Set<String> = []
            return .dictionary(
                PlistDictionary(
                    dictionary.filter { seen.insert($0.key.string).inserted }.map { ($0.key, distinctKeys($0.value)) }))
        default: return value
        }
    }
}
