import Testing

@testable import CapsuleCommands

@Suite struct ReportEscapesTests {
    private static func escaped(_ text: String, isJSON: Bool = false, isForGitHub: Bool = true) -> String {
        let escapes = ReportEscapes(isJSON: isJSON, isForGitHub: isForGitHub)
        return String(decoding: escapes.escaped(Array(text.utf8)), as: UTF8.self)
    }

    /// GitHub's runner would do what a name or a text of the app says.
    @Test(
        arguments: [
            ("::a::b\n", "\\x3A:a::b\n"), ("a ::b\n :: c\n", "a ::b\n \\x3A: c\n"), ("a\r::b", "a\r\\x3A:b"),
            ("\u{3000}\u{85}\t::b", "\u{3000}\u{85}\t\\x3A:b"), ("\u{FEFF}::b", "\u{FEFF}\\x3A:b"), (":::b", "\\x3A::b"),
            ("a ##[b]c###[d]\n", "a \\x23#[b]c#\\x23#[d]\n"), ("## a: [b]\n", "## a: [b]\n"), ("é::a\n", "é::a\n"),
            (" ##[a]\n::b", " \\x23#[a]\n\\x3A:b"), ("", ""), (":", ":"),
        ])
    func noLineIsACommand(text: String, escaped: String) {
        #expect(Self.escaped(text) == escaped)
        #expect(Self.escaped(text, isForGitHub: false) == text)
    }

    @Test func bytesThatAreNotTextStay() {
        let bytes = [0x20, 0xFF, 0x3A, 0x3A, 0x0A, 0xE2, 0x80, 0x0A, 0x3A, 0x3A] as [UInt8]
        #expect(ReportEscapes(isJSON: false, isForGitHub: true).escaped(bytes) == bytes.dropLast(2) + Array("\\x3A:".utf8))
        #expect(ReportEscapes(isJSON: true, isForGitHub: true).escaped([0xE2, 0x80]) == [0xE2, 0x80])
    }

    /// The strings are the same for a reader, who could be shown another text by one that isn't escaped.
    @Test(
        arguments: [
            (#"{"a":":::"}"#, #"{"a":":\u003a\u003a"}"#), (###"["##[a]","#["]"###, ###"["\u0023#[a]","#["]"###),
            ("[\"\u{202E}é€\u{85}\u{61C}\u{2069}\"]", #"["\u202e"# + "é€" + #"\u0085\u061c\u2069"]"#),
        ])
    func stringsOfJSONKeepTheirValues(json: String, escaped: String) {
        #expect(Self.escaped(json, isJSON: true) == escaped)
    }

    @Test func withoutGitHubOnlyHiddenCharactersAreEscaped() {
        #expect(Self.escaped("[\"::##[\u{200F}\"]", isJSON: true, isForGitHub: false) == #"["::##[\u200f"]"#)
    }
}
