import Foundation
import TestSupport
import Testing

/// A program that other results are compared with.
struct Tool: Sendable {
    /// The result of a run.
    struct Run: Sendable {
        let status: Int32
        let output: String
    }

    let path: String

    /// Finds a program. The result is nil if it is not installed.
    init?(_ name: String) {
        let directories = ToolPath.current.split(separator: ":")
        guard let found = directories.map({ "\($0)/\(name)" }).first(where: FileManager.default.isExecutableFile) else {
            return nil
        }
        path = found
    }

    /// Ends the test as skipped if one of these programs is not installed.
    static func need(_ names: String...) throws { try need(names) }

    static func need(_ names: [String]) throws {
        let missing = names.filter { Tool($0) == nil }
        guard !missing.isEmpty else { return }
        let reason = "not installed: \(missing.joined(separator: ", "))"
        // A test with arguments would otherwise not show the reason.
        print("untested: \(Test.current?.name ?? "?"): \(reason)")
        #if compiler(>=6.3)
        try Test.cancel("\(reason)")
        #else
        // Older compilers can't end a test as skipped, and a test must not pass without testing anything.
        throw SupportError(reason)
        #endif
    }

    /// Runs the program, and returns its output and errors together.
    @discardableResult
    func callAsFunction(_ arguments: [String], in directory: String? = nil) throws -> Run {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        process.environment = ["PATH": ToolPath.current, "LC_ALL": "C.UTF-8", "TZ": "UTC"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Run(status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
    }

    /// Runs a line of shell script.
    static func shell(_ line: String, in directory: String? = nil) throws -> Run {
        guard let shell = Tool("sh") else { return Run(status: 127, output: "no shell") }
        return try shell(["-c", line], in: directory)
    }
}
