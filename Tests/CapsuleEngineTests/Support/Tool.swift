import Foundation
import TestSupport
import Testing

/// A program that serves as oracle.
struct Tool: Sendable {
    /// What a run came to.
    struct Run: Sendable {
        let status: Int32
        let output: String
    }

    let path: String

    /// nil where it is not installed.
    init?(_ name: String) {
        let directories = ToolPath.current.split(separator: ":")
        guard let found = directories.map({ "\($0)/\(name)" }).first(where: FileManager.default.isExecutableFile) else {
            return nil
        }
        path = found
    }

    /// Ends the test, which is then listed as skipped, if one of these is not installed.
    static func need(_ names: String...) throws { try need(names) }

    static func need(_ names: [String]) throws {
        let missing = names.filter { Tool($0) == nil }
        guard !missing.isEmpty else { return }
        let reason = "not installed: \(missing.joined(separator: ", "))"
        // Of a test with arguments nothing else would say so.
        print("untested: \(Test.current?.name ?? "?"): \(reason)")
        #if compiler(>=6.3)
        try Test.cancel("\(reason)")
        #else
        // No test can end as skipped there, and none passes untested.
        throw SupportError(reason)
        #endif
    }

    /// Runs it, and takes its output and errors together.
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

    /// Runs a shell line.
    static func shell(_ line: String, in directory: String? = nil) throws -> Run {
        guard let shell = Tool("sh") else { return Run(status: 127, output: "no shell") }
        return try shell(["-c", line], in: directory)
    }
}
