import CapsuleCore
import CapsuleEngine

/// `capsule diff` of two containers.
struct ContainerDiffCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        if let overlay = command[.overlayFile] {
            throw CapsuleError(
                .usage, "this release writes overlays of property lists alone", path: HostPath(overlay),
                hint: "'capsule diff A.plist B.plist --overlay FILE' does")
        }
        let judgement = try DiffJudgement(context)
        var options = try options()
        options.rules = judgement.rules
        if command[.nameStatus], !judgement.isNeeded { options.depth = .entries }
        let meter = context.meter()
        let diff = try Comparison(options, progress: meter).run(
            context.container(command[.old]), context.container(command[.new]))
        meter?.clear()
        for note in diff.notes { context.diagnostics.note(note) }
        return try judgement.judge(diff)
    }

    private func options() throws(CapsuleError) -> ComparisonOptions {
        let command = context.command
        var options = ComparisonOptions()
        options.times = command[.times]
        options.context = command[.context] ?? options.context
        options.isFull = command[.full]
        options.rows = command[.full] ? nil : command[.rows] ?? options.rows
        options.lines = command[.full] ? nil : command[.lines] ?? options.lines
        options.showsSecrets = command[.showSecrets]
        options.keepsPictures = command[.html] != nil
        options.needsTreeDigests = command[.json]
        options.arrays = try OverlayArguments(command).arrays()
        options.groups = try context.groups()
        options.usesCache = !command[.noCache]
        options.jobs = try context.jobs()
        return options
    }
}
