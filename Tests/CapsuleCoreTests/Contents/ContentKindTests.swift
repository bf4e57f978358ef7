import CapsulePropertyList
import Foundation
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleOverlay

@Suite struct TextContentTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let bytes: [UInt8]
        /// The encoding; nil for bytes that are not a text.
        let encoding: TextEncoding?
        var hasMark = false
        var lines: [String] = []
        var testDescription: String { name }
    }

    static func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit -> [UInt8] in
            let (upper, lower) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBigEndian ? [upper, lower] : [lower, upper]
        }
    }

    private static let cases: [Case] = [
        Case(name: "empty", bytes: [], encoding: .utf8),
        Case(name: "one line", bytes: Array("a".utf8), encoding: .utf8, lines: ["a"]),
        Case(name: "line feeds", bytes: Array("a\n\nb\n".utf8), encoding: .utf8, lines: ["a\n", "\n", "b\n"]),
        Case(name: "both", bytes: Array("a\r\nb\rc\n".utf8), encoding: .utf8, lines: ["a\r\n", "b\rc\n"]),
        Case(name: "é and 🙂", bytes: Array("é🙂\n€".utf8), encoding: .utf8, lines: ["é🙂\n", "€"]),
        Case(name: "mark", bytes: [0xEF, 0xBB, 0xBF] + Array("a\n".utf8), encoding: .utf8, hasMark: true, lines: ["a\n"]),
        Case(name: "mark alone", bytes: [0xEF, 0xBB, 0xBF], encoding: .utf8, hasMark: true),
        Case(
            name: "little", bytes: [0xFF, 0xFE] + utf16("a🙂\nb", isBigEndian: false), encoding: .utf16LittleEndian, hasMark: true,
            lines: ["a🙂\n", "b"]),
        Case(
            name: "big", bytes: [0xFE, 0xFF] + utf16("日\n", isBigEndian: true), encoding: .utf16BigEndian, hasMark: true,
            lines: ["日\n"]),
        Case(
            name: "little by pattern", bytes: utf16("abcdé\n", isBigEndian: false), encoding: .utf16LittleEndian,
            lines: ["abcdé\n"]),
        Case(name: "big by pattern", bytes: utf16("abcd\n", isBigEndian: true), encoding: .utf16BigEndian, lines: ["abcd\n"]),
        Case(name: "too little for a pattern", bytes: utf16("abc", isBigEndian: true), encoding: nil),
        Case(name: "zero byte", bytes: Array("ab\0c".utf8), encoding: nil),
        Case(name: "NUL in UTF-16", bytes: [0xFF, 0xFE, 0x61, 0, 0, 0], encoding: nil),
        Case(name: "UTF-32", bytes: [0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], encoding: nil),
        Case(name: "half a unit", bytes: [0xFF, 0xFE, 0x61], encoding: nil),
        Case(name: "lone high surrogate", bytes: [0xFE, 0xFF, 0xD8, 0x3D], encoding: nil),
        Case(name: "lone low surrogate", bytes: [0xFE, 0xFF, 0xDC, 0x3D, 0, 0x61], encoding: nil),
        Case(name: "two high surrogates", bytes: [0xFE, 0xFF, 0xD8, 0x3D, 0xD8, 0x3D], encoding: nil),
        Case(name: "Latin-1", bytes: [0x61, 0xE9, 0x62], encoding: nil),
        Case(name: "overlong", bytes: [0xC0, 0xAF], encoding: nil),
        Case(name: "overlong of three", bytes: [0xE0, 0x80, 0xAF], encoding: nil),
        Case(name: "surrogate in UTF-8", bytes: [0xED, 0xA0, 0x80], encoding: nil),
        Case(name: "beyond Unicode", bytes: [0xF4, 0x90, 0x80, 0x80], encoding: nil),
        Case(name: "cut character", bytes: [0x61, 0xE2, 0x82], encoding: nil),
        Case(name: "controls", bytes: [1, 2, 3, 0x61, 0x62], encoding: nil),
        Case(name: "one control in 15", bytes: [7] + Array(repeating: 0x61, count: 14), encoding: nil),
        Case(
            name: "one control in 16", bytes: [7] + Array(repeating: 0x61, count: 15), encoding: .utf8,
            lines: ["\u{7}aaaaaaaaaaaaaaa"]),
        Case(
            name: "tab, form feed, escape", bytes: Array("\t\u{C}\u{1B}[0m".utf8), encoding: .utf8, lines: ["\t\u{C}\u{1B}[0m"]),
    ]

    @Test(arguments: cases)
    func reading(_ expected: Case) throws {
        guard let encoding = expected.encoding else {
            let error = #expect(throws: ContentError.self) { try TextContent(expected.bytes) }
            #expect(error?.code == .unrecognized)
            #expect(error?.message.hasPrefix("not text: ") == true)
            return
        }
        let text = try TextContent(expected.bytes)
        #expect(text.encoding == encoding)
        #expect(text.hasMark == expected.hasMark)
        #expect((0..<text.lineCount).map { String(decoding: text.line($0), as: UTF8.self) } == expected.lines)
    }

    @Test func words() {
        #expect(TextEncoding.allCases.map(\.rawValue) == ["utf-8", "utf-16le", "utf-16be"])
    }

    /// The beginning of a text, cut anywhere, looks like the beginning of a text.
    @Test(arguments: cases.filter { $0.encoding != nil && !$0.bytes.contains(7) })
    func everyCut(_ expected: Case) throws {
        for count in 0..<expected.bytes.count {
            let head = Array(expected.bytes.prefix(count))
            // A byte order mark or a pattern may not be complete yet.
            if expected.encoding != .utf8, count < 8 { continue }
            #expect(TextContent.isLikely(head, isWhole: false), "\(count) bytes")
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func utf8IsWhatFoundationTakesForIt(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pieces: [[UInt8]] =
            ["a", "é", "€", "🙂", "\n"].map { Array($0.utf8) } + [[0x80], [0xC3], [0xED, 0xA0], [0xF0, 0x9F]]
        var texts = 0
        for _ in 0..<2000 {
            let bytes = (0..<generator.number(1...6)).flatMap { _ in generator.pick(pieces) }
            let expected = String(validating: bytes, as: UTF8.self)
            let text = try? TextContent(bytes)
            #expect((text == nil) == (expected == nil), "\(bytes)")
            #expect(text.map { $0.utf8 } ?? [] == (expected == nil ? [] : bytes))
            texts += text == nil ? 0 : 1
        }
        #expect(texts > 100)
    }

    @Test(arguments: SeededGenerator.seeds)
    func utf16IsWhatFoundationReads(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let scalars = (0..<generator.number(0...20)).map { _ in generator.pick(Array("aé日🙂\n\t".unicodeScalars)) }
            let text = String(String.UnicodeScalarView(scalars))
            for (encoding, mark) in [(String.Encoding.utf16LittleEndian, [0xFF, 0xFE]), (.utf16BigEndian, [0xFE, 0xFF])]
                as [(_, [UInt8])]
            {
                let bytes = mark + [UInt8](try #require(text.data(using: encoding)))
                #expect(try TextContent(bytes).utf8 == Array(text.utf8))
            }
        }
    }
}

@Suite struct ContentKindTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let head: [UInt8]
        let kinds: [ContentKind]
        /// The number of bytes that the file has after the head.
        var more: UInt64 = 0
        var testDescription: String { name }

        init(_ name: String, _ head: [UInt8], _ kinds: [ContentKind], more: UInt64 = 0) {
            (self.name, self.head, self.kinds, self.more) = (name, head, kinds, more)
        }

        init(_ name: String, _ head: String, _ kinds: [ContentKind], more: UInt64 = 0) {
            self.init(name, Array(head.utf8), kinds, more: more)
        }
    }

    private static let xml = "<?xml version=\"1.0\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"x\">\n"
    private static let long = String(repeating: "x", count: 70_000)

    private static let cases: [Case] = [
        Case("empty", "", [.text]),
        Case("database", "SQLite format 3\0\u{10}\0", [.sqlite]),
        Case("text about a database", "SQLite format 3 is what I read about", [.text]),
        Case("binary plist", (try? BinaryPlistWriter.write(["a": 1])) ?? [], [.plist]),
        Case("text about bplist", "bplist00 begins those files", [.plist, .text]),
        Case("xml plist", xml + "<plist version=\"1.0\"><dict/></plist>", [.plist, .text]),
        Case(
            "xml plist in UTF-16", [0xFF, 0xFE] + TextContentTests.utf16(xml + "<plist/>", isBigEndian: false), [.plist, .text]),
        Case("xml plist with a mark", [0xEF, 0xBB, 0xBF] + Array("<plist><array/></plist>".utf8), [.plist, .text]),
        Case("xml plist in Latin-1", Array("<?xml version='1.0' encoding='ISO-8859-1'?><plist><string>".utf8) + [0xE9], [.plist]),
        Case("xml plist behind a comment", "<!-- <html> --><!DOCTYPE plist [ <!ENTITY a \"b\"> ]><plist>", [.plist, .text]),
        Case("page", "<!DOCTYPE html>\n<html><body></body></html>", [.text]),
        Case("drawing", "<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\"/>", [.text]),
        Case("prolog without end", "<!-- " + long, [.text]),
        Case("declaration without end", "<!DOCTYPE plist [ ", [.text]),
        Case("OpenStep", "{ a = 1; b = (c, d); }", [.plist, .text]),
        Case("strings", "/* Title */\n\"a\" = \"b\";\n", [.plist, .text]),
        Case("source", "x = 1;\nfor (;;) {}\n", [.text]),
        Case("braces", "{ left } and { right }", [.text]),
        Case("head of OpenStep", "{ a = \"" + long, [.plist, .text], more: 9),
        Case("head of source", "x = 1; " + long, [.text], more: 9),
        Case("JSON", "{\"a\": [1, null]}", [.json, .text]),
        Case("JSON in lines of its own", "\n{\n\"a\": 1\n}\n", [.json, .text]),
        Case("JSON array", "[{\"a\": 1}]", [.json, .text]),
        Case("JSON in UTF-16", [0xFE, 0xFF] + TextContentTests.utf16("{\"a\": 1}", isBigEndian: true), [.json, .text]),
        Case("head of JSON", "{\"a\": \"" + long, [.json, .text], more: 100),
        Case("values in lines", "{\"a\": \"}{\\\"\"}\n{\"a\": 2}\n", [.text]),
        Case("arrays in lines", "[1]\r\n[2]", [.text]),
        Case("log", "[2026-11-20 10:00] started\n[2026-11-20 10:01] ended\n", [.text]),
        Case("number", "12", [.text]),
        Case("cookies", CookieFile(pages: [[CookieFile.Cookie()]]).bytes, [.cookies]),
        Case("text about cookies", "cook them well", [.text]),
        Case("gzip", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xFF], [.gzip]),
        Case("zlib", [0x78, 0x9C, 0xED, 0xFF, 0xFE], [.zlib]),
        Case("text with zlib's check", "8O is \u{78}\u{5E}", [.text]),
        Case("image", ImageHeaderTests.pngMagic + ImageHeaderTests.ihdr, [.image]),
        Case("cut character", Array("a€".utf8.dropLast()), [.text], more: 1),
        Case("whole with a cut character", Array("a€".utf8.dropLast()), []),
        Case("other", [0, 1, 2, 0xFF], []),
    ]

    @Test(arguments: cases)
    func candidates(_ expected: Case) {
        let kinds = ContentKind.candidates(expected.head, size: UInt64(expected.head.count) + expected.more)
        #expect(kinds == expected.kinds + [.bytes])
    }

    @Test(arguments: cases)
    func everyCut(_ expected: Case) {
        for count in expected.head.indices.prefix(200) {
            let kinds = ContentKind.candidates(Array(expected.head.prefix(count)), size: UInt64(count))
            #expect(kinds.last == .bytes)
            #expect(Set(kinds).count == kinds.count)
        }
    }

    static let pairs: [([ContentKind], [ContentKind], [ContentKind])] = [
        ([.plist, .text, .bytes], [.plist, .bytes], [.plist, .bytes]),
        ([.plist, .text, .bytes], [.json, .text, .bytes], [.plist, .text, .bytes]),
        ([.json, .text, .bytes], [.plist, .bytes], [.plist, .bytes]),
        ([.json, .text, .bytes], [.json, .text, .bytes], [.json, .text, .bytes]),
        ([.json, .text, .bytes], [.text, .bytes], [.text, .bytes]),
        ([.sqlite, .bytes], [.text, .bytes], [.bytes]),
    ]

    @Test(arguments: pairs)
    func shared(_ old: [ContentKind], _ new: [ContentKind], _ expected: [ContentKind]) {
        #expect(ContentKind.shared(old, new) == expected)
        #expect(ContentKind.shared(new, old) == expected)
    }
}

