import CapsuleCore
import CapsuleEngine

/// `capsule verify`
struct VerifyCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let meter = context.meter()
        let verifier = Verifier(isStrict: command[.strict], jobs: try context.jobs(), progress: meter)
        guard let outcome = try verify(verifier) else { return .failure }
        meter?.clear()
        let name = QuotedBytes(command[.file]).text
        for warning in outcome.warnings { context.diagnostics.warning("\(name): \(warning)", hint: outcome.hint) }
        if !command[.quiet] || command[.json] || !outcome.isWhole {
            try context.write(context.reporter.verified(outcome, as: command[.file]))
        }
        if outcome.isWhole { return .success }
        context.diagnostics.error("\(name): damaged: \(Self.total(of: outcome))", hint: outcome.hint)
        return .failure
    }

    /// The number of damaged files, and of findings that are about no file: `16 files of versions 1 and 2, and 1 other finding`.
    static func total(of outcome: Verifier.Outcome) -> String {
        let files = Set(outcome.findings.compactMap(\.path)).count
        let others = outcome.findings.count { $0.path == nil }
        if files == 0 { return Quantity.counted(UInt64(others), "finding", "findings") }
        let versions = VersionNumbers(outcome.findings.compactMap(\.version))
        let more = others == 0 ? "" : ", and \(Quantity.counted(UInt64(others), "other finding", "other findings"))"
        return "\(Quantity.counted(UInt64(files), "file", "files")) of \(versions)\(more)"
    }

    /// Machines get a report also of a file in which there is nothing to verify.
    ///
    /// - Returns: nil where the report was of such a file: it has the error.
    private func verify(_ verifier: Verifier) throws(CapsuleError) -> Verifier.Outcome? {
        let file = context.command[.file]
        do throws(CapsuleError) {
            if HostPath(file) == .standardStream {
                throw CapsuleError(.usage, "verify reads a file, not standard input")
            }
            return try verifier.verify(HostPath(file))
        } catch {
            guard context.command[.json], error.code == .failure else { throw error }
            try context.write(context.reporter.verified(Verifier.Outcome(failing: error), as: file))
            context.diagnostics.error(error)
            return nil
        }
    }
}
