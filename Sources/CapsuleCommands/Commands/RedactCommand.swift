import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine

/// `capsule redact`
struct RedactCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        try context.command[.dryRun] ? scan() : redact()
    }

    private func scan() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let container = context.container(command[.container])
        let opened: OpenedContainer
        if try container.isLive || command[.drop] != nil {
            var options = ContainerOptions(skipsUnreadable: true, jobs: try context.jobs())
            options.dropped = try SecretScan.Rules.dropped(command[.drop] ?? "none")
            opened = try container.open(options)
        } else {
            opened = try container.openLeniently(jobs: context.jobs())
        }
        let meter = context.meter()
        let outcome = try SecretScan(opened, context.redactionRules()).run(
            in: command[.paths], jobs: context.jobs(), progress: meter)
        meter?.clear()
        for failure in outcome.failures { context.diagnostics.error(failure) }
        if context.isReported { try context.page(context.reporter.scanned(outcome, of: command[.container], written: nil)) }
        guard outcome.failures.isEmpty else { return .failure }
        return outcome.findings.isEmpty ? .success : .different
    }

    private func redact() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        guard let output = command[.output].map(HostPath.init) else {
            throw CapsuleError(
                .usage, "'redact' needs '-o FILE' for the capsule without secrets",
                hint: "'--dry-run' lists what would be replaced, and writes nothing")
        }
        guard output != .standardStream else {
            throw CapsuleError(.usage, "the result of 'redact' is a file, not standard output")
        }
        guard command[.paths].isEmpty else {
            throw CapsuleError(
                .usage, "'redact -o' takes a whole container, and no paths",
                hint: "'--exclude PATTERN' leaves files out, and '--keep PATH' keeps them as they are")
        }
        var options = PackOptions(captured: try context.captured())
        for pattern in command[.exclude] { options.container.excluded.append(try Glob(argument: pattern)) }
        options.recipients = try context.recipients()
        options.isStrict = command[.strict]
        options.replaces = command[.force]
        options.endsProcess = context.process.isOwn
        options.jobs = try context.jobs()
        let container = context.container(command[.container])
        try context.addRedaction(of: container, to: &options)
        let meter = context.meter()
        let outcome = try Packer(options: options, progress: meter).pack(container, to: output)
        meter?.clear()
        if let redaction = outcome.redaction, command[.json] {
            try context.write(context.reporter.scanned(redaction.scan, of: command[.container], written: outcome))
        } else if !command[.quiet] {
            try context.write(context.reporter.packed(outcome))
        }
        PackCommand(context: context).report(of: outcome)
        return .success
    }
}

extension CommandContext {
    func redactionRules() throws(CapsuleError) -> SecretScan.Rules {
        try SecretScan.Rules(
            texts: command[.findText], file: command[.findFile].map(HostPath.init), keys: command[.secretKeys],
            kept: command[.keptPlaces])
    }

    /// Lets a pack remove the secrets of a container, and leave out what is seldom worth to be sent.
    func addRedaction(of container: Container, to options: inout PackOptions) throws(CapsuleError) {
        let rules = try redactionRules()
        try rules.refuseShortTexts()
        try SecretScan.Rules.refuseVersions(of: container)
        options.redaction = rules
        options.container.dropped = try SecretScan.Rules.dropped(command[.drop] ?? SecretScan.Rules.dropped)
    }
}
