import CapsuleCore
import CapsuleEngine

/// `capsule compact`
struct CompactCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let file = HostPath(command[.file])
        let output = command[.output].map(HostPath.init)
        if file == .standardStream || output == .standardStream {
            throw CapsuleError(.usage, "compact reads and writes files, not streams")
        }
        let meter = context.meter()
        let compactor = Compactor(
            keeping: command[.keep], jobs: try context.jobs(), lockTimeout: command[.lockTimeout], progress: meter)
        let outcome: Compactor.Outcome
        if let output { outcome = try compactor.compact(file, to: output) } else { outcome = try compactor.compact(file) }
        meter?.clear()
        if context.isReported { try context.write(context.reporter.compacted(outcome, as: command[.file])) }
        return .success
    }
}
