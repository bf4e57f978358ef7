import CapsuleCore
import CapsuleEngine

/// `capsule run`
struct RunCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        // What is wrong with the arguments is told before anything runs.
        _ = try context.container(command[.container]).liveDirectory()
        let judging = ContainerDiffCommand(context: context, old: command[.container], new: command[.container], paths: [])
        var judgement = try DiffJudgement(context)
        _ = try judging.options()
        try context.checkOutputDirectories()
        let overlay = try judging.overlay()
        let meter = context.meter()
        let recording = try CommandRecording(
            keptIn: command[.output].map(HostPath.init), options: try options(), progress: meter)
        try recording.pack(context.container(command[.container]), as: .before)
        meter?.clear()
        try stopIfAsked()
        let ran: CommandRecording.Execution
        do throws(CapsuleError) {
            ran = try CommandRecording.execute(command[.program], sharesOutput: !takesStandardOutput)
        } catch {
            return try unstarted(error)
        }
        try stopIfAsked()
        try recording.pack(context.container(command[.container]), as: .after)
        meter?.clear()
        if ran.status != 0, command[.expectUpdate] != nil {
            context.diagnostics.warning("the expectation is not updated, because the command failed")
            judgement.updates = false
        }
        let verdict: ExitStatus
        do throws(CapsuleError) {
            verdict = try judging.judged(by: judgement) { (comparison) throws(CapsuleError) in
                try recording.compare(comparison, named: command[.container], writing: overlay)
            }
        } catch {
            // Both states are there, whatever else failed.
            try recording.keep()
            throw error
        }
        try recording.keep()
        if command[.json] { try context.write(JSONReporter().ran(command[.program], ran)) }
        return status(ran, verdict)
    }

    /// ^C may come when nothing else asks for it: the command must not start then, and what it left is not judged.
    private func stopIfAsked() throws(CapsuleError) {
        if HostProcess.interruption != nil { throw CapsuleError(.interrupted, "interrupted") }
    }

    /// The command's own failure counts more than a verdict on what it left.
    private func status(_ ran: CommandRecording.Execution, _ verdict: ExitStatus) -> ExitStatus {
        if ran.status != 0 {
            let end = ran.status > 128 ? "was ended by signal \(ran.status - 128)" : "failed with status \(ran.status)"
            context.diagnostics.error("\(name): \(end)")
            return verdict == .failure ? verdict : ExitStatus(code: ran.status)
        }
        let isJudged = context.command[.expect] != nil || context.command[.expectUpdate] != nil
        return verdict == .different && !isJudged ? .success : verdict
    }

    /// As shells do for commands that can't be run.
    private func unstarted(_ error: CapsuleError) throws(CapsuleError) -> ExitStatus {
        if error.code == .interrupted { throw error }
        let isMissing = error.code == .notFound
        let shown =
            isMissing
            ? CapsuleError(.notFound, "\(name): command not found", hint: "to run a shell command line, use 'sh -c'") : error
        let status = ExitStatus(code: isMissing ? 127 : 126)
        context.diagnostics.error(shown)
        if context.command[.json] { JSONError(shown, status).write(to: context.output) }
        return status
    }

    private var name: String { QuotedBytes(context.command[.program].first ?? []).text }

    /// Whether standard output is a report's alone.
    private var takesStandardOutput: Bool {
        let command = context.command
        let files = [command[.html], command[.junit], command[.learn], command[.expectWrite], command[.overlayFile]]
        return command[.json] || command[.nameStatus] || files.contains(HostPath.standardStream.bytes)
    }

    private func options() throws(CapsuleError) -> PackOptions {
        let command = context.command
        var options = PackOptions(captured: try context.captured())
        options.container.groups = try context.groups()
        options.container.statCache = !command[.noCache]
        options.replaces = command[.replacement]
        options.jobs = try context.jobs()
        if command[.output] == nil {
            // It is read once and deleted.
            options.codec = .zstd
            options.level = 1
        } else if command[.output] == HostPath.standardStream.bytes {
            throw CapsuleError(.usage, "the capsule needs a file, and '-' is standard output", hint: "name a file")
        }
        return options
    }
}
