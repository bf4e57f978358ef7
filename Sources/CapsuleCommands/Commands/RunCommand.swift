import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsuleRules

struct RunCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        // Errors in the arguments are reported before anything runs.
        _ = try context.container(command[.container]).liveDirectory()
        let judging = ContainerDiffCommand(context: context, old: command[.container], new: command[.container], paths: [])
        var judgement = try DiffOutput(context)
        _ = try judging.options()
        try context.checkOutputDirectories()
        let overlay = try judging.overlay()
        try restore()
        let meter = context.meter()
        var recording = try CommandRecording(keptIn: command[.output].map(HostPath.init), options: try options(), progress: meter)
        try recording.pack(context.container(command[.container]), as: .before)
        meter?.clear()
        // The command must not start if ^C came since the last check.
        if HostProcess.interruption != nil { throw CapsuleError(.interrupted, "interrupted") }
        let ran: CommandRecording.Execution
        do throws(CapsuleError) {
            ran = try CommandRecording.execute(command[.program], sharesOutput: !takesStandardOutput)
        } catch {
            return try context.unstarted(command[.program], error)
        }
        do throws(CapsuleError) {
            if HostProcess.interruption != nil { throw CapsuleError(.interrupted, "interrupted") }
            try recording.pack(context.container(command[.container]), as: .after)
        } catch {
            meter?.clear()
            keep(recording, note: "has only the version 'before'")
            return try failed(ran, error)
        }
        meter?.clear()
        judgement.command = CommandResult(command[.program], ran)
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
            // Both states exist, whatever else failed.
            keep(recording, note: nil)
            return try failed(ran, error)
        }
        do throws(CapsuleError) { try recording.keep() } catch { return try failed(ran, error) }
        if command[.json] { try context.write(JSONReporter().ran(command[.program], ran)) }
        return status(ran, verdict)
    }

    /// Makes the container equal to that of `--from`.
    private func restore() throws(CapsuleError) {
        let command = context.command
        guard let from = command[.from] else { return }
        var change = LiveChange.Options(moment: try context.captured())
        let target = context.container(command[.container])
        change.groups = try context.groups()
        change.foundGroups = try target.foundGroups(besides: change.groups)
        change.stopsApp = command[.simctl]
        change.usesCache = context.usesCache
        change.jobs = try context.jobs()
        change.keepUndo(of: command[.container], context)
        var restoring = RestoreOptions()
        if let classes = command[.drop] { restoring.dropped = try DroppedNoise.list(classes) }
        let meter = context.meter()
        let outcome = try LiveChange(change, progress: meter)
            .restore(context.container(from), to: target.liveDirectory(), restoring)
        meter?.clear()
        for directory in outcome.recovered { context.diagnostics.warning(directory.sentence) }
        for note in outcome.notes { context.diagnostics.warning(note) }
    }

    private func keep(_ recording: CommandRecording, note: String?) {
        guard let file = context.command[.output] else { return }
        do throws(CapsuleError) {
            try recording.keep()
            if let note { context.diagnostics.noteAlways("\(QuotedBytes(file).text): \(note)") }
        } catch {
            context.diagnostics.error(error)
        }
    }

    /// Handles an error of Capsule itself after the command has ended. The command's own failure is reported too, and its status has
    /// precedence.
    private func failed(_ ran: CommandRecording.Execution, _ error: CapsuleError) throws(CapsuleError) -> ExitStatus {
        if error.code == .interrupted {
            let container = QuotedBytes(context.command[.container]).text
            throw CapsuleError(
                .interrupted, error.message, hint: "'\(name)' had started: what it changed in \(container) stays changed")
        }
        guard ran.status != 0 else { throw error }
        context.diagnostics.error(error)
        reportFailure(of: ran)
        let status = ExitStatus(code: ran.status)
        if context.command[.json] { JSONError(error, status).write(to: context.process) }
        return status
    }

    private func reportFailure(of ran: CommandRecording.Execution) {
        guard let failure = CommandResult(context.command[.program], ran).failure else { return }
        context.diagnostics.error("\(name): \(failure)")
    }

    /// The command's own failure has precedence over a verdict on its changes.
    private func status(_ ran: CommandRecording.Execution, _ verdict: ExitStatus) -> ExitStatus {
        if ran.status != 0 {
            reportFailure(of: ran)
            return verdict == .failure ? verdict : ExitStatus(code: ran.status)
        }
        let isJudged = context.command[.expect] != nil || context.command[.expectUpdate] != nil
        return verdict == .different && !isJudged ? .success : verdict
    }

    private var name: String { QuotedBytes(context.command[.program].first ?? []).text }

    private var takesStandardOutput: Bool {
        let command = context.command
        let files = [
            command[.html], command[.junit], command[.markdown], command[.learn], command[.expectWrite], command[.overlayFile],
        ]
        return command[.json] || NameStatusText(command) != nil || files.contains(HostPath.standardStream.bytes)
    }

    private func options() throws(CapsuleError) -> PackOptions {
        let command = context.command
        var options = PackOptions(captured: try context.captured())
        options.container.groups = try context.groups()
        options.container.statCache = context.usesCache
        options.replaces = command[.force]
        options.jobs = try context.jobs()
        if command[.output] == nil {
            // This capsule is read once and then deleted.
            options.codec = .zstd
            options.level = 1
        } else if command[.output] == HostPath.standardStream.bytes {
            throw CapsuleError(.usage, "the capsule needs a file, and '-' is standard output", hint: "name a file")
        }
        return options
    }
}

extension CommandContext {
    /// Reports that a program can't be run.
    /// - Returns: the status that shells use for that.
    func unstarted(_ program: [[UInt8]], _ error: CapsuleError) throws(CapsuleError) -> ExitStatus {
        if error.code == .interrupted { throw error }
        let isMissing = error.code == .notFound
        let name = QuotedBytes(program.first ?? []).text
        let shown =
            isMissing
            ? CapsuleError(.notFound, "\(name): command not found", hint: "to run a shell command line, use 'sh -c'") : error
        let status = ExitStatus(code: isMissing ? 127 : 126)
        diagnostics.error(shown)
        if command[.json] { JSONError(shown, status).write(to: process) }
        return status
    }
}
