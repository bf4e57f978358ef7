import CapsuleCore
import CapsuleEngine

/// `capsule recover`
struct RecoverCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let target = context.command[.target]
        let outcome = try Recoverer(deletesLeftovers: context.command[.clean]).recover(
            context.container(target).recoverablePath())
        if outcome.leftovers.contains(where: { $0.state == .abandoned }) {
            context.diagnostics.note("killed commands left files behind; '--clean' deletes them")
        }
        if context.isReported { try context.write(context.reporter.recovered(outcome, as: target)) }
        return .success
    }
}
