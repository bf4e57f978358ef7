import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine

/// `capsule redact`
struct RedactCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        guard command[.dryRun] else {
            throw CapsuleError(
                .usage, "'redact' needs '--dry-run': it finds secrets, and can't remove them yet",
                hint: "'capsule pack CONTAINER --exclude PATTERN' leaves files out")
        }
        guard !command[.findText].contains("") else { throw CapsuleError(.usage, "the text to search for is empty") }
        let opened = try context.container(command[.container]).openLeniently(jobs: context.jobs())
        let outcome = try SecretScan(opened, texts: command[.findText]).run(in: command[.paths], jobs: context.jobs())
        for failure in outcome.failures { context.diagnostics.error(failure) }
        if context.isReported { try context.page(context.reporter.scanned(outcome, of: command[.container])) }
        guard outcome.failures.isEmpty else { return .failure }
        return outcome.findings.isEmpty ? .success : .different
    }
}
