import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsulePropertyList
import CapsuleRules

struct PackCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let meter = context.meter()
        let container = context.container(command[.container])
        var options = try options()
        if command[.redact] { try context.addRedaction(of: container, to: &options) }
        let packer = Packer(options: options, progress: meter)
        let outcome: Packer.Outcome
        if command[.output].map(HostPath.init) == .standardStream {
            guard !context.output.isTerminal else {
                throw CapsuleError("refusing to write binary data to a terminal", hint: "redirect it to a file or a pipe")
            }
            outcome = try packer.pack(container, to: context.output)
            meter?.clear()
        } else {
            let file = command[.output].map(HostPath.init)
            if command[.append], let address = command[.output], Packer.isAddress(address) {
                outcome = try packer.append(container, toAddress: address, appendOptions)
            } else {
                outcome =
                    try command[.append] ? packer.append(container, to: file, appendOptions) : packer.pack(container, to: file)
            }
            meter?.clear()
            if command[.append], outcome.manifest.version == 1 {
                context.diagnostics.note(
                    "\(QuotedBytes(command[.output] ?? outcome.path.bytes).text) did not exist: made a new capsule")
            }
            if !command[.quiet] || command[.json] { try context.write(context.reporter.packed(outcome)) }
        }
        report(of: outcome)
        return .success
    }

    private var appendOptions: Packer.AppendOptions {
        var options = Packer.AppendOptions()
        options.allowsDifferentApp = context.command[.differentApp]
        options.lockTimeout = context.command[.lockTimeout]
        options.movesLabel = context.command[.moveLabel]
        return options
    }

    /// Returns true if the capsule exists already: its content says whether it is encrypted.
    private func appendsToFile() throws(CapsuleError) -> Bool {
        guard context.command[.append], let output = context.command[.output] else { return false }
        return try FileProbe.exists(HostPath(output))
    }

    private func options() throws(CapsuleError) -> PackOptions {
        let command = context.command
        var options = PackOptions(captured: try context.captured())
        options.codec = command[.codec].map { $0 == .zstd ? .zstd : .gzip }
        options.level = command[.level]
        options.label = command[.label].flatMap { VersionLabel($0) }
        options.note = command[.note].map { PlistString($0) }
        for pattern in command[.exclude] { options.container.excluded.append(try Glob(argument: pattern)) }
        if let classes = command[.drop] { options.container.dropped = try DroppedNoise.list(classes) }
        options.unmatchedPatterns = command[.strictPatterns] ? .areErrors : .areWarnings
        options.checkpointsLogs = command[.checkpointWAL]
        options.container.groups = try context.groups()
        options.container.needsKeychain = command[.keychain]
        options.container.skipsUnreadable = command[.skipUnreadable]
        options.container.statCache = context.usesCache
        for overlay in command[.packedOverlays] {
            let entry = try OverlayEntry(place: overlay.name, file: HostPath(overlay.value))
            for warning in entry.file.file.warnings { context.diagnostics.warning(warning) }
            options.overlays.append(entry)
        }
        options.recipients = try context.recipients(takesAnyName: appendsToFile())
        options.isStrict = command[.strict]
        options.allowsChanging = command[.allowChanging]
        options.replaces = command[.force]
        options.lockTimeout = command[.lockTimeout]
        options.endsProcess = context.process.isOwn
        options.jobs = try context.jobs()
        return options
    }

    func report(of outcome: Packer.Outcome) {
        let diagnostics = context.diagnostics
        for warning in outcome.warnings {
            diagnostics.warning(text(of: warning), hint: hint(for: warning, outcome))
        }
        let omitted = outcome.manifest.omitted
        let isVerbose = context.command[.verbose]
        if isVerbose {
            for evidence in outcome.evidence {
                diagnostics.note("detected as \(outcome.manifest.source.kind.rawValue): \(evidence)")
            }
            for omission in omitted { diagnostics.note("\(QuotedBytes(omission.shownPath).text): \(omission.reason)") }
        }
        if !isVerbose { reportNotes(outcome) }
    }

    /// Returns a warning's text, which names the option that it is about.
    private func text(of warning: Packer.Warning) -> String {
        guard case .unmatched(let glob) = warning else { return warning.text }
        return "'--exclude \(QuotedBytes(glob.pattern).text)' matches nothing"
    }

    private func hint(for warning: Packer.Warning, _ outcome: Packer.Outcome) -> String? {
        switch warning {
        case .damaged: "'capsule verify \(outcome.path.shellWord)' lists what is damaged"
        case .leftOutLog: "'--checkpoint-wal' packs the content of the logs in the databases"
        case .unmatched: Glob.argumentHint
        case .uncheckpointed: "the database and its log are packed unchanged"
        case .losses:
            outcome.path == .standardStream
                ? "the manifest has the list" : "'capsule info \(outcome.path.shellWord)' shows the list"
        case .tornBytes, .untested, .keychain: nil
        }
    }

    private func report(of redaction: Redactor.Outcome) {
        let findings = redaction.scan.findings
        let files = Quantity.counted(UInt64(Set(findings.map(\.path)).count), "entry", "entries")
        context.diagnostics.note(
            findings.isEmpty
                ? "nothing was found to replace"
                : "replaced: \(Quantity.counted(UInt64(redaction.values), "value", "values")) in \(files)")
        guard !redaction.scan.opaque.isEmpty else { return }
        context.diagnostics.note(
            "kept, but not searched for unknown secrets: "
                + Quantity.counted(UInt64(redaction.scan.opaque.count), "picture or file", "pictures and files")
                + " of no known format")
    }

    private func reportNotes(_ outcome: Packer.Outcome) {
        let diagnostics = context.diagnostics
        if let note = outcome.wrapperNote { diagnostics.note(note) }
        if let redaction = outcome.redaction { report(of: redaction) }
        if outcome.excluded > 0 {
            diagnostics.note("excluded: \(Quantity.counted(UInt64(outcome.excluded), "path", "paths")) (a directory counts once)")
        }
        let classes = outcome.dropped.filter { $0.paths > 0 }.map(\.noise.rawValue)
        if !classes.isEmpty { diagnostics.note("dropped: \(classes.joined(separator: ", "))") }
        if outcome.checkpointed > 0 {
            diagnostics.note(
                "checkpointed: the logs of \(Quantity.counted(UInt64(outcome.checkpointed), "database", "databases"))")
        }
    }
}