@Suite struct JSONContentTests {
    private static let documents: [(String, PlistValue)] = [
        ("[1, null, true, \"a\"]", [1, .null, true, "a"]),
        ("12", 12), ("\"a\"", "a"), ("null", .null), (" {} ", [:]), ("-0.0", .real(-0.0)), ("1E2", .real(100)),
        ("18446744073709551615", .integer(PlistInteger(UInt64.max))), ("-9223372036854775808", .integer(PlistInteger(Int64.min))),
        ("{\"$data\": \"AA==\"}", ["$data": "AA=="]), ("\"\\ud83d\\ude42\"", "🙂"), ("\u{FEFF}{\"\": 0}", ["": 0]),
    ]

    @Test(arguments: documents)
    func values(_ text: String, _ expected: PlistValue) throws {
        #expect(try JSONContent.read(Array(text.utf8)) == expected)
    }

    /// Documents that a value can't hold without loss are compared as text.
    @Test(arguments: [
        ("{\"a\": 1, \"a\": 2}", PlistError.Code.duplicateKey), ("18446744073709551616", .outOfRange), ("1e400", .outOfRange),
        ("{\"a\": 1}\n{\"a\": 2}", .syntax), ("", .syntax), ("{a: 1}", .syntax), ("[1,]", .syntax),
    ])
    func failures(_ text: String, _ code: PlistError.Code) {
        let error = #expect(throws: PlistError.self) { try JSONContent.read(Array(text.utf8)) }
        #expect(error?.code == code)
    }

