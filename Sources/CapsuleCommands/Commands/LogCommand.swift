import CapsuleCore
import CapsuleEngine

/// `capsule log`
struct LogCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let file = context.command[.file]
        if HostPath(file) == .standardStream {
            throw CapsuleError(.usage, "log reads a file, not standard input")
        }
        let log = try VersionLog(HostPath(file))
        for warning in log.warnings { context.diagnostics.warning(warning) }
        try context.write(context.reporter.logged(log, as: file))
        if log.isWhole { return .success }
        for failure in log.failures { context.diagnostics.error(failure) }
        let damaged = log.versions.filter { $0.problem != nil }.map(\.number)
        if !damaged.isEmpty {
            let numbers = VersionNumbers(damaged)
            context.diagnostics.error(
                "\(QuotedBytes(file).text): \(numbers) can't be read", hint: "'capsule verify' shows what is intact")
        }
        return .failure
    }
}
