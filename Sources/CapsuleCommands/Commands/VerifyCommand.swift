import CapsuleCore
import CapsuleEngine

/// `capsule verify`
struct VerifyCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let meter = context.meter()
        let verifier = Verifier(isStrict: command[.strict], jobs: try context.jobs(), progress: meter)
        let outcome = try verifier.verify(HostPath(command[.file]))
        meter?.clear()
        for warning in outcome.warnings { context.diagnostics.warning("\(QuotedBytes(command[.file]).text): \(warning)") }
        if !command[.quiet] || command[.json] || !outcome.isWhole {
            try context.write(context.reporter.verified(outcome, as: command[.file]))
        }
        return outcome.isWhole ? .success : .failure
    }
}
