import CapsulePropertyList
import Testing

@Suite struct PlistFormatTests {
    @Test(
        arguments: [
            ("bplist00", .binary), ("bplist15", .binary), ("<?xml version=\"1.0\"?>", .xml), ("<!DOCTYPE plist>", .xml),
            ("<!-- a -->", .xml),
            ("<plist version=\"1.0\">", .xml), ("<plist>", .xml), ("<dict/>", .xml), ("<array>", .xml), ("<data>", .xml),
            (" \r\n\t<plist>", .xml),
            ("\u{FEFF}<plist>", .xml), ("", nil), (" ", nil), ("<", nil), ("<plist", nil), ("<html>", nil), ("<dada>", nil),
            ("<0fbd77>", nil),
            ("{ a = b; }", nil), ("[1]", nil), ("plain", nil), ("\0\0\0\0", nil), ("bplis", nil), ("<plistplist>", nil),
            ("SQLite format 3\0", nil),
        ] as [(String, PlistFormat?)])
    func isJudgedByTheFirstBytes(_ text: String, _ format: PlistFormat?) {
        #expect(PlistFormat.sniff(Array(text.utf8)) == format)
    }

    @Test(arguments: ["", "plain text", "{ a = b; }", "<html></html>", "\u{FEFF}"])
    func anythingElseIsNoPropertyList(_ text: String) {
        let error = readingError(Array(text.utf8))
        #expect(error?.code == .notPropertyList)
        #expect(error?.message.hasPrefix("not a property list") == true)
        #expect(error?.pointer == nil)
    }
}
