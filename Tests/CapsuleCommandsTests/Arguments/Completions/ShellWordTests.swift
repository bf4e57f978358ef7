import Testing

@testable import CapsuleCommands

@Suite struct ShellWordTests {
    static let breaks = Array(" \t\n\"'@><=;|&(:".utf8)

    private func words(_ line: String) -> [ShellWord] { ShellWord.words(of: Array(line.utf8), breaks: Self.breaks) }

    @Test(
        arguments: [
            ("capsule ls X", ["capsule", "ls", "X"]), ("capsule ls ", ["capsule", "ls", ""]), ("", [""]),
            (#"a b\ c 'd e' "f g"h"#, ["a", "b c", "d e", "f gh"]), (#"'it'\''s'"#, ["it's"]), (#""a\"b\x""#, [#"a"b\x"#]),
            (#"'open one"#, ["open one"]), (#"a "open $x"#, ["a", "open $x"]),
            ("a  \t b", ["a", "b"]), ("$HOME/x ${HOME}/y", ["$HOME/x", "${HOME}/y"]),
        ] as [(String, [String])])
    func wordsAreReadAsAShellDoes(line: String, texts: [String]) {
        #expect(words(line).map { String(decoding: $0.text, as: UTF8.self) } == texts)
    }

    /// A word that would have to be run, or that is incomplete, is not completed.
    @Test(arguments: ["$(date)", "`date`", "a\\", "${x:-y}", "$((1))", "\"$(date)\"", "x$"]) func someWordsAreTheShellsAlone(
        word: String
    ) {
        #expect(words("capsule ls " + word).last?.isOpaque == true)
        #expect(words(word).last?.completed(to: Array((word + "x").utf8)) == nil)
    }

    @Test(
        arguments: [
            // Only the part after the last separator is replaced.
            ("X.capsule@be", "X.capsule@before", "@before"), ("X.capsule@", "X.capsule@before", "@before"),
            ("sim:com.e", "sim:com.example", "com.example"),
            (#"My\ F"#, "My File", #"My\ File"#), (#"'My F"#, "My File", "My File"), (#""My F"#, "My File", "My File"),
            ("a", "a$(rm -rf x)", #"a\$\(rm\ -rf\ x\)"#),
            ("a", "a`x`;|&<>*?[]{}~!#^\"'\\", ##"a\`x\`\;\|\&\<\>\*\?\[\]\{\}~\!\#\^\"\'\\"##),
            ("\"a", "a$(x)`\"\\", #"a\$(x)\`\"\\"#), ("'a", "a'$(x)'", #"a'\''$(x)'\''"#),
            ("", "=a", #"\=a"#), ("~/a", "~/a b", #"~/a\ b"#), ("$HOME/", "$HOME/a", "$HOME/a"),
            ("'a b'@", "a b@1", "@1"), ("", "~", #"\~"#), ("é", "éa", "éa"),
        ])
    func repliesAreQuoted(typed: String, name: String, reply: String) throws {
        let word = try #require(words(typed).last)
        let found = word.completed(to: Array(name.utf8)).map { String(decoding: $0, as: UTF8.self) }
        #expect(found == reply)
    }

    /// In double quotes, the history character can't be escaped.
    @Test func someNamesCantBeWritten() throws {
        #expect(try #require(words("\"a").last).completed(to: Array("a!!".utf8)) == nil)
        #expect(try #require(words("b").last).completed(to: Array("a".utf8)) == nil)
    }
}
