import CapsuleCore
import CapsuleEngine

/// `capsule apply` to a live container.
struct ContainerApplyCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let target = try context.container(command[.target]).liveDirectory()
        if let output = command[.output] {
            throw CapsuleError(
                .usage, "can't write the result to another place: a container is always changed in place", path: HostPath(output),
                hint: "'--dry-run' shows what would change")
        }
        let overlays = try context.overlaySources()
        let meter = context.meter()
        let outcome = try ContainerApplier(try options(), progress: meter).apply(overlays, to: target)
        meter?.clear()
        return try ApplyReport(context).tell(outcome)
    }

    private func options() throws(CapsuleError) -> ContainerApplier.Options {
        let command = context.command
        var options = ContainerApplier.Options(context: try OverlayArguments(command).context(), moment: try context.captured())
        options.mode = ApplyReport(context).mode
        options.undo = ApplyReport(context).undo
        options.forces = command[.force]
        options.merges = command[.threeWay]
        options.bundle = command[.app].map(HostPath.init)
        options.allowsOtherApp = command[.differentApp]
        options.groups = try context.groups()
        options.comparison = try ApplyReport(context).comparison()
        options.usesCache = !command[.noCache]
        options.jobs = try context.jobs()
        return options
    }
}
