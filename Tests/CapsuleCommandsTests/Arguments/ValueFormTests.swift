import Testing

@testable import CapsuleCommands

@Suite struct ValueFormTests {
    @Test(arguments: [
        ("a", true), ("v1.0_b-2", true), ("-", true), ("1a", true), ("first2", true), ("Latest", true),
        ("", false), ("12", false), ("latest", false), ("first", false), ("a b", false), ("a/b", false), ("\u{E9}", false),
        ("a@b", false),
    ])
    func labels(text: String, isLabel: Bool) {
        #expect(ValueForm.label.value(of: bytes(text)) == (isLabel ? .text(text) : nil))
    }

    @Test(
        arguments: [
            ("0", 0), ("7", 7), ("010", 10), ("10", 10), ("11", nil), ("-1", nil), ("+1", nil), (" 1", nil), ("1 ", nil),
            ("", nil),
            ("1e1", nil), ("0x1", nil), ("\u{661}", nil), ("18446744073709551617", nil),
        ] as [(String, Int?)])
    func integers(text: String, number: Int?) {
        #expect(ValueForm.integer(0...10).value(of: bytes(text)) == number.map { .integer($0) })
    }

    @Test(arguments: [
        ("", true), ("two\nlines\tand \u{1F600}", true), ("\u{0}", false), ("\u{1B}[1m", false), ("\u{FFFE}", false),
        ("\u{9B}", false),
    ])
    func notes(text: String, isHeld: Bool) {
        #expect(ValueForm.text.value(of: bytes(text)) == (isHeld ? .text(text) : nil))
    }

    @Test func notesAreUTF8() {
        #expect(ValueForm.text.value(of: [0x61, 0xFF]) == nil)
    }
}
