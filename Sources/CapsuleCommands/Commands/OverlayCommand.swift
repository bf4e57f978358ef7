import CapsuleArguments
import CapsuleCore
import CapsuleEngine

struct OverlayCommand {
    let context: CommandContext

    func check() throws(CapsuleError) -> ExitStatus {
        let overlay = try OverlayInspection(source())
        let carried = try overlay.check()
        let repetition = try repetition()
        if context.isReported {
            try context.write(context.reporter.checked(overlay, carried, repetition, as: context.command[.file]))
        }
        return repetition?.isIdempotent == false ? .different : .success
    }

    private func repetition() throws(CapsuleError) -> PlistApplier.Repetition? {
        guard let target = context.command[.onTarget] else { return nil }
        let applier = PlistApplier(context: try OverlayArguments(context).context(), to: .dryRun)
        return try applier.repeat(try source(), on: HostPath(target))
    }

    func show() throws(CapsuleError) -> ExitStatus {
        let overlay = try OverlayInspection(source())
        try context.write(context.reporter.shown(overlay, as: context.command[.file], isFull: context.command[.full]))
        return .success
    }

    func compose() throws(CapsuleError) -> ExitStatus {
        var composer = OverlayComposer()
        for path in context.command[.overlays] { try composer.add(try source(path)) }
        try composer.write(to: output, captured: try context.captured(), jobs: try context.jobs())
        return .success
    }

    func invert() throws(CapsuleError) -> ExitStatus {
        try OverlayInverter(try source()).write(to: output, captured: try context.captured(), jobs: try context.jobs())
        return .success
    }

    func identities() throws(CapsuleError) -> ExitStatus {
        try context.write(context.reporter.identities(ArrayIdentities.builtInTable))
        return .success
    }

    private func source() throws(CapsuleError) -> OverlaySource {
        try source(context.command[.file], isDeep: context.command[.deep])
    }

    private func source(_ argument: [UInt8], isDeep: Bool = false) throws(CapsuleError) -> OverlaySource {
        let diagnostics = context.diagnostics
        return try OverlaySource(argument, isDeep: isDeep) { diagnostics.warning($0) }
    }

    private var output: OutputFile {
        context.file(context.command[.output] ?? HostPath.standardStream.bytes)
    }
}
