import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore

@Suite struct PatternTests {
    @Test(arguments: [
        ("a", "a", true), ("a", "b", false), ("", "", true), ("*", "", true), ("*", "a/b", true), ("a*", "abc", true),
        ("*c", "abc", true), ("a*c", "ac", true), ("a*a", "a", false), ("*b*", "abc", true), ("a*b*c", "axbyc", true),
        ("a*b*c", "axyc", false), ("**", "x", true), ("[a*", "[a=1]", true), ("?", "x", false), ("*aab*", "aaaab", true),
        ("*é", "é", true), ("é", "e\u{301}", false),
    ])
    func names(pattern: String, name: String, isFit: Bool) {
        #expect(NamePattern(PlistString(pattern)).matches(name) == isFit)
    }

    @Test(arguments: SeededGenerator.seeds)
    func namesAgreeWithGlobs(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<3000 {
            let pattern = (0..<random.number(1...7)).map { _ in random.pick(Array("*ab".utf8)) }
            let text = (0..<random.number(0...8)).map { _ in random.pick(Array("ab".utf8)) }
            let name = NamePattern(PlistString(String(decoding: pattern, as: UTF8.self)))
            let isFit = name.matches(String(decoding: text, as: UTF8.self))
            #expect(isFit == (try Glob(pattern).matches(text)), "\(pattern) \(text)")
        }
    }

    @Test(arguments: [
        ("/a", "/a", true), ("/a", "/b/a", false), ("a", "/b/a", true), ("/a*", "/abc", true), ("/a*", "/a/b", false),
        ("/*/c", "/x/c", true), ("/**/c", "/c", true), ("/a/**", "/a/b/c", true), ("", "", true), ("", "/a", false),
        ("/[k=*]", "/[k=v]", true), ("/a~1*", "/a~1b", true), ("/**", "", true), ("/*", "", false),
        ("/a/**/z*", "/a/b/zed", true),
    ])
    func places(pattern: String, pointer: String, isFit: Bool) throws {
        #expect(try MatchPointerPattern(pattern).matches(try PlistPointer(pointer).steps) == isFit)
    }

    private static let uuid = "6B29FC40-CA47-1067-B31D-00DD010662DA"

    @Test(
        arguments: [
            ("a.plist", "a.plist", "a.plist"), (uuid, "????????-????-????-????-????????????", "*"),
            ("x-\(uuid).gif", "x-????????-????-????-????-????????????.gif", "x-*.gif"),
            ("log-1713300000.txt", "log-[0-9]*.txt", "log-*.txt"),
            ("2026-04-17.log", "[0-9]*-[0-9]*-[0-9]*.log", "*-*-*.log"), ("v2-123.txt", "v2-123.txt", "v2-123.txt"),
            ("1a2b3c4d", "????????", "*"), ("deadbeef", "deadbeef", "deadbeef"), ("face1234book", "face[0-9]*book", "face*book"),
            ("[a]*", "\\[a]\\*", "[a]*"), ("a1b2c3", "a1b2c3", "a1b2c3"), ("\(uuid)-\(uuid)", nil, "*-*"),
            ("0123", "[0-9]*", "*"),
            ("é1a2b3c4d", "é1a2b3c4d", "é1a2b3c4d"),
        ] as [(String, String?, String)])
    func whatIsMadeUp(text: String, glob: String?, step: String) throws {
        let parts = GeneratedText(Array(text.utf8))
        #expect(glob == nil || String(decoding: parts.glob, as: UTF8.self) == glob)
        #expect(parts.step == step)
        #expect(try Glob(parts.glob).matches(Array(text.utf8)))
        #expect(NamePattern(PlistString(parts.step)).matches(text))
    }

    @Test func numbersStayWhereUUIDsAloneAreMeant() {
        let parts = GeneratedText(Array("1713300000-\(Self.uuid)".utf8), isUUIDOnly: true)
        #expect(String(decoding: parts.glob, as: UTF8.self) == "1713300000-????????-????-????-????-????????????")
    }

    /// The pattern that is made from a text matches the text, and a similar one.
    @Test(arguments: SeededGenerator.seeds)
    func everyTextFitsItsPattern(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let text = (0..<random.number(1...50)).map { _ in random.pick(Array("0123456789abcdef-*?[\\/é".utf8)) }
            let parts = GeneratedText(text)
            #expect(try Glob(parts.glob).matches(text), "\(text)")
        }
    }
}
