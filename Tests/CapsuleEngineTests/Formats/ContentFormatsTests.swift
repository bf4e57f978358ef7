import CapsuleCore
import CapsulePropertyList
import Testing

@testable import CapsuleEngine

@Suite struct ContentFormatsTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let head: [UInt8]
        let kinds: [String]
        /// The number of bytes that the file has after the head.
        var more: UInt64 = 0
        var testDescription: String { name }

        init(_ name: String, _ head: [UInt8], _ kinds: [String], more: UInt64 = 0) {
            (self.name, self.head, self.kinds, self.more) = (name, head, kinds, more)
        }

        init(_ name: String, _ head: String, _ kinds: [String], more: UInt64 = 0) {
            self.init(name, Array(head.utf8), kinds, more: more)
        }
    }

    private static let xml = "<?xml version=\"1.0\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"x\">\n"
    private static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 1, 44, 0, 1, 0x11, 0x70, 8, 6, 0, 0, 0, 0, 0, 0, 0]
    private static let long = String(repeating: "x", count: 70_000)

    private static let cases: [Case] = [
        Case("empty", "", ["text"]),
        Case("database", "SQLite format 3\0\u{10}\0", ["sqlite"]),
        Case("text about a database", "SQLite format 3 is what I read about", ["text"]),
        Case("binary plist", (try? BinaryPlistWriter.write(["a": 1])) ?? [], ["plist"]),
        Case("text about bplist", "bplist00 begins those files", ["plist", "text"]),
        Case("xml plist", xml + "<plist version=\"1.0\"><dict/></plist>", ["plist", "text"]),
        Case(
            "xml plist in UTF-16", [0xFF, 0xFE] + utf16(xml + "<plist/>", isBigEndian: false), ["plist", "text"]),
        Case("xml plist with a mark", [0xEF, 0xBB, 0xBF] + Array("<plist><array/></plist>".utf8), ["plist", "text"]),
        Case(
            "xml plist in Latin-1", Array("<?xml version='1.0' encoding='ISO-8859-1'?><plist><string>".utf8) + [0xE9], ["plist"]),
        Case("xml plist behind a comment", "<!-- <html> --><!DOCTYPE plist [ <!ENTITY a \"b\"> ]><plist>", ["plist", "text"]),
        Case("page", "<!DOCTYPE html>\n<html><body></body></html>", ["text"]),
        Case("drawing", "<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\"/>", ["text"]),
        Case("prolog without end", "<!-- " + long, ["text"]),
        Case("declaration without end", "<!DOCTYPE plist [ ", ["text"]),
        Case("OpenStep", "{ a = 1; b = (c, d); }", ["plist", "text"]),
        Case("strings", "/* Title */\n\"a\" = \"b\";\n", ["plist", "text"]),
        Case("source", "x = 1;\nfor (;;) {}\n", ["text"]),
        Case("braces", "{ left } and { right }", ["text"]),
        Case("head of OpenStep", "{ a = \"" + long, ["plist", "text"], more: 9),
        Case("head of source", "x = 1; " + long, ["text"], more: 9),
        Case("JSON", "{\"a\": [1, null]}", ["json", "text"]),
        Case("JSON in lines of its own", "\n{\n\"a\": 1\n}\n", ["json", "text"]),
        Case("JSON array", "[{\"a\": 1}]", ["json", "text"]),
        Case("JSON in UTF-16", [0xFE, 0xFF] + utf16("{\"a\": 1}", isBigEndian: true), ["json", "text"]),
        Case("head of JSON", "{\"a\": \"" + long, ["json", "text"], more: 100),
        Case("values in lines", "{\"a\": \"}{\\\"\"}\n{\"a\": 2}\n", ["text"]),
        Case("arrays in lines", "[1]\r\n[2]", ["text"]),
        Case("log", "[2026-11-20 10:00] started\n[2026-11-20 10:01] ended\n", ["text"]),
        Case("number", "12", ["text"]),
        Case("cookies", Array("cook".utf8) + [0, 0, 0, 1], ["cookies"]),
        Case("text about cookies", "cook them well", ["text"]),
        Case("gzip", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xFF], ["gzip"]),
        Case("zlib", [0x78, 0x9C, 0xED, 0xFF, 0xFE], ["zlib"]),
        Case("text with zlib's check", "8O is \u{78}\u{5E}", ["text"]),
        Case("image", png, ["image"]),
        Case("cut character", Array("a€".utf8.dropLast()), ["text"], more: 1),
        Case("whole with a cut character", Array("a€".utf8.dropLast()), []),
        Case("other", [0, 1, 2, 0xFF], []),
    ]

    @Test(arguments: cases)
    func candidates(_ expected: Case) {
        let head = ContentHead(expected.head, size: UInt64(expected.head.count) + expected.more)
        #expect(ContentFormats.candidates(head).map(\.word) == expected.kinds + ["bytes"])
    }

    @Test(arguments: cases)
    func everyCut(_ expected: Case) {
        for count in expected.head.indices.prefix(200) {
            let formats = ContentFormats.candidates(ContentHead(Array(expected.head.prefix(count)), size: UInt64(count)))
            #expect(formats.last is BytesContents)
        }
    }

    static let pairs: [([String], [String], [String])] = [
        (["plist", "text", "bytes"], ["plist", "bytes"], ["plist", "bytes"]),
        (["plist", "text", "bytes"], ["json", "text", "bytes"], ["plist", "text", "bytes"]),
        (["json", "text", "bytes"], ["plist", "bytes"], ["plist", "bytes"]),
        (["json", "text", "bytes"], ["json", "text", "bytes"], ["json", "text", "bytes"]),
        (["json", "text", "bytes"], ["text", "bytes"], ["text", "bytes"]),
        (["sqlite", "bytes"], ["text", "bytes"], ["bytes"]),
    ]

    @Test(arguments: pairs)
    func shared(_ old: [String], _ new: [String], _ expected: [String]) {
        func formats(_ words: [String]) -> [any ContentFormat] {
            words.compactMap { word in ContentFormats.all.first { $0.word == word } }
        }
        #expect(ContentFormats.shared(formats(old), formats(new)).map(\.word) == expected)
        #expect(ContentFormats.shared(formats(new), formats(old)).map(\.word) == expected)
    }

    private static func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit -> [UInt8] in
            let (upper, lower) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBigEndian ? [upper, lower] : [lower, upper]
        }
    }
}
