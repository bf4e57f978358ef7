import CapsulePropertyList
import Testing

@testable import CapsuleCore

/// Apps keep property lists in the data of their preferences. A report that "data differs" would not help.
@Suite struct NestedPlistDiffTests {
    private static func xml(_ body: String, indent: String = "") -> PlistValue {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\(indent)\(body)</plist>"
        return .data(Array(text.utf8))
    }

    /// `{count: N}` as the system writes it.
    private static func binary(count: UInt8) -> PlistValue {
        let objects: [UInt8] = [0xD1, 1, 2, 0x55] + Array("count".utf8) + [0x10, count]
        let trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 3] + Array(repeating: 0, count: 8)
        return .data(Array("bplist00".utf8) + objects + [8, 11, 17] + trailer + [0, 0, 0, 0, 0, 0, 0, 19])
    }

    private static func lines(_ old: PlistValue, _ new: PlistValue) throws -> [String] {
        try PlistDiff(["state": old], ["state": new]).changes.map(PlistDiffTests.line)
    }

    @Test func comparesInside() throws {
        let old = Self.xml("<dict><key>count</key><integer>1</integer></dict>")
        #expect(
            try Self.lines(old, Self.xml("<dict><key>count</key><integer>2</integer></dict>")) == ["~ /state/<plist>/count 1 → 2"]
        )
        #expect(try Self.lines(old, Self.binary(count: 2)) == ["~ /state/<plist>/count 1 → 2"])
        #expect(try Self.lines(old, Self.xml("<string>x</string>")) == ["~ /state/<plist> {\"count\": 1} → \"x\" type"])
    }

    @Test func identitiesHoldInside() throws {
        let fonts = { (names: String) in Self.xml("<dict><key>UIAppFonts</key><array>\(names)</array></dict>") }
        #expect(
            try Self.lines(fonts("<string>a</string>"), fonts("<string>b</string><string>a</string>"))
                == ["+ /state/<plist>/UIAppFonts/[=b] \"b\""])
    }

    @Test func encodingOnly() throws {
        let old = Self.xml("<dict><key>count</key><integer>1</integer></dict>")
        #expect(try Self.lines(old, Self.binary(count: 1)) == ["e /state/<plist> xml → binary"])
        let spaced = Self.xml("<dict><key>count</key><integer>1</integer></dict>", indent: "\n")
        #expect(try Self.lines(old, spaced) == ["e /state/<plist> xml → xml"])
    }

    @Test func whatDoesNotParseIsData() throws {
        let old = Self.xml("<dict><key>count</key><integer>1</integer></dict>")
        let others: [(PlistValue, NestedGap)] = [
            (Self.xml("<dict>"), .unreadable), (.data(Array("bplist00".utf8)), .unreadable), (.data([1, 2, 3]), .oneSided),
            (.data(Array("text".utf8)), .oneSided), (.data([]), .oneSided), (.data(Array("<html>".utf8)), .oneSided),
        ]
        for (other, gap) in others {
            let changes = try PlistDiff(["state": old], ["state": other]).changes
            #expect(
                changes == [PlistChange(.modified(old: old, new: other), at: try PlistPointer("/state"), nestedGap: gap)])
        }
        let texts = try PlistDiff(["a": .data(Array("one".utf8))], ["a": .data(Array("two".utf8))]).changes
        #expect(texts.map(\.pointer.description) == ["/a"])
        #expect(texts.map(\.nestedGap) == [nil])
    }

    /// Documents inside documents: from some depth on they are data, and the report says so.
    @Test func depthIsBounded() throws {
        func nested(_ leaf: String, _ depth: Int) -> String {
            (0..<depth).reduce(leaf) { inner, _ in
                "<plist><dict><key>a</key><data>\(Self.base64(Array(inner.utf8)))</data></dict></plist>"
            }
        }
        let old = PlistValue.data(Array(nested("<plist><integer>1</integer></plist>", 3).utf8))
        let new = PlistValue.data(Array(nested("<plist><integer>2</integer></plist>", 3).utf8))
        #expect(try Self.lines(old, new) == ["~ /state/<plist>/a/<plist>/a/<plist>/a/<plist> 1 → 2"])
        let deeper = try PlistDiff(
            .data(Array(nested("<plist><integer>1</integer></plist>", 4).utf8)),
            .data(Array(nested("<plist><integer>2</integer></plist>", 4).utf8)))
        #expect(deeper.changes.map(\.pointer.description) == ["/<plist>/a/<plist>/a/<plist>/a/<plist>/a"])
        #expect(deeper.bounds == [.nestedDocuments])
        #expect(deeper.changes.map(\.nestedGap) == [nil])
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                result.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
