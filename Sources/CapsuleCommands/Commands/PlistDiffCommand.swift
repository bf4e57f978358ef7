import CapsuleCore
import CapsuleEngine

/// `capsule diff` of two property lists.
struct PlistDiffCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        HostProcess.letSignalsEnd()
        let command = context.command
        let comparer = PlistComparer(arrays: try OverlayArguments(command).arrays())
        let outcome = try comparer.compare(HostPath(command[.old]), HostPath(command[.new]))
        let overlay = command[.overlayFile].map(HostPath.init)
        if let overlay {
            try outcome.writeOverlay(to: OverlayOutput(overlay, replaces: true), isPlain: command[.plain])
        }
        let judgement = try DiffJudgement(context)
        if judgement.isNeeded || command[.stat] {
            for bound in outcome.diff.bounds.sorted(by: { $0.rawValue < $1.rawValue }) {
                context.diagnostics.warning(bound.message)
            }
            return try judgement.judge(outcome.containerDiff)
        }
        let isReported = overlay != .standardStream && (!command[.quiet] || command[.json])
        if isReported { try context.page(report(outcome)) }
        for bound in outcome.diff.bounds.sorted(by: { $0.rawValue < $1.rawValue }) {
            context.diagnostics.warning(bound.message)
        }
        return outcome.isDifferent && !command[.exitZero] ? .different : .success
    }

    private func report(_ outcome: PlistComparer.Outcome) -> [UInt8] {
        let command = context.command
        if command[.nameStatus] { return NameStatusText(isRaw: command[.null]).text(of: outcome.diff) }
        return context.reporter.compared(outcome, as: (command[.old], command[.new]), isFull: command[.full])
    }
}
