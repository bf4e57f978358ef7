import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine

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
