import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleRules

@Suite struct GlobTests {
    private static func matches(_ pattern: String, _ text: String) throws -> Bool {
        try Glob(Array(pattern.utf8)).matches(Array(text.utf8))
    }

    @Test(arguments: [
        ("a", "a"), ("*", "a"), ("*", ".hidden"), ("*.plist", "x.plist"), ("*.plist", ".plist"), ("a*c", "ac"), ("a*c", "abbbc"),
        ("?", "x"), ("a?c", "abc"), ("[a-z]", "q"), ("[a-z0]", "0"), ("[!a-z]", "Q"), ("[^a-z]", "Q"), ("[]]", "]"),
        ("[!]]", "x"), ("[a-]", "-"), ("[-a]", "-"), ("[\\]]", "]"), ("[\\-]", "-"), ("\\*", "*"), ("\\?", "?"), ("\\[", "["),
        ("\\\\", "\\"), ("\\a", "a"), ("{a,b}", "{a,b}"), ("Library/Caches/**", "Library/Caches/x"),
        ("Library/Caches/**", "Library/Caches/x/y"), ("**", "a/b/c"), ("**/x", "x"), ("**/x", "a/x"), ("**/x", "a/b/x"),
        ("a/**/b", "a/b"), ("a/**/b", "a/x/b"), ("a/**/b", "a/x/y/b"), ("**.log", "a/b.log"), ("a**b", "a/x/b"), ("a**b", "ab"),
        ("Library/Preferences/*.plist", "Library/Preferences/com.x.plist"), ("***/x", "a/b/x"), ("**/**/x", "x"),
        ("*/*", "a/b"), ("sceneID:*", "sceneID:x"), ("日*", "日本"), ("a/[b-d]/e", "a/c/e"),
    ])
    func fits(pattern: String, text: String) throws {
        #expect(try Self.matches(pattern, text))
    }

    /// A pattern on the command line that matched only at the top would leave out, keep or restore nothing.
    @Test(arguments: [
        ("*.gif", "a.gif", true), ("*.gif", "x/y/a.gif", true), ("./*.gif", "a.gif", true), ("./*.gif", "x/a.gif", false),
        ("x/*.gif", "x/a.gif", true), ("x/*.gif", "y/x/a.gif", false), ("a.gif", "x/a.gif", false), ("[ab]", "x/a", true),
    ])
    func argumentWithoutSlashMatchesNames(argument: String, path: String, isMatch: Bool) throws {
        let glob = try Glob(argument: Array(argument.utf8))
        #expect(glob.matches(Array(path.utf8)) == isMatch)
        #expect(glob.pattern == Array(argument.utf8))
    }

    @Test(arguments: ["/a", "a/", "./", "a[", "", "../*"]) func argumentThatMatchesNothingIsRefused(argument: String) {
        #expect(throws: CapsuleError.self) { try Glob(argument: Array(argument.utf8)) }
    }

    @Test(arguments: [
        ("a", "A"), ("a", "ab"), ("a", "x/a"), ("*", "a/b"), ("*.plist", "a/x.plist"), ("?", ""), ("?", "/"), ("?", "ab"),
        ("a?b", "a/b"), ("[!a]", "/"), ("[.-0]", "/"), ("[a-z]", "Q"), ("[!a-z]", "q"), ("\\*", "x"), ("{a,b}", "a"),
        ("Library/Caches/**", "Library/Caches"), ("Library/Caches/**", "Library/CachesX/y"), ("**/x", "ax"), ("**/x", "x/y"),
        ("a/**/b", "a/xb"), ("a/**/b", "ab"), ("**.log", "a/b.logs"), ("*/*", "a"), ("*/*", "a/b/c"), ("é", "e\u{301}"),
        ("a", ""), ("a*", "b"),
    ])
    func doesNotFit(pattern: String, text: String) throws {
        #expect(try !Self.matches(pattern, text))
    }

    @Test(arguments: [
        ("", "the pattern is empty"), ("[", "'[' is not closed"), ("[a", "'[' is not closed"), ("[]", "'[' is not closed"),
        ("[!]", "'[' is not closed"), ("[a\\", "'[' is not closed"), ("[a-", "'[' is not closed"),
        ("[z-a]", "a range in '[…]' is reversed"),
        ("a\\", "the pattern ends in '\\'"),
    ])
    func isNoPattern(pattern: String, message: String) {
        #expect(throws: GlobError(message: message)) { try Glob(Array(pattern.utf8)) }
    }

    @Test func bytesAreNotCharacters() throws {
        let path = try RelativePath(validating: [UInt8(ascii: "a"), 0xFF])
        #expect(try Glob(Array("a?".utf8)).matches(path))
        #expect(try Glob([UInt8(ascii: "["), 0x80, UInt8(ascii: "-"), 0xFF, UInt8(ascii: "]")]).matches([0xC3]))
    }

