import CapsuleEngine
import Foundation
import TestSupport
import Testing

@testable import CapsuleCommands

/// A directory of its own, and a shell in it whose `capsule` runs in this process.
final class Session: Sendable {
    private let directory: TemporaryDirectory
    private let variables: [String: String]

    /// - Parameters:
    ///   - files: the files of the directory, with their texts. A name that ends in `/` is a directory.
    ///   - variables: the environment variables of `capsule`, which sees no others.
    init(_ files: KeyValuePairs<String, String> = [:], variables: [String: String] = [:]) throws {
        directory = try TemporaryDirectory()
        self.variables = variables
        for (name, text) in files { try write(text, to: name) }
    }

    /// The path of a file.
    subscript(name: String) -> String { directory[name] }

    /// Writes a file, and makes the directories above it.
    func write(_ text: String, to name: String) throws {
        let path = directory[name]
        let parent = name.hasSuffix("/") ? path : (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        if !name.hasSuffix("/") { try Files.write(text, to: path) }
    }

    func text(_ name: String) throws -> String { String(decoding: try Files.read(directory[name]), as: UTF8.self) }

    func exists(_ name: String) -> Bool { Files.exists(directory[name]) }

    /// The result of a command line.
    struct Outcome: Sendable {
        let status: Int32
        let output: [UInt8]
        let errors: String

        var text: String { String(decoding: output, as: UTF8.self) }

        /// The objects of an output in JSON lines.
        var jsonLines: [[String: Any]] {
            output.split(separator: UInt8(ascii: "\n")).map {
                (try? JSONSerialization.jsonObject(with: Data($0)) as? [String: Any]) ?? [
                    "not JSON": String(decoding: $0, as: UTF8.self)
                ]
            }
        }
    }

    /// Runs `capsule` with some arguments, in a directory below this one.
    func run(_ arguments: [[UInt8]], variables: [String: String] = [:], in place: String = ".") throws -> Outcome {
        let variables = self.variables.merging(variables) { $1 }
        return try WorkingDirectory.with(directory[place]) {
            let process = HostProcess(variables: variables)
            let status = CapsuleProgram.run(arguments, on: process)
            let errors = String(decoding: process.errors.bytes, as: UTF8.self)
            return Outcome(status: status, output: process.output.bytes, errors: errors)
        }
    }

    /// Runs a command line. One that begins with `capsule`, after `cd DIR &&` or variables, runs in this process, any other in a shell.
    func run(_ line: String) throws -> Outcome {
        let words = shellWords(line)
        if words.first == "cd", words.count > 3, words[3] == "capsule" {
            return try run(words.dropFirst(4).map { Array($0.utf8) }, in: words[1])
        }
        if words.first(where: { !$0.contains("=") }) == "capsule" { return try run(words) }
        let program = try Program.run(
            "sh", ["-c", line], in: directory.path,
            environment: [
                "TOOLS": PackageFiles.tools, "SAMPLES": PackageFiles.samples, "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8",
            ])
        return Outcome(status: program.status, output: program.output, errors: program.errors)
    }

    private func run(_ words: [String]) throws -> Outcome {
        let settings = words.prefix { $0.contains("=") }.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return try run(
            words.dropFirst(settings.count + 1).map { Array($0.utf8) },
            variables: Dictionary(uniqueKeysWithValues: settings.map { ($0[0], $0.count > 1 ? $0[1] : "") }))
    }

    /// Runs a command line with files that no other test sees.
    func run(_ line: String, with files: [String: String]) throws -> Outcome {
        let own = try TemporaryDirectory()
        for (name, text) in files { try Files.write(text, to: own[name]) }
        let outcome = try run(shellWords(line).map { files[$0] == nil ? $0 : own[$0] })
        let names = own.path + "/"
        return Outcome(
            status: outcome.status, output: Array(outcome.text.replacing(names, with: "").utf8),
            errors: outcome.errors.replacing(names, with: ""))
    }

    /// Compares with an expectation of some clauses that allows all else.
    func judge(_ clauses: String, _ line: String) throws -> Outcome {
        try run(
            "capsule diff \(line) --expect expect.json",
            with: ["expect.json": #"{"CapsuleExpectation": 1, "Other": "allow", \#(clauses)}"#])
    }

    /// Compares with rules that make everything noise but for what other rules say.
    func classify(_ rules: String, _ line: String) throws -> Outcome {
        try run("capsule diff \(line) --rules rules.json", with: ["rules.json": #"{"CapsuleRules": 1, "Rules": [\#(rules)]}"#])
    }

    /// Returns true if two property lists have the same value, in whatever encoding.
    func isAlike(_ old: String, _ new: String) throws -> Bool {
        let outcome = try run("capsule diff \(old) \(new)")
        return outcome.status == 0 || outcome.text.contains("\n    ~ encoding only: ")
    }

    /// Runs a script in Python, which may import from Tests/Tools.
    func python(_ script: String, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let outcome = try Program.run(
            "python3", ["-c", script] + arguments, in: directory.path, environment: ["PYTHONPATH": PackageFiles.tools])
        #expect(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
    }

    /// Runs the command lines of a transcript, which follow `$ `, and expects what follows each: all of its output, then what it writes
    /// to standard error, after `> `. A status other than 0 is in brackets before the command line.
    func expect(_ transcript: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var found: [String] = []
        for match in transcript.matches(of: /(?m)^(?:\[[0-9]+\] )?\$ (.*)$/) {
            let outcome = try run(String(match.1))
            found.append("\(outcome.status == 0 ? "" : "[\(outcome.status)] ")$ \(match.1)")
            found += Self.lines(outcome.text) + Self.lines(outcome.errors).map { "> \($0)" }
        }
        #expect(found.joined(separator: "\n") == transcript, sourceLocation: sourceLocation)
    }

    /// Runs the rows of a table, `STATUS | ARGUMENTS | LINE...` or `STATUS | $ COMMAND LINE | LINE...`, and expects the lines of output
    /// and those of standard error, without the marks of errors and hints.
    func expect(rows table: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var found: [String] = []
        for row in table.split(separator: "\n") {
            let line = row.split(separator: " | ", maxSplits: 2)[1]
            let outcome = try run(
                line.hasPrefix("cd ") ? String(line) : line.hasPrefix("$ ") ? String(line.dropFirst(2)) : "capsule \(line)")
            let errors = Self.lines(outcome.errors).map { $0.replacing(#/^capsule: (?:error|hint): /#, with: "") }
            found.append((["\(outcome.status)", String(line)] + Self.lines(outcome.text) + errors).joined(separator: " | "))
        }
        #expect(found.joined(separator: "\n") == table, sourceLocation: sourceLocation)
    }

    /// The lines of an output. A last one without a line break gets a mark.
    private static func lines(_ text: String) -> [String] {
        if text.isEmpty { return [] }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return lines.last == "" ? lines.dropLast() : lines.dropLast() + [lines[lines.count - 1] + "[no line break]"]
    }
}
