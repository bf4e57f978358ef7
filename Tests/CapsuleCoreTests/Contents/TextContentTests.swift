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
