import Foundation
import TestSupport
import Testing

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
            (["--color", "always", "l"], ["locate", "ls", "log"]),
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
