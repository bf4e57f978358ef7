import CapsuleCore
import CapsuleEngine

/// `capsule overlay`
struct OverlayCommand {
    let context: CommandContext

    func check() throws(CapsuleError) -> ExitStatus {
        let file = try overlay()
        if context.isReported {
            try context.write(context.reporter.checked(file.overlay, as: context.command[.overlay]))
        }
        return .success
    }

    func show() throws(CapsuleError) -> ExitStatus {
        let file = try overlay()
        try context.write(context.reporter.shown(file.overlay, as: context.command[.overlay], isFull: context.command[.full]))
        return .success
    }

    func compose() throws(CapsuleError) -> ExitStatus {
        var composed: Overlay?
        for path in context.command[.overlays] {
            let next = try OverlayFile(HostPath(path))
            do throws(OverlayError) {
                let before = composed ?? Overlay(conditions: next.overlay.conditions, targets: [])
                composed = try before.composed(with: next.overlay)
            } catch {
                throw next.error(error)
            }
        }
        return try write(composed ?? Overlay(targets: []))
    }

    func invert() throws(CapsuleError) -> ExitStatus {
        let file = try overlay()
        let inverse: Overlay
        do throws(OverlayError) {
            inverse = try file.overlay.inverted()
        } catch {
            throw file.error(error)
        }
        return try write(inverse)
    }

    func identities() throws(CapsuleError) -> ExitStatus {
        try context.write(context.reporter.identities(ArrayIdentities.builtInTable))
        return .success
    }

    private func overlay() throws(CapsuleError) -> OverlayFile {
        try OverlayFile(HostPath(context.command[.overlay]), isDeep: context.command[.deep])
    }

    private func write(_ overlay: Overlay) throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let path = HostPath(command[.output] ?? HostPath.standardStream.bytes)
        try OverlayOutput(path, replaces: command[.force]).write(overlay)
        return .success
    }
}
