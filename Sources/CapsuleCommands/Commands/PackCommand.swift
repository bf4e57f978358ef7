import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

/// `capsule pack`
struct PackCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let meter = context.meter()
        let packer = Packer(options: try options(), progress: meter)
        let container = context.container(command[.container])
        let outcome: Packer.Outcome
        if command[.output].map(HostPath.init) == .standardStream {
            guard !context.output.isTerminal else {
                throw CapsuleError("refusing to write binary data to a terminal", hint: "redirect it to a file or a pipe")
            }
            outcome = try packer.pack(container, to: context.output)
            meter?.clear()
        } else {
            let file = command[.output].map(HostPath.init)
            outcome = try command[.append] ? packer.append(container, to: file, appendOptions) : packer.pack(container, to: file)
            meter?.clear()
            if command[.append], outcome.manifest.version == 1 {
                context.diagnostics.note("\(QuotedBytes(outcome.path.bytes).text) did not exist: made a new capsule")
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
        return options
    }

    private func options() throws(CapsuleError) -> PackOptions {
        let command = context.command
        var options = PackOptions(captured: try context.captured())
        options.codec = command[.codec].map { $0 == .zstd ? .zstd : .gzip }
        options.level = command[.level]
        options.label = command[.label].flatMap { VersionLabel($0) }
        options.note = command[.note].map { PlistString($0) }
        for pattern in command[.exclude] { options.container.excluded.append(try PathPattern.glob(pattern)) }
        if let classes = command[.drop] { options.container.dropped = try DroppedNoise.list(classes) }
        options.unmatchedPatterns = command[.strictPatterns] ? .areErrors : .areWarnings
        options.checkpointsLogs = command[.checkpointWAL]
        options.container.groups = try context.groups()
        options.container.skipsUnreadable = command[.skipUnreadable]
        options.container.statCache = !command[.noCache]
        for overlay in command[.packedOverlays] {
            let entry = try OverlayEntry(place: overlay.name, file: HostPath(overlay.value))
            for warning in entry.file.file.warnings { context.diagnostics.warning(warning) }
            options.overlays.append(entry)
        }
        options.isStrict = command[.strict]
        options.allowsChanging = command[.allowChanging]
        options.replaces = command[.force]
        options.lockTimeout = command[.lockTimeout]
        options.endsProcess = true
        options.jobs = try context.jobs()
        return options
    }

    private func report(of outcome: Packer.Outcome) {
        let diagnostics = context.diagnostics
        if outcome.tornBytes > 0 {
            diagnostics.warning(
                "\(QuotedBytes(outcome.path.bytes).text): removed \(Quantity.counted(outcome.tornBytes, "byte", "bytes")) at the end, left by an append that did not finish"
            )
        }
        if outcome.damagedFiles > 0 {
            diagnostics.warning(
                "\(QuotedBytes(outcome.path.bytes).text): the previous version has damaged data in \(Quantity.counted(UInt64(outcome.damagedFiles), "file", "files")); version \(outcome.manifest.version) stores \(outcome.storedAgain) of them again",
                hint: "'capsule verify \(outcome.path)' lists what is damaged")
        }
        for log in outcome.leftOutLogs {
            diagnostics.warning(
                "\(QuotedBytes(log.bytes).text): is excluded, so its database is packed without it",
                hint: "'--checkpoint-wal' packs the content of the logs in the databases")
        }
        for glob in outcome.unmatchedPatterns {
            diagnostics.warning(
                "'--exclude \(QuotedBytes(glob.pattern).text)' matches nothing",
                hint: "a pattern must match the whole path: '**/NAME' matches in every directory")
        }
        for database in outcome.uncheckpointed {
            diagnostics.warning(
                "\(QuotedBytes(database.path.bytes).text): can't be checkpointed: \(database.reason)",
                hint: "the database and its log are packed unchanged")
        }
        for path in outcome.uncheckedOverlays {
            diagnostics.warning("\(path) is not in the container, so the overlay for it was not tested")
        }
        let omitted = outcome.manifest.omitted
        let isVerbose = context.command[.verbose]
        if isVerbose {
            for evidence in outcome.evidence {
                diagnostics.note("detected as \(outcome.manifest.source.kind.rawValue): \(evidence)")
            }
            for omission in omitted { diagnostics.note("\(QuotedBytes(omission.shownPath).text): \(omission.reason)") }
        }
        if !isVerbose { reportExclusions(outcome) }
        guard outcome.losses > 0 else { return }
        diagnostics.warning(
            "\(Quantity.counted(UInt64(outcome.losses), "entry was", "entries were")) left out or altered",
            hint: outcome.path == .standardStream
                ? "the manifest has the list" : "'capsule info \(outcome.path)' shows the list")
    }

    /// Prints notes on everything that was left out on request.
    private func reportExclusions(_ outcome: Packer.Outcome) {
        let diagnostics = context.diagnostics
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