    /// Compares every pattern and text of a small alphabet with backtracking, written as the grammar says.
    @Test(arguments: SeededGenerator.seeds)
    func agreesWithBacktracking(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            let pattern = (0..<random.number(1...7)).map { _ in random.pick(Array("*?a/".utf8)) }
            let text = (0..<random.number(0...7)).map { _ in random.pick(Array("ab/".utf8)) }
            let expected = Self.backtrack(pattern[...], text[...], isAtStart: true)
            let found = try Glob(pattern).matches(text)
            #expect(try Self.long(pattern, text) == expected)
            #expect(found == expected, "\(String(decoding: pattern, as: UTF8.self)) \(String(decoding: text, as: UTF8.self))")
            // A text that matches may match after each of its bytes.
            guard found else { continue }
            for count in 0...text.count { #expect(try Glob(pattern).mayMatch(startingWith: Array(text.prefix(count)))) }
        }
    }

    @Test(arguments: [
        ("a/**", "a/b/", true), ("**", "a/", true), ("**/x", "a/b", true), ("a/[b-c]*/x", "a/cd/", true), ("a/b/c", "a/b/", true),
        ("a/*", "a/b/", false), ("a/b", "a/b/", false), ("b/**", "a/", false), ("a/c/**", "a/b/", false),
        ("[b-z]**", "a/", false),
    ])
    func beginnings(pattern: String, start: String, mayFit: Bool) throws {
        #expect(try Glob(Array(pattern.utf8)).mayMatch(startingWith: Array(start.utf8)) == mayFit)
    }

    /// Matches as for patterns with very many steps.
    private static func long(_ pattern: [UInt8], _ text: [UInt8]) throws -> Bool {
        let glob = try Glob(pattern)
        guard text.starts(with: glob.prefix) else { return false }
        return Array(text.dropFirst(glob.prefix.count)).withUnsafeBufferPointer { glob.fitsLong($0) }
    }

    @Test(arguments: [
        ("*", "a/b", true), ("a?b", "a/b", true), ("[.-0]", "/", true), ("a*c", "ac", true), ("**/x", "x", false),
        ("a", "ab", false),
        ("\\*", "*", true), ("\\*", "a", false),
    ])
    func textsHaveNoComponents(pattern: String, text: String, isFit: Bool) throws {
        #expect(try Glob(Array(pattern.utf8), isText: true).matches(Array(text.utf8)) == isFit)
    }

    @Test(arguments: ["a", "a*b", "[x]?\\", "日本/*"])
    func aLiteralFitsItselfAlone(text: String) throws {
        let glob = Glob(literal: Array(text.utf8))
        #expect(glob.matches(Array(text.utf8)))
        #expect(!glob.matches(Array((text + "x").utf8)))
        #expect(glob == (try Glob(glob.pattern)))
        #expect(glob.literal == Array(text.utf8))
        #expect(try Glob(Array("a*".utf8)).literal == nil)
    }

    /// - Parameter isAtStart: true if the pattern's next component starts here.
    private static func backtrack(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>, isAtStart: Bool) -> Bool {
        let (star, slash) = (UInt8(ascii: "*"), UInt8(ascii: "/"))
        guard let first = pattern.first else { return text.isEmpty }
        if first == star {
            let run = pattern.prefix { $0 == star }
            let rest = pattern.dropFirst(run.count)
            if run.count == 1 {
                for end in text.indices where true {
                    if backtrack(rest, text[end...], isAtStart: false) { return true }
                    if text[end] == slash { return false }
                }
                return backtrack(rest, text[text.endIndex...], isAtStart: false)
            }
            if isAtStart, rest.first == slash {
                let after = rest.dropFirst()
                if backtrack(after, text, isAtStart: true) { return true }
                return text.indices.contains { text[$0] == slash && backtrack(after, text[($0 + 1)...], isAtStart: true) }
            }
            return (text.startIndex...text.endIndex).contains { backtrack(rest, text[$0...], isAtStart: false) }
        }
        guard let byte = text.first, first == byte || (first == UInt8(ascii: "?") && byte != slash) else { return false }
        return backtrack(pattern.dropFirst(), text.dropFirst(), isAtStart: first == slash)
    }

    /// A backtracking matcher would practically never end for these.
    @Test(arguments: [
        String(repeating: "a*", count: 60) + "b", String(repeating: "**/", count: 60) + "b",
        String(repeating: "*", count: 500) + "b",
        String(repeating: "?*", count: 60) + "b", String(repeating: "**a", count: 60) + "b",
        String(repeating: "[a-z]*", count: 60) + "!",
    ])
    func hostilePatternsEnd(pattern: String) throws {
        let text = String(repeating: "a", count: 400) + "/" + String(repeating: "a/", count: 200)
        #expect(try !Self.matches(pattern, text + "c"))
    }
}
