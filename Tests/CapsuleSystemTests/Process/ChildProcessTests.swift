import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleSystem

/// Programs that run to their end.
@Suite struct ChildProcessTests {
    private static func sh(_ script: String, limit: Int = 1 << 22) throws -> ChildProcess.Outcome {
        try ChildProcess.output(of: HostPath("sh"), ["-c", script].map { Array($0.utf8) }, limit: limit)
    }

    @Test func outputErrorsAndStatusAreToldApart() throws {
        let outcome = try Self.sh("echo out; echo err >&2; exit 3")
        #expect(outcome.status == 3)
        #expect(outcome.output == Array("out\n".utf8))
        #expect(outcome.errors == Array("err\n".utf8))
    }

    /// More output on both streams than a pipe holds, alternately.
    @Test func longOutputOfBothIsTakenIn() throws {
        let outcome = try Self.sh("i=0; while [ $i -lt 3000 ]; do printf %0100d 1; printf %0100d 2 >&2; i=$((i + 1)); done")
        #expect(outcome.status == 0)
        #expect(outcome.output.count == 300_000)
        #expect(outcome.errors.count == 300_000)
        #expect(outcome.errors.last == UInt8(ascii: "2"))
    }

    @Test func inputIsPassedOn() throws {
        let input = [UInt8](repeating: 0x41, count: 512)
        let outcome = try ChildProcess.output(of: HostPath("cat"), [], input: input, limit: 1 << 10, seconds: 60)
        #expect(outcome.output == input && outcome.status == 0)
        // It is not an error if the program does not read it.
        #expect(try ChildProcess.output(of: HostPath("true"), [], input: input, limit: 1).status == 0)
    }

    @Test(arguments: ["exec sleep 60", "exec >&- 2>&-; exec sleep 60", "trap '' TERM; while :; do echo; done > /dev/null"])
    func programsThatRunTooLongAreStopped(script: String) throws {
        let start = ContinuousClock.now
        let error = #expect(throws: CapsuleError.self) {
            try ChildProcess.output(of: HostPath("sh"), ["-c", script].map { Array($0.utf8) }, limit: 1, seconds: 0.1)
        }
        #expect(error?.code == .time)
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func quickProgramsAreNotStopped() throws {
        let arguments = ["-c", "exec >&- 2>&-; exit 7"].map { Array($0.utf8) }
        #expect(try ChildProcess.output(of: HostPath("sh"), arguments, limit: 1, seconds: 60).status == 7)
    }

    @Test func tooMuchOutputIsAnErrorAndEndsTheProgram() throws {
        #expect(throws: CapsuleError.self) { try Self.sh("yes", limit: 1 << 17) }
    }

    @Test func signalsAreAStatus() throws {
        #expect(try Self.sh("kill -9 $$").status == 137)
        // SIGPIPE is not ignored in the child.
        #expect(try Self.sh("yes | head -1; exit 5").status == 5)
    }

    /// 130 is also what a shell has for signal 2.
    @Test func signalsAndStatusesAreToldApart() throws {
        func end(_ script: String) throws -> ChildProcess.End {
            try ChildProcess.run(HostPath("sh"), [Array("-c".utf8), Array(script.utf8)])
        }
        let (exit, signal) = (try end("exit 130"), try end("kill -KILL $$"))
        #expect(exit.status == 130 && exit.signal == nil)
        #expect(signal.status == 137 && signal.signal == 9)
    }

    /// The arguments are known even where there is no /proc.
    @Test func ownArguments() throws {
        let arguments = try #require(ProcessArguments.raw)
        #expect(arguments.map { String(decoding: $0, as: UTF8.self) } == Array(CommandLine.arguments.dropFirst()))
        #if canImport(Glibc) && compiler(>=6.3)
        #expect(ProcessArguments.atStart.count == CommandLine.argc)
        #endif
    }

    @Test func programsThatAreNotThereAreAnError() {
        let error = #expect(throws: CapsuleError.self) {
            try ChildProcess.output(of: HostPath("no-such-program-anywhere"), [], limit: 1)
        }
        #expect(error?.code == .notFound)
    }

    @Test func programsAreFoundInPath() throws {
        let shell = try #require(ProgramPath.find("sh"))
        #expect(shell.bytes.first == UInt8(ascii: "/"))
        #expect(ProgramPath.find("no-such-program-anywhere") == nil)
        #expect(ProgramPath.own?.bytes.first == UInt8(ascii: "/"))
    }
}
