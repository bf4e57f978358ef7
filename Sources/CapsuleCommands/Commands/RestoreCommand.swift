import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsuleRules

/// `capsule restore` and `capsule drop`
struct RestoreCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let source = context.container(command[.container])
        let target: HostPath
        do throws(CapsuleError) {
            target = try context.container(command[.target]).liveDirectory()
        } catch {
            guard error.code == .usage, (try? source.isLive) == true else { throw error }
            let (live, capsule) = (HostPath(command[.container]).shellWord, HostPath(command[.target]).shellWord)
            throw error.hinting("swap the two: 'capsule restore \(capsule) \(live) --dry-run' shows what that would change")
        }
        if let name = ContainedName(command[.container]) {
            let (container, target) = (HostPath(name.container).shellWord, target.shellWord)
            throw CapsuleError(
                .usage, "is a path in a container, not a container", path: HostPath(command[.container]),
                hint: "'capsule restore \(container) \(target) --only \(name.path.shellWord)' restores only this path")
        }
        let meter = context.meter()
        let outcome = try Restorer(try options(), progress: meter).restore(source, to: target)
        meter?.clear()
        return try ApplyReport(context).report(outcome)
    }

    func drop() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let target = try context.targetOfDrop()
        var options = Restorer.Options(moment: try context.captured())
        try setSharedOptions(in: &options)
        options.dropped = try DroppedNoise.list(command[.noise].joined(separator: ","))
        let meter = context.meter()
        let outcome = try Restorer(options, progress: meter).drop(from: target)
        meter?.clear()
        return try ApplyReport(context).report(outcome)
    }

    private func options() throws(CapsuleError) -> Restorer.Options {
        let command = context.command
        var options = Restorer.Options(moment: try context.captured())
        for pattern in command[.keptPaths] { options.kept.append(try Glob(argument: pattern)) }
        for pattern in command[.onlyPaths] { options.selected.append(try Glob(argument: pattern)) }
        if command[.allowUnmatched] { options.unmatchedPatterns = .areWarnings }
        if let classes = command[.drop] { options.dropped = try DroppedNoise.list(classes) }
        options.groups = try context.groups()
        if command[.applyOverlays] {
            options.overlays = OverlayApplication(
                context: try OverlayArguments(context).context(), bundle: command[.app].map(HostPath.init),
                moment: HostProcess.now)
        }
        options.allowsOtherApp = command[.differentApp]
        options.rebasesPaths = command[.rebasePaths]
        try setSharedOptions(in: &options)
        return options
    }

    private func setSharedOptions(in options: inout Restorer.Options) throws(CapsuleError) {
        options.allowsAnyDirectory = context.command[.anyDirectory]
        options.mode = ApplyReport(context).mode
        options.undo = ApplyReport(context).undo
        options.stopsApp = context.command[.simctl]
        options.comparison = try ApplyReport(context).comparison()
        options.usesCache = context.usesCache
        options.jobs = try context.jobs()
    }
}

/// The options that `apply` and `restore` share, and the report on their result.
struct ApplyReport {
    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    var mode: ApplyMode {
        if context.command[.check] { return .check }
        return context.command[.dryRun] ? .dryRun : .write
    }

    /// It never replaces an existing file, which may undo an earlier change.
    var undo: OutputFile? { context.command[.undo].map { context.file($0, replacing: false) } }

    func comparison() throws(CapsuleError) -> DiffOptions {
        var options = DiffOptions()
        options.arrays = try OverlayArguments(context).arrays()
        options.jobs = try context.jobs()
        return options
    }

    func report(_ outcome: ApplyOutcome) throws(CapsuleError) -> ExitStatus {
        let command = context.command
        for directory in outcome.recovered {
            context.diagnostics.warning(directory.sentence)
        }
        for note in outcome.notes { context.diagnostics.warning(note) }
        if let advice = outcome.advice, !command[ifTaken: .simctl], !command[.check], !command[.dryRun] {
            context.report(advice)
        }
        if command[.undo] != nil, !outcome.isUndoWritten { context.diagnostics.note("nothing to undo: no undo file was written") }
        let isStream = command[.undo] == HostPath.standardStream.bytes
        if context.isReported, !isStream {
            let style = DiffStyle(isFull: false, showsNoise: true)
            var outcome = outcome
            outcome.changes = outcome.changes?.hidingSecrets()
            let report = context.reporter.applied(outcome, to: command[.target], style)
            try context.page(report)
        }
        if let changes = outcome.changes, context.reportUnread(in: changes) { return .failure }
        return command[.check] && outcome.isDifferent ? .different : .success
    }
}

extension CommandContext {
    func report(_ advice: SimulatorAdvice) {
        guard advice.isBooted, !command[.quiet] else { return }
        var remedy = ", unless it was quit before"
        #if os(macOS)
        if command.definition.flag(Flag.simctl.id) != nil { remedy = ": use '--simctl'" }
        #endif
        diagnostics.hint("the app may overwrite this\(remedy)")
    }
}