    @Test func depth() {
        let deep = Array(repeating: UInt8(ascii: "["), count: 600) + Array(repeating: UInt8(ascii: "]"), count: 600)
        let error = #expect(throws: PlistError.self) { try JSONContent.read(deep) }
        #expect(error?.code == .limitExceeded)
    }

    /// Documents that Python writes are read with the values that they have in Python.
    @Test func documentsOfPython() throws {
        let script = """
            import json
            for value in ([], {}, [[1.5, -7, 1e300]], {"ä": {"b": [None, False, "\\u2028\\n"]}}, 0, "x", None):
                print(json.dumps(value))
            """
        let lines = try Program.run("python3", ["-c", script]).output.split(separator: 0x0A)
        let expected: [PlistValue] = [
            [], [:], [[1.5, -7, 1e300]], ["ä": ["b": [.null, false, "\u{2028}\n"]]], 0, "x", .null,
        ]
        #expect(try lines.map { try JSONContent.read(Array($0)) } == expected)
    }

    @Test func everyCut() {
        let whole = Array("{\"a\": [1, {\"b\": null}], \"c\": \"\\u00e9\"}".utf8)
        for count in whole.indices {
            #expect(throws: PlistError.self, "\(count) bytes") { try JSONContent.read(Array(whole.prefix(count))) }
        }
    }

    @Test(arguments: [
        ("{}\n{}", true), ("[]\n\n  []", true), ("{\"a\":\"\\\"}\"}\n{", true), ("{}", false), ("{}\n", false), ("{} {}", false),
        ("{\n}\n", false), ("{\"}\n{\": 1", false), ("{}\nx", false), ("1\n2", false),
    ])
    func lines(_ text: String, _ expected: Bool) {
        #expect(JSONContent.isLines(Array(text.utf8)) == expected)
    }
}
