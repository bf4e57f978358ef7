import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

/// `capsule apply`
struct ApplyCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        try context.refuseLiveUndoFile()
        if ComparedKind(of: command[.target]) == .container { return try ContainerApplyCommand(context: context).run() }
        HostProcess.letSignalsEnd()
        if command[.threeWay] {
            throw CapsuleError(
                .usage, "'--three-way' is for containers, but the target is a property list",
                hint: "'capsule merge BASE OURS THEIRS -o FILE' merges three property lists")
        }
        if let app = command[.app] {
            throw CapsuleError(
                .usage, "'--app' is for containers, but the target is a property list", path: HostPath(app),
                hint: "name the app's property list as the target")
        }
        try context.refuseGroups()
        let overlays = try context.overlaySources()
        let applier = PlistApplier(context: try OverlayArguments(command).context(), to: destination, undo: undo)
        let outcome = try applier.apply(overlays, to: HostPath(command[.target]))
        for warning in outcome.warnings { context.diagnostics.warning(warning) }
        for (overlay, note) in outcome.notes {
            context.diagnostics.warning("\(QuotedBytes(overlay.bytes).text): \(note.text)", hint: note.hint)
        }
        for (overlay, reason) in outcome.skipped {
            context.diagnostics.noteAlways("\(QuotedBytes(overlay.bytes).text): skipped: \(reason)")
        }
        if outcome.isWritten, let advice = outcome.advice { context.tell(advice, about: command[.target]) }
        if undo != nil, !outcome.isUndoWritten { context.diagnostics.note("nothing to undo: no undo file was written") }
        let isStream = [command[.output], command[.undo]].contains(HostPath.standardStream.bytes)
        if context.isReported, !isStream {
            try context.write(
                context.reporter.applied(
                    outcome, to: command[.target], output: command[.output], showing: try changes(outcome)))
        }
        return command[.check] && outcome.isChanged ? .different : .success
    }

    /// What would change, if that was asked for.
    private func changes(_ outcome: PlistApplier.Outcome) throws(CapsuleError) -> PlistDiff? {
        guard context.command[.dryRun] else { return nil }
        let rules = try OverlayArguments(context.command).arrays()
        do throws(OverlayError) {
            return try PlistDiff(outcome.before, outcome.after, identities: ArrayIdentities(rules))
        } catch {
            throw CapsuleError(error.message, hint: error.hint)
        }
    }

    private var undo: OverlayOutput? {
        context.command[.undo].map { OverlayOutput(HostPath($0), replaces: context.command[.replacement]) }
    }

    private var destination: PlistFile.Destination {
        let command = context.command
        if command[.check] || command[.dryRun] { return .nowhere }
        guard let output = command[.output] else { return .inPlace }
        return .output(HostPath(output), replaces: command[.replacement])
    }
}
