import CapsuleCore
import CapsuleEngine

/// `capsule restore` and `capsule drop`
struct RestoreCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let target = try context.container(command[.target]).liveDirectory()
        let meter = context.meter()
        let outcome = try Restorer(try options(), progress: meter).restore(context.container(command[.container]), to: target)
        meter?.clear()
        return try ApplyReport(context).tell(outcome)
    }

    /// Deletes classes of noise, and restores nothing.
    func drop() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let target = try context.targetOfDrop()
        var options = try options()
        options.dropped = try DroppedNoise.list(command[.noise].joined(separator: ","))
        let meter = context.meter()
        let outcome = try Restorer(options, progress: meter).drop(from: target)
        meter?.clear()
        return try ApplyReport(context).tell(outcome)
    }

    private func options() throws(CapsuleError) -> Restorer.Options {
        let command = context.command
        var options = Restorer.Options(moment: try context.captured())
        options.mode = ApplyReport(context).mode
        options.undo = ApplyReport(context).undo
        for pattern in command[.keptPaths] { options.kept.append(try PathPattern.glob(pattern)) }
        if command[.allowUnmatched] { options.unmatchedPatterns = .areWarnings }
        if let classes = command[.drop] { options.dropped = try DroppedNoise.list(classes) }
        options.groups = try context.groups()
        if command[.applyOverlays] {
            options.overlays = OverlayApplication(
                context: try OverlayArguments(command).context(), bundle: command[.app].map(HostPath.init),
                moment: HostProcess.now)
        }
        options.allowsOtherApp = command[.differentApp]
        options.stopsApp = command[.simctl]
        options.rebasesPaths = command[.rebasePaths]
        options.comparison = try ApplyReport(context).comparison()
        options.usesCache = !command[.noCache]
        options.jobs = try context.jobs()
        return options
    }
}
