import CapsuleCore
import CapsuleEngine

/// `capsule recover`
struct RecoverCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let target = context.command[.target]
        let outcome = try Recoverer().recover(context.container(target).liveDirectory())
        if context.isReported { try context.write(context.reporter.recovered(outcome, as: target)) }
        return .success
    }
}
