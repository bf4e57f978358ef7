import CapsuleCore
import CapsuleEngine

/// `capsule locate`
struct LocateCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        HostProcess.letSignalsEnd()
        let command = context.command
        let devices = try directory()
        let locator = try SimulatorLocator(devices: devices)
        let choice = command[.device].map { SimulatorChoice($0) }
        let kind = command[.kind].flatMap { LocatedContainer.Kind(rawValue: $0.rawValue) }
        let outcome: SimulatorLocator.Outcome
        if let identifier = command[.identifier] {
            outcome = try locator.locate(identifier, kind ?? .data, on: choice)
        } else {
            outcome = try locator.list(kind, on: choice)
        }
        for warning in outcome.warnings { context.diagnostics.warning(warning) }
        if outcome.containers.isEmpty, !command[.json] {
            context.diagnostics.note("nothing found in \(QuotedBytes(devices.bytes).text)")
        }
        try context.write(
            context.reporter.located(outcome.containers, in: devices, isOfOne: command[.identifier] != nil))
        return .success
    }

    private func directory() throws(CapsuleError) -> HostPath {
        if let devices = context.command[.devices] { return HostPath(devices) }
        let set: SimulatorSet =
            switch context.command[.set] {
            case .default: .standard
            case .previews: .previews
            case .xctest: .xctest
            }
        return try set.directory()
    }
}
