import CapsuleCore
import CapsuleEngine

/// `capsule repair`
struct RepairCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let file = context.command[.file]
        if HostPath(file) == .standardStream {
            throw CapsuleError(.usage, "repair works on a file, not on standard input")
        }
        let meter = context.meter()
        let outcome = try Repairer(
            lockTimeout: context.command[.lockTimeout], jobs: try context.jobs(), progress: meter
        ).repair(HostPath(file))
        meter?.clear()
        if context.isReported { try context.write(context.reporter.repaired(outcome, as: file)) }
        if outcome.remaining.isWhole { return .success }
        let name = QuotedBytes(file).text
        context.diagnostics.error(
            "\(name): still damaged: \(VerifyCommand.total(of: outcome.remaining)); 'repair' only removes data after the last complete version",
            hint: "'capsule verify \(name)' lists the damage and suggests what to do")
        return .failure
    }
}
