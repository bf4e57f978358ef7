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
        let source = context.container(command[.container], keychain: .asStored)
        let container = context.container(command[.target])
        let target: HostPath
        do throws(CapsuleError) {
            target = try container.liveDirectory()
        } catch {
            guard error.code == .usage, (try? source.isLive) == true else { throw error }
            let (live, capsule) = (HostPath(command[.container]).shellWord, HostPath(command[.target]).shellWord)
            throw error.hinting("swap the two: 'capsule restore \(capsule) \(live) --dry-run' shows what that would change")
        }
        if let name = ContainedName(command[.container]) {
            let (source, target) = (HostPath(name.container).shellWord, target.shellWord)
            throw CapsuleError(
                .usage, "is a path in a container, not a container", path: HostPath(command[.container]),
                hint: "'capsule restore \(source) \(target) --only \(name.path.shellWord)' restores only this path")
        }
        let restoring = try options()
        let meter = context.meter()
        let changing = try ApplyReport(context).options(for: container)
        let outcome = try LiveChange(changing, progress: meter).restore(source, to: target, restoring)
        meter?.clear()
        return try ApplyReport(context).report(outcome)
    }

    func drop() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let container = context.container(command[.target])
        let target = try context.directoryOfDrop(container)
        let options = try ApplyReport(context).options(for: container)
        let noise = command[.noise] == ["all"] ? nil : try DroppedNoise.list(command[.noise].joined(separator: ","))
        let meter = context.meter()
        let outcome = try LiveChange(options, progress: meter).drop(noise, from: target)
        meter?.clear()
        return try ApplyReport(context).report(outcome)
    }

    private func options() throws(CapsuleError) -> RestoreOptions {
        let command = context.command
        var options = RestoreOptions()
        for pattern in command[.keptPaths] { options.kept.append(try Glob(argument: pattern)) }
        for pattern in command[.onlyPaths] { options.selected.append(try Glob(argument: pattern)) }
        if command[.allowUnmatched] { options.unmatchedPatterns = .areWarnings }
        if let classes = command[.drop] { options.dropped = try DroppedNoise.list(classes) }
        options.overlays = try OverlayArguments(context).application()
        options.rebasesPaths = command[.rebasePaths]
        return options
    }
}

/// The options that `apply` and `restore` share, and the report on their result.
struct ApplyReport {
    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func options(for target: Container) throws(CapsuleError) -> LiveChange.Options {
        let command = context.command
        var options = LiveChange.Options(moment: try context.captured())
        options.mode = command[.check] ? .check : command[.dryRun] ? .dryRun : .write
        // It never replaces an existing file, which may undo an earlier change.
        options.undo = command[.undo].map { context.file($0, replacing: false) }
        options.keepUndo(of: command[.target], context)
        options.groups = try context.groups()
        options.foundGroups = try target.foundGroups(besides: options.groups)
        options.allowsOtherApp = command[ifTaken: .differentApp]
        options.allowsAnyDirectory = command[ifTaken: .anyDirectory]
        options.stopsApp = command[ifTaken: .simctl]
        options.comparison.arrays = try OverlayArguments(context).arrays()
        options.comparison.jobs = try context.jobs()
        options.usesCache = context.usesCache
        options.jobs = options.comparison.jobs
        return options
    }

    func report(_ outcome: ApplyOutcome) throws(CapsuleError) -> ExitStatus {
        let command = context.command
        for directory in outcome.recovered {
            context.diagnostics.warning(directory.sentence)
        }
        for note in outcome.notes { context.diagnostics.warning(note) }
        if outcome.lacksKeychain, !command[.quiet] {
            context.diagnostics.note(
                "logins are in the device's keychain, which the version does not have: see 'pack --keychain'")
        }
        if let advice = outcome.advice, !command[ifTaken: .keychain], !command[ifTaken: .simctl], !command[.check],
            !command[.dryRun]
        {
            context.report(advice)
        }
        if command[.undo] != nil, !outcome.isUndoWritten { context.diagnostics.note("nothing to undo: no undo file was written") }
        if command[.undo] == nil, outcome.isUndoWritten { context.diagnostics.note("'capsule undo' undoes this") }
        if command.id == .undo, outcome.isWritten, let kept = context.project?.keptUndo(on: context.process),
            command[.overlays].first == kept.document.bytes
        {
            kept.discard()
        }
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

extension LiveChange.Options {
    /// Keeps what the change replaces for `capsule undo`, if the target is the app's container of the project and no undo file is named.
    mutating func keepUndo(of target: [UInt8], _ context: CommandContext) {
        let command = context.command
        guard let project = context.project, target == project.app, command.id != .undo, undo == nil, !command[ifTaken: .noUndo]
        else { return }
        kept = project.keptUndo(on: context.process)
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
