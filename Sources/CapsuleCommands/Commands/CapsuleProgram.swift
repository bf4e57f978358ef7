import CapsuleCore
import CapsuleEngine

/// The program: parses the command line, runs the command, and returns the exit status.
public enum CapsuleProgram {
    /// Runs the program, and ends the process with its exit status.
    public static func runAndExit() -> Never { HostProcess.exit(with: run()) }

    /// Runs the program.
    ///
    /// - Returns: the exit status.
    private static func run() -> Int32 {
        if let answer = Completer.answer(to: rawArguments) {
            // The shell may have closed the pipe, or the disk may be full: nothing is lost.
            try? StandardOutput().write(answer)
            return ExitStatus.success.code
        }
        HostProcess.prepare()
        let diagnostics = Diagnostics()
        let output = StandardOutput()
        let arguments = rawArguments
        let invocation: Invocation
        do throws(UsageError) {
            invocation = try CommandLineParser().parse(arguments)
        } catch {
            diagnostics.error(error.message, hint: error.hint)
            if CommandLineParser().wantsJSON(arguments) { JSONError(error).write(to: output) }
            return ExitStatus.usage.code
        }
        do throws(CapsuleError) {
            return try run(invocation, output, arguments).code
        } catch {
            let status = report(error, diagnostics)
            if status != .success, CommandLineParser().wantsJSON(arguments) { JSONError(error, status).write(to: output) }
            return status.code
        }
    }

    private static func run(
        _ invocation: Invocation, _ output: StandardOutput, _ arguments: [[UInt8]]
    ) throws(CapsuleError) -> ExitStatus {
        switch invocation {
        case .version:
            try output.write(Array("capsule \(CapsuleVersion.text)\n".utf8))
        case .help(let request):
            let isStyled = Styling.isOn(request.color, isTerminal: output.isTerminal)
            let text = Array(request.text(width: HostProcess.outputWidth ?? 80, isStyled: isStyled).utf8)
            if request.isLong { try output.page(text) } else { try output.write(text) }
        case .nothing:
            HostProcess.writeError(HelpPage(.program, .short).text())
            if CommandLineParser().wantsJSON(arguments) { JSONError.noVerb.write(to: output) }
            return .usage
        case .run(let command):
            return try CommandContext(command, output: output).run()
        }
        return .success
    }

    private static func report(_ error: CapsuleError, _ diagnostics: Diagnostics) -> ExitStatus {
        // The reader of a listing or of a file's content has read enough. Errors of reports are handled elsewhere.
        if error.code == .brokenPipe { return .success }
        if error.code == .interrupted {
            diagnostics.note("interrupted; \(error.hint ?? "nothing was left behind")")
            return .interrupted(by: HostProcess.interruption ?? 2)
        }
        diagnostics.error(error)
        return error.code == .usage ? .usage : .failure
    }

    /// The arguments as raw bytes: names need not be UTF-8, and the standard library would repair them.
    private static var rawArguments: [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            guard let argument = CommandLine.unsafeArgv[index] else { return nil }
            var length = 0
            while argument[length] != 0 { length += 1 }
            return [UInt8](UnsafeRawBufferPointer(start: argument, count: length))
        }
    }
}
