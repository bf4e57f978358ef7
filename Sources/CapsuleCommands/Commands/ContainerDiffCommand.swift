import CapsuleCore
import CapsuleEngine

/// `capsule diff` of two containers.
struct ContainerDiffCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        if command[.plain] {
            throw CapsuleError(
                .usage, "'--plain' is of two property lists, and these are containers",
                hint: "'--by-value' leaves the bytes of property lists out")
        }
        let overlay = try overlay()
        let judgement = try DiffJudgement(context)
        var options = try options()
        options.rules = judgement.rules
        options.expectation = judgement.expectation
        options.learns = command[.learn] != nil
        options.describes = command[.expectWrite] != nil
        if command[.nameStatus], !judgement.isNeeded { options.depth = .entries }
        let meter = context.meter()
        let diff = try Comparison(options, progress: meter).run(
            context.container(command[.old]), context.container(command[.new]), writing: overlay)
        meter?.clear()
        for note in diff.notes { context.diagnostics.note(note) }
        return try judgement.judge(diff)
    }

    /// What takes the overlay that is to be written, if one is.
    private func overlay() throws(CapsuleError) -> OverlayWriting? {
        let command = context.command
        guard let file = command[.overlayFile] else { return nil }
        var overlay = OverlayWriting(
            OverlayOutput(HostPath(file), replaces: command[.replacement]), captured: try context.captured())
        overlay.isByValue = command[.byValue]
        overlay.isOneWay = command[.oneWay]
        overlay.carriesWhole = command[.carryWhole]
        return overlay
    }

    private func options() throws(CapsuleError) -> ComparisonOptions {
        let command = context.command
        var options = ComparisonOptions()
        options.times = command[.times]
        options.context = command[.context] ?? options.context
        options.isFull = command[.full]
        options.rows = command[.full] ? nil : command[.rows] ?? options.rows
        if command[.full] { options.databaseTime = nil }
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
