import CapsuleCore
import CapsuleEngine

/// What is done with a diff once it is there: noise is classed, reports are written, and the status is found.
struct DiffJudgement {
    private let context: CommandContext

    init(_ context: CommandContext) throws(CapsuleError) {
        self.context = context
    }

    /// Whether more is asked for than lines.
    var isNeeded: Bool {
        let command = context.command
        return [command[.rules], command[.learn], command[.expect], command[.expectWrite], command[.junit], command[.html]]
            .contains { $0 != nil }
    }

    func judge(_ diff: ContainerDiff) throws(CapsuleError) -> ExitStatus {
        let command = context.command
        if !command[.quiet] || command[.json] { try context.page(report(diff)) }
        return diff.isDifferent && !command[.exitZero] ? .different : .success
    }

    private func report(_ diff: ContainerDiff) -> [UInt8] {
        let command = context.command
        let style = DiffStyle(isFull: command[.full], showsNoise: command[.all])
        if command[.nameStatus] {
            return NameStatusText(isRaw: command[.null]).text(of: diff, showsNoise: command[.all])
        }
        if command[.stat] {
            let text = context.textReporter
            return StatText(reporter: text, showsNoise: command[.all]).text(of: diff) + text.noise(in: diff, style)
        }
        return context.reporter.compared(diff, style)
    }
}
