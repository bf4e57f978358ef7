import CapsuleCore
import CapsulePropertyList
import TestSupport
import Testing

/// Property lists as lines with pointers.
@Suite struct PointerLinesTests {
    private static func lines(_ value: PlistValue, as format: PlistFormat = .binary, limit: Int = 1 << 20) throws -> [String] {
        let document = try PlistDocument.read(try PlistWriter.write(value, as: format))
        let text = try PointerLines.text(of: document, limit: limit) { "digest of \($0.count)" }
        #expect(text.last == 0x0A)
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    static let cases: [(value: PlistValue, lines: [String])] = [
        (["b": 1, "a": "x", "B": true], [#"/B: true"#, #"/a: "x""#, "/b: 1"]),
        ([:], ["(root): {}"]), ([], ["(root): []"]), (["a": [], "b": [:]], ["/a: []", "/b: {}"]),
        (["a": ["x", ["b": 1.0]]], [#"/a/0: "x""#, "/a/1/b: 1.0"]),
        // Two elements with the same identity are named by their indices.
        (["UIAppFonts": ["a", "b"]], [#"/UIAppFonts/[=a]: "a""#, #"/UIAppFonts/[=b]: "b""#]),
        (["UIAppFonts": ["a", "a"]], [#"/UIAppFonts/0: "a""#, #"/UIAppFonts/1: "a""#]),
        (["": 1], ["/: 1"]), (["a/b": 1, "~": 2], ["/a~1b: 1", "/~0: 2"]),
        (["a\nb": 1], [#""/a\nb": 1"#]), (["\u{202E}": "\u{202E}"], [#""/\u{202E}": "\u{202E}""#]),
        (["d": .data([1, 2, 3])], ["/d: data of 3 bytes, AQID"]),
        (
            ["d": .data([UInt8](repeating: 0, count: 97))],
            ["/d: data of 97 bytes, AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA…, sha256 digest of 97"]
        ),
    ]

    @Test(arguments: cases.indices) func eachValueHasALine(index: Int) throws {
        let sample = Self.cases[index]
        #expect(try Self.lines(sample.value) == ["(encoding): binary"] + sample.lines)
    }

    @Test func documentsInDataAreTold() throws {
        let inner: PlistValue = ["count": 3]
        let data = PlistValue.data(try PlistWriter.write(inner, as: .xml))
        #expect(try Self.lines(["state": data])[1...] == ["/state/<plist>/count: 3"])
        // The depth is limited.
        var nested: PlistValue = inner
        for _ in 0..<9 { nested = ["n": .data(try PlistWriter.write(nested, as: .binary))] }
        let lines = try Self.lines(nested)
        #expect(lines.count == 2)
        #expect(lines[1].hasPrefix("/n/<plist>/n/<plist>/n/<plist>/n/<plist>/n: data of "))
    }

    @Test func keyedArchivesAreToldAsTheirObjects() throws {
        let archive: PlistValue = [
            "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(1)],
            "$objects": [
                "$null", ["$class": .uid(2), "name": .uid(3)], ["$classname": "Person", "$classes": ["Person"]], "Ann",
            ],
        ]
        let lines = try Self.lines(archive)
        #expect(lines.contains(#"/<archive>/root/name: "Ann""#))
        let inData = try Self.lines(["a": .data(try PlistWriter.write(archive, as: .binary))])
        #expect(inData.contains(#"/a/<archive>/root/name: "Ann""#))
    }

    @Test func theTextIsLimited() throws {
        let value = PlistValue.array(Array(repeating: "a", count: 20_000))
        let document = try PlistDocument.read(try PlistWriter.write(value, as: .binary))
        let error = #expect(throws: OverlayError.self) { try PointerLines.text(of: document, limit: 1 << 16) { _ in "" } }
        #expect(error?.code == .limit)
    }
}
