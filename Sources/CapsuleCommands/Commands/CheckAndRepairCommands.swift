import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine

struct VerifyCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let meter = context.meter()
        let verifier = Verifier(isStrict: command[.strict], jobs: try context.jobs(), progress: meter)
        guard let outcome = try verify(verifier) else { return .failure }
        meter?.clear()
        let file = RemoteName.shown(command[.file])
        let name = QuotedBytes(file).text
        for warning in outcome.warnings { context.diagnostics.warning("\(name): \(warning)", hint: outcome.hint) }
        if !command[.quiet] || command[.json] || !outcome.isWhole {
            try context.write(context.reporter.verified(outcome, as: file))
        }
        if outcome.isWhole { return .success }
        context.diagnostics.error("\(name): damaged: \(Self.total(of: outcome))", hint: outcome.hint)
        return .failure
    }

    /// Returns the number of damaged files, and of findings that don't belong to a file: `16 files of versions 1 and 2, and 1 other
    /// finding`.
    static func total(of outcome: Verifier.Outcome) -> String {
        let files = Set(outcome.findings.compactMap(\.path)).count
        let others = outcome.findings.count { $0.path == nil }
        if files == 0 { return Quantity.counted(UInt64(others), "finding", "findings") }
        let versions = VersionNumbers(outcome.findings.compactMap(\.version))
        let more = others == 0 ? "" : ", and \(Quantity.counted(UInt64(others), "other finding", "other findings"))"
        return "\(Quantity.counted(UInt64(files), "file", "files")) of \(versions)\(more)"
    }

    /// With `--json`, a file that can't be verified also gets a report.
    /// - Returns: nil after the report of such a file; the error was printed.
    private func verify(_ verifier: Verifier) throws(CapsuleError) -> Verifier.Outcome? {
        let file = context.command[.file]
        do throws(CapsuleError) {
            if HostPath(file) == .standardStream {
                throw CapsuleError(.usage, "verify reads a file, not standard input")
            }
            return try verifier.verify(HostPath(file))
        } catch {
            guard context.command[.json], error.code.isFailure else { throw error }
            try context.write(context.reporter.verified(Verifier.Outcome(failing: error), as: RemoteName.shown(file)))
            context.diagnostics.error(error)
            return nil
        }
    }
}

struct RecoverCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let target = context.command[.target]
        let outcome = try Recoverer(deletesLeftovers: context.command[.clean]).recover(
            context.container(target).recoverablePath())
        if outcome.leftovers.contains(where: { $0.state == .abandoned }) {
            context.diagnostics.note("killed commands left files behind; '--clean' deletes them")
        }
        // An incomplete tail is a warning, and a damaged one is an error; both have a hint that names `repair`.
        if !FileProbe.isDirectory(HostPath(target)), InputKind.isContainer(target) {
            do throws(CapsuleError) { _ = try context.container(target).resolve() } catch { context.diagnostics.warning(error) }
        }
        if context.isReported { try context.write(context.reporter.recovered(outcome, as: target)) }
        return .success
    }
}

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
            hint: "'capsule verify \(HostPath(file).shellWord)' lists the damage and suggests what to do")
        return .failure
    }
}

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
            keeping: command[.keep], dropping: command[.droppedVersions].flatMap { $0 }, jobs: try context.jobs(),
            lockTimeout: command[.lockTimeout], progress: meter)
        let outcome: Compactor.Outcome
        if let output { outcome = try compactor.compact(file, to: output) } else { outcome = try compactor.compact(file) }
        meter?.clear()
        if let warning = outcome.warning { context.diagnostics.warning(warning) }
        if context.isReported { try context.write(context.reporter.compacted(outcome, as: RemoteName.shown(command[.file]))) }
        return .success
    }
}
