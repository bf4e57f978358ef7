import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

/// `capsule diff` of two property lists.
struct PlistDiffCommand {
    let context: CommandContext
    let old: [UInt8]
    let new: [UInt8]
    let paths: [[UInt8]]

    func run() throws(CapsuleError) -> ExitStatus {
        HostProcess.letSignalsEnd()
        let command = context.command
        let flags = [(command[.byValue], "--by-value"), (command[.carryWhole], "--carry-whole"), (command[.oneWay], "--one-way")]
        if let (_, flag) = flags.first(where: { $0.0 }) {
            throw CapsuleError(
                .usage, "'\(flag)' is for containers, but these are property lists",
                hint: "an overlay of property lists contains only values")
        }
        try context.refuseGroups()
        guard paths.isEmpty else { throw DiffCommand.pathsOfFiles }
        let comparer = PlistComparer(arrays: try OverlayArguments(command).arrays())
        let outcome = try compare(comparer)
        for warning in outcome.old.warnings + outcome.new.warnings { context.diagnostics.warning(warning) }
        let overlay = command[.overlayFile].map(HostPath.init)
        if let overlay {
            try outcome.writeOverlay(to: OverlayOutput(overlay, replaces: command[.replacement]), isPlain: command[.plain])
        }
        let judgement = try DiffJudgement(context)
        if judgement.isNeeded || command[.stat] {
            for bound in outcome.diff.bounds.sorted(by: { $0.rawValue < $1.rawValue }) {
                context.diagnostics.warning(bound.message)
            }
            var diff = outcome.containerDiff
            if let path = try? RelativePath(validating: HostPath(new).name) {
                let documents = [outcome.old.document.value, outcome.new.document.value]
                diff.unmatchable = judgement.expectation?.unmatchable(in: diff, ofFileAt: path, holding: documents) ?? []
            }
            return try judgement.judge(diff)
        }
        let isReported = overlay != .standardStream && (!command[.quiet] || command[.json])
        if isReported { try context.page(report(outcome)) }
        for bound in outcome.diff.bounds.sorted(by: { $0.rawValue < $1.rawValue }) {
            context.diagnostics.warning(bound.message)
        }
        return outcome.isDifferent && !command[.exitZero] ? .different : .success
    }

    private func compare(_ comparer: PlistComparer) throws(CapsuleError) -> PlistComparer.Outcome {
        do throws(CapsuleError) {
            return try comparer.compare(HostPath(old), HostPath(new))
        } catch {
            guard error.code == .failure, error.hint == nil, error.place == nil else { throw error }
            throw CapsuleError(
                error.code, error.message, path: error.path,
                hint: "to compare files of other kinds, put each in a directory and compare the directories")
        }
    }

    private func report(_ outcome: PlistComparer.Outcome) -> [UInt8] {
        let command = context.command
        if command[.nameStatus] { return NameStatusText(isRaw: command[.null]).text(of: outcome.diff) }
        return context.reporter.compared(outcome, as: (old, new), isFull: command[.full])
    }
}
