import TestSupport
import Testing

@testable import CapsuleRemote

@Suite struct HTTPMessagesTests {
    private static func head(_ name: String, _ value: String) -> HTTPHead {
        HTTPHead(status: 206, fields: [HTTPHeader(name, value)])
    }

    @Test(arguments: [("bytes 0-0/1", 0..<1, 1), ("BYTES 5-9/10", 5..<10, 10)] as [(String, Range<UInt64>, UInt64)])
    func contentRange(text: String, range: Range<UInt64>, total: UInt64) {
        let found = Self.head("Content-Range", text).contentRange
        #expect(found?.range == range)
        #expect(found?.total == total)
    }

    @Test(arguments: [
        "", "bytes", "bytes 0-1", "bytes 0-1/*", "bytes */2", "bytes 0/1-2", "bytes 0-1/2/3", "bytes -0-1/2", "bytes 1-0/2",
        "bytes 0-2/2", "items 0-1/2", "bytes +0-1/2", "bytes 0-18446744073709551616/2", "bytes 0-1/2 ", "bytes --1/2",
    ])
    func noContentRange(text: String) {
        #expect(Self.head("Content-Range", text).contentRange == nil)
    }

    @Test(arguments: [
        ("<a>; rel=\"next\"", "a"), ("<a>;rel=next", "a"), ("<a> ; Rel = \"prev NEXT\"", "a"),
        ("<a>; rel=next, <b>; rel=last", "a"), ("<a>; rel=\"prev\", <b?x=1,2>; rel=\"next\"", "b?x=1,2"),
        ("<a>; title=\"x, <c>\"; rel=prev, <b>; rel=next", "b"),
        ("<a>; rel=prev", nil), ("<a>; rel=nextpage", nil), ("<a>; title=\"rel=next\"", nil), ("<a>", nil), ("rel=next", nil),
        ("<a; rel=next", nil), ("", nil),
    ])
    func nextPage(text: String, target: String?) {
        #expect(Self.head("Link", text).next == target)
        #expect(HTTPHead(status: 200, fields: [HTTPHeader("Link", "<z>; rel=first"), HTTPHeader("Link", text)]).next == target)
    }

    @Test func longestContentRange() {
        let last = UInt64.max - 1
        #expect(Self.head("Content-Range", "bytes \(last)-\(last)/\(UInt64.max)").contentRange?.range == last..<UInt64.max)
        #expect(Self.head("Content-Range", "bytes 0-\(UInt64.max)/\(UInt64.max)").contentRange == nil)
    }

    @Test(arguments: [
        ("\"a\"", true), ("W/\"a\"", false), ("\"\"", false), ("\"a", false), ("a", false), ("\"ü\"", false), ("\"a b\"", false),
    ])
    func strongTag(text: String, isStrong: Bool) {
        #expect(Self.head("ETag", text).strongTag == (isStrong ? text : nil))
    }

    @Test(
        arguments: [("0", 0), ("12", 12), ("+1", nil), ("-1", nil), ("", nil), ("1, 1", nil), ("18446744073709551616", nil)]
            as [(String, UInt64?)])
    func length(text: String, length: UInt64?) {
        #expect(Self.head("content-LENGTH", text).length == length)
    }

    @Test func fieldsAreParsed() throws {
        let head = try #require(HTTPHead(parsing: Array("200\nA: 1\na:\t2 \n: x\nno field\n\n".utf8)[...]))
        #expect(head.status == 200)
        #expect(head.values("a") == ["1", "2 "])
        #expect(head["b"] == nil)
        #expect(HTTPHead(parsing: []) == nil)
    }
}
