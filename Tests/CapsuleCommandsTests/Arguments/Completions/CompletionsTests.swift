import Foundation
import TestSupport
import Testing

@testable import CapsuleArguments
@testable import CapsuleCommands

@Suite struct CompletionsTests {
    /// The words after `capsule` with their descriptions.
    private static func completions(of words: [String]) -> [String] {
        let last = ShellWord.words(of: Array((words.last ?? "").utf8), breaks: []).last
        return Completer(words.map { Array($0.utf8) }, last).lines(for: .fish).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func everyVerbFlagAndWordIsThere() {
        let verbs = Self.completions(of: [""])
        for verb in CommandTable.capsule.verbs {
            let name = verb.verb ?? "?"
            #expect(verbs.contains("\(name)\t\(verb.summary)"))
            let forms = verb.forms.filter { $0.word != nil }
            for form in forms { #expect(Self.completions(of: [name, ""]).contains("\(form.word ?? "")\t\(form.summary)")) }
            let called = [name] + (forms.first?.word.map { [$0] } ?? [])
            let flags = Self.completions(of: called + ["-"])
            for flag in verb.flags {
                for spelling in flag.spellings { #expect(flags.contains("\(spelling)\t\(flag.summary)")) }
                if case .words(let words)? = flag.value?.form {
                    #expect(
                        Self.completions(of: called + ["\(flag.longSpelling)="]).dropFirst()
                            == words.map { "\(flag.longSpelling)=\($0)" }[...])
                }
            }
        }
    }

    /// The words typed, with the last one to complete, and the completions that bash offers.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash")),
        arguments: [
            (["pa"], ["pack"]), (["unp"], ["unpack"]), (["-q", "ver"], ["verify"]),
            (["--color", "always", "l"], ["locate", "ls", "log", "label"]),
            (["--color", "a"], ["auto", "always"]), (["pack", "--co"], ["--codec", "--color"]),
            (["pack", "--codec", ""], ["gzip", "zstd"]), (["pack", "--codec", "=", "z"], ["zstd"]),
            (["pack", "--codec", "="], ["gzip", "zstd"]), (["pack", "--codec=g"], ["--codec=gzip"]),
            (["unpack", "X", "--as", "tar."], ["tar.gz", "tar.zst"]),
            (["unpack", "--as", "zip", "--for"], ["--force"]),
            (["generate", ""], ["man", "completions"]), (["generate", "completions", ""], ["bash", "zsh", "fish"]),
            (["generate", "-q", "completions", "f"], ["fish"]), (["generate", "man", "d"], ["dir one"]),
            (["help", "ve"], ["verify"]), (["help", "plist", "re"], ["remove"]), (["help", "exp"], ["expectations"]),
            (["pack", "--drop", "ca"], ["caches"]), (["pack", "--drop", "caches,t"], ["caches,tmp"]),
            (["pack", "--drop=caches,t"], ["--drop=caches,tmp"]), (["pack", "--drop", "=", "t"], ["tmp"]),
            (["restore", "X", "@", "1", "--dr"], ["--drop", "--dry-run"]), (["pack", ""], []), (["pack", "-o", ""], []),
            (["pack", "-q", "--qu"], []),
            (["ls", "X", ""], []),
            (["unpack", "X", "-C", ""], ["dir one"]), (["pack", "--", "--c"], []), (["--ver"], ["--version", "--verbose"]),
        ] as [([String], [String])])
    func bashCompletes(typed: [String], expected: [String]) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("capsule-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(
            at: directory.appendingPathComponent("dir one"), withIntermediateDirectories: true)
        try Data().write(to: directory.appendingPathComponent("a file"))
        let script = """
            set -u
            \(Completions(for: .bash).script)
            COMP_WORDS=(capsule "$@")
            COMP_CWORD=$#
            COMP_POINT=${#COMP_LINE}
            COMP_WORDBREAKS="$PARTS"
            _capsule
            printf '%s\\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"}
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["--norc", "-c", script, "bash"] + typed
        process.currentDirectoryURL = directory
        let program = try #require(BuiltProgram.path("capsule"), "'swift build' makes the program")
        let path = "\(URL(fileURLWithPath: program).deletingLastPathComponent().path):/usr/bin:/bin"
        // Words that bash has split are adjacent on the line.
        var line = "capsule"
        for (number, word) in typed.enumerated() {
            let isJoined = ["=", "@"].contains(word) || number > 0 && ["=", "@"].contains(typed[number - 1])
            line += isJoined ? word : " " + word
        }
        let parts = typed.contains { $0.contains("=") && $0 != "=" } ? " " : " \t\n\"'@><=;|&(:"
        process.environment = ["PATH": path, "HOME": directory.path, "COMP_LINE": line, "PARTS": parts]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines == expected)
    }
}

@Suite struct PartialCommandLineTests {
    private func place(_ line: String) -> String {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map { Array($0.utf8) }
        switch PartialCommandLine(words).place {
        case .value(let flag, let after): return "--\(flag.name) after \(after)"
        case .positional(let positional): return positional.name
        case .verb: return "verb"
        case .form: return "form"
        case .flag: return "flag"
        case .extra: return "extra"
        }
    }

    @Test(
        arguments: [
            ("", "verb"), ("ls", "verb"), ("ls ", "CONTAINER"), ("ls X.cap", "CONTAINER"), ("ls X ", "PATH"),
            ("ls X a b c", "PATH"),
            ("ls -l X ", "PATH"), ("ls -", "flag"), ("ls -- -", "CONTAINER"), ("cat X ", "PATH"), ("cat X y ", "extra"),
            ("pack --drop ", "--drop after 0"), ("pack --drop=ca", "--drop after 7"), ("pack -q --drop a X", "CONTAINER"),
            ("pack -o ", "--output after 0"), ("--color never ls ", "CONTAINER"), ("nothing ", "extra"),
            ("plist nothing ", "extra"),
            ("compact X --keep first,", "--keep after 0"), ("plist ", "form"), ("plist get ", "FILE"),
            ("plist get F ", "POINTER"),
            ("help ", "TOPIC"), ("help plist ", "TOPIC"), ("locate --device x ", "BUNDLE-ID"), ("diff A B ", "PATH"),
        ])
    func theLastWordIsKnownByItsPlace(line: String, place: String) {
        #expect(self.place(line) == place)
    }

    @Test func argumentsAreKnownByWhatTheyAre() {
        let command = PartialCommandLine(["cat", "-q", "X.capsule", ""].map { Array($0.utf8) })
        #expect(command.arguments[Positional.container.id] == [Array("X.capsule".utf8)])
        let located = PartialCommandLine(["locate", "--devices=D", "--kind", "group", ""].map { Array($0.utf8) })
        #expect(
            located.arguments[Flag.devices.id] == [Array("D".utf8)] && located.arguments[Flag.kind.id] == [Array("group".utf8)])
    }
}

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
