import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

/// `capsule apply`
struct ApplyCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        var overlays: [OverlayFile] = []
        for path in command[.overlays] { overlays.append(try OverlayFile(HostPath(path), isDeep: command[.deep])) }
        let applier = PlistApplier(context: try OverlayArguments(command).context(), mode: mode)
        let outcome = try applier.apply(overlays, to: HostPath(command[.target]))
        for (overlay, note) in outcome.notes {
            let place = note.target.map { $0.isRoot ? "" : " (at \($0))" } ?? ""
            context.diagnostics.warning("\(QuotedBytes(overlay.bytes).text): \(note.message)\(place)", hint: note.hint)
        }
        for (overlay, reason) in outcome.skipped {
            context.diagnostics.note("\(QuotedBytes(overlay.bytes).text): passed over: \(reason)")
        }
        let isReported = command[.json] || (!command[.quiet] && !writesToStandardOutput)
        if isReported { try context.write(context.reporter.applied(outcome, to: command[.target])) }
        return command[.check] && outcome.isChanged ? .different : .success
    }

    private var mode: PlistApplier.Mode {
        let command = context.command
        if command[.check] { return .dryRun }
        guard let output = command[.output] else { return .inPlace }
        return .output(HostPath(output), replaces: command[.force])
    }

    private var writesToStandardOutput: Bool {
        context.command[.output].map { HostPath($0) == .standardStream } ?? false
    }
}
