import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleEngine

@Suite struct TerminalTextTests {
    private static func shown(_ pieces: [[UInt8]], keepsColors: Bool = false) -> String {
        var text = TerminalText(keepsColors: keepsColors)
        var shown: [UInt8] = []
        for piece in pieces { shown += piece.withUnsafeBytes { text.sanitize($0) } }
        return String(decoding: shown + text.finish(), as: UTF8.self)
    }

    @Test(arguments: [
        ("a\tb\nc\r\n", "a\tb\nc\r\n"), ("\u{1B}[2J\u{7}", "\\x1B[2J\\x07"), ("a\rb", "a\\rb"), ("\u{9B}1m", "\\xC2\\x9B1m"),
        ("\u{202E}x\u{2028}", "\\xE2\\x80\\xAEx\\xE2\\x80\\xA8"), ("é€😀", "é€😀"), ("\u{0}", "\\x00"),
        ("\u{1B}[31mr", "\\x1B[31mr"),
    ])
    func whatDoesSomethingIsEscaped(text: String, shown: String) {
        #expect(Self.shown([Array(text.utf8)]) == shown)
    }

    @Test(arguments: [
        ("\u{1B}[31mr\u{1B}[0m", "\u{1B}[31mr\u{1B}[0m"), ("\u{1B}[2J", "\\x1B[2J"), ("\u{1B}[3", "\\x1B[3"), ("\u{1B}", "\\x1B"),
        ("\u{1B}[1;31m", "\u{1B}[1;31m"), ("\u{1B}]0;t\u{7}", "\\x1B]0;t\\x07"),
    ])
    func onlyColorsOfReportsStay(text: String, shown: String) {
        #expect(Self.shown([Array(text.utf8)], keepsColors: true) == shown)
    }

    @Test func bytesThatAreNoTextAreEscaped() {
        #expect(Self.shown([[0x9B, 0x41, 0xFF, 0xE2, 0x80]]) == "\\x9BA\\xFF\\xE2\\x80")
    }

    /// The result is the same wherever a text is cut into pieces.
    @Test(arguments: SeededGenerator.seeds)
    func piecesMakeNoDifference(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let parts: [[UInt8]] =
            ["é", "\u{202E}", "😀", "\r\n", "\r", "a", "\u{1B}[31m"].map { Array($0.utf8) } + [[0xE2, 0x80], [0xFF]]
        for _ in 0..<200 {
            let bytes = (0..<20).flatMap { _ in random.pick(parts) }
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = 1 + Int(random.next() % 5)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(Self.shown(pieces) == Self.shown([bytes]), "\(bytes)")
        }
    }

    @Test func anErrorSaysWhatItIs() {
        var error = CapsuleError("unexpected '>'", path: HostPath("a.plist"), hint: "a hint")
        #expect("\(error)" == "a.plist: unexpected '>'")
        error.place = "3:5"
        #expect("\(error)" == "a.plist:3:5: unexpected '>'")
        #expect("\(CapsuleError("no path"))" == "no path")
    }
}
