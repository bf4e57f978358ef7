import CapsuleCore
import CapsuleEngine

/// `capsule recover`
struct RecoverCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let target = context.command[.target]
        if HostPath(target) == .standardStream {
            throw CapsuleError(.usage, "recover mends a directory, not standard input")
        }
        let outcome = try Recoverer().recover(HostPath(target))
        if context.isReported { try context.write(context.reporter.recovered(outcome, as: target)) }
        return .success
    }
}
