import CapsuleCore
import CapsuleEngine

/// `capsule repair`
struct RepairCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let file = context.command[.file]
        if HostPath(file) == .standardStream {
            throw CapsuleError(.usage, "repair mends a file, not standard input")
        }
        let outcome = try Repairer(lockTimeout: context.command[.lockTimeout]).repair(HostPath(file))
        if context.isReported { try context.write(context.reporter.repaired(outcome, as: file)) }
        return .success
    }
}
