import CapsuleUITesting
import Foundation
import TestSupport
import Testing

/// The client and `capsule serve`, as processes.
@Suite struct CapsuleServerTests {
    /// A project whose app is a directory, and a server that ends with its standard input.
    private final class RunningServer {
        let scratch: Scratch
        let portFile: URL
        private let process = Process()
        private let input = Pipe()

        init() throws {
            scratch = try Scratch()
            try scratch.write("one", to: "Data/Documents/note.txt")
            try scratch.write(#"{"CapsuleExpectation":1,"MustNot":[{"Path":"*.txt"}]}"#, to: "run.json")
            let program = try #require(BuiltProgram.path("capsule"))
            for arguments in [["init", "-q", "Data"], ["pack", "-q", "--label", "clean"]] {
                let run = try Program.run(program, arguments, in: scratch.path)
                #expect(run.status == 0, "\(run.errors)")
            }
            portFile = URL(fileURLWithPath: scratch("port.json"))
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = ["serve", "-q", "--json", "--root", scratch.path, "--port-file", portFile.path, "--", "cat"]
            process.environment = ProcessInfo.processInfo.environment.merging(["XDG_CACHE_HOME": scratch("cache")]) { $1 }
            process.standardInput = input
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            // Its first line says that it listens.
            #expect(!output.fileHandleForReading.availableData.isEmpty)
        }

        /// Ends the server, and returns its status.
        func end() throws -> Int32 {
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
            return process.terminationStatus
        }

        deinit {
            if process.isRunning { process.terminate() }
        }
    }

    @Test func restoresPacksAndCompares() throws {
        let server = try RunningServer()
        let client = try CapsuleServer.fromEnvironment(["TEST_RUNNER_CAPSULE_PORT_FILE": server.portFile.path])
        let note = server.scratch("Data/Documents/note.txt")
        try Files.write("two", to: note)
        try client.pack(label: "changed")
        #expect(try client.changes().count == 2)
        try client.restore("clean")
        #expect(try Files.read(note) == Array("one".utf8))
        // It is compared with what was restored, not with the newest version.
        try client.expect("run.json")
        #expect(throws: CapsuleServer.UnexpectedChanges.self) { try client.expect("run.json", since: "changed") }
        try client.pack(label: "changed", moving: true)
        #expect(try server.end() == 0)
        #expect(!Files.exists(server.portFile.path))
        #expect(throws: CapsuleServer.Failure.self) { try client.restore("clean") }
    }

    @Test func unexpectedChangesAreFindingsAndAPage() throws {
        let server = try RunningServer()
        let client = try CapsuleServer(portFile: server.portFile)
        try client.restore("clean")
        try server.scratch.write("new", to: "Data/Documents/new.txt")
        let error = #expect(throws: CapsuleServer.UnexpectedChanges.self) { try client.expect("run.json") }
        #expect(error?.findings.count == 1 && error?.findings.first?.contains("new.txt") == true)
        #expect(error.map { String(decoding: $0.page, as: UTF8.self).contains("Documents/new.txt") } == true)
        #expect(error?.localizedDescription.contains("new.txt") == true)
        #expect(try server.end() == 0)
    }

    @Test func failuresSayWhatTheCommandLineSays() throws {
        let server = try RunningServer()
        let client = try CapsuleServer(portFile: server.portFile)
        let missing = #expect(throws: CapsuleServer.Failure.self) { try client.restore("cleen") }
        #expect(missing?.status == 2 && missing?.description.contains("clean") == true)
        for version in ["../x", "a/b", "a:b", "", "@1"] {
            let malformed = #expect(throws: CapsuleServer.Failure.self) { try client.restore(version) }
            #expect(malformed?.status == 64)
        }
        for file in ["../run.json", "/etc/hosts", "", "a/../../b"] {
            let outside = #expect(throws: CapsuleServer.Failure.self) { try client.expect(file) }
            #expect(outside?.status == 64)
        }
        #expect(throws: CapsuleServer.Failure.self) { try client.expect() }
        let other = try CapsuleServer(portFile: server.portFile, device: "not a UDID")
        #expect(throws: CapsuleServer.Failure.self) { try other.restore("clean") }
        #expect(try server.end() == 0)
    }

    @Test func withoutAServerItSaysSo() throws {
        let directory = try TemporaryDirectory()
        let unset = #expect(throws: CapsuleServer.Failure.self) { try CapsuleServer.fromEnvironment([:]) }
        #expect(unset?.hint?.contains("capsule serve") == true)
        for (text, name) in [("", "empty"), ("{}", "object"), (#"{"port":70000,"token":"x"}"#, "port")] {
            try Files.write(text, to: directory[name])
            #expect(throws: CapsuleServer.Failure.self) {
                try CapsuleServer.fromEnvironment(["CAPSULE_PORT_FILE": directory[name]])
            }
        }
        #expect(throws: CapsuleServer.Failure.self) { try CapsuleServer(portFile: URL(fileURLWithPath: directory["none"])) }
    }
}
