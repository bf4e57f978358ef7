import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine

struct UnpackCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let meter = context.meter()
        let outcome: UnpackOutcome
        switch form {
        case .tarGzip: outcome = try export(as: .tarGzip, meter)
        case .tarZstd: outcome = try export(as: .tarZstd, meter)
        case .tar: outcome = try export(as: .tar, meter)
        case .zip: outcome = try export(as: .zip, meter)
        case .xcappdata: outcome = try unpack(as: .bundle, meter)
        case .container: outcome = try unpack(as: .container, meter)
        case .directory: outcome = try unpack(as: .directory, meter)
        case nil: outcome = try unpack(as: nil, meter)
        }
        meter?.clear()
        for addition in outcome.additions { context.diagnostics.note(addition) }
        for note in outcome.notes { context.diagnostics.warning(note) }
        let isStream = outcome.path == .standardStream
        if !isStream, !context.command[.quiet] || context.command[.json] {
            try context.write(context.reporter.unpacked(outcome))
        }
        return .success
    }

    /// The form of the result: what `--as` says, or else the ending of its name; nil for the container's own form.
    private var form: UnpackForm? {
        let command = context.command
        let given = command[.unpackForm]
        guard let output = command[.output], let named = UnpackForm(endOf: output), named != given else { return given }
        if let given {
            context.diagnostics.note(
                "\(QuotedBytes(output).text): the form is \(given.rawValue), as '--as' says, despite the name")
            return given
        }
        // A file or directory that already has this ending is the result itself.
        return single.map { UnpackForm(endOf: $0) == named } == true ? nil : named
    }

    /// The only path, if the result is this file or directory itself.
    private var single: [UInt8]? {
        let paths = context.command[.paths]
        return paths.count == 1 && !context.command[.tree] && !NamedPaths.isPattern(paths[0]) ? paths[0] : nil
    }

    private func unpack(as form: UnpackOptions.Form?, _ meter: ProgressMeter?) throws(CapsuleError) -> UnpackOutcome {
        let command = context.command
        guard try context.recipients(takesAnyName: single.map { EncryptedFile.isNamed($0) } ?? false) == nil else {
            throw Self.notEncryptable("a directory can't be encrypted")
        }
        var options = UnpackOptions()
        options.form = form
        options.paths = command[.paths]
        options.keepsTree = command[.tree]
        options.replaces = command[.force]
        options.overlays = try OverlayArguments(context).application()
        options.checkpointsLogs = command[.checkpointWAL]
        options.jobs = try context.jobs()
        let destination: UnpackOptions.Destination =
            command[.output].map { .named(HostPath($0)) } ?? .into(directory)
        return try Unpacker(options: options, progress: meter).unpack(context.container(command[.container]), to: destination)
    }

    private func export(as form: ExportForm, _ meter: ProgressMeter?) throws(CapsuleError) -> UnpackOutcome {
        let command = context.command
        let recipients = try context.recipients()
        if recipients != nil, form == .zip { throw Self.notEncryptable("a zip can't be encrypted while it is written") }
        let exporter = Exporter(
            jobs: try context.jobs(), replaces: command[.force], overlays: try OverlayArguments(context).application(),
            checkpointsLogs: command[.checkpointWAL], recipients: recipients, progress: meter)
        let container = context.container(command[.container])
        let outcome: Exporter.Outcome
        switch command[.output] {
        case HostPath.standardStream.bytes?:
            guard !context.output.isTerminal else {
                throw CapsuleError("refusing to write binary data to a terminal", hint: "redirect it to a file or a pipe")
            }
            outcome = try exporter.export(container, paths: command[.paths], as: form, to: context.output)
        case let output?:
            outcome = try exporter.export(container, paths: command[.paths], as: form, to: HostPath(output))
        case nil:
            outcome = try exporter.export(container, paths: command[.paths], as: form, into: directory)
        }
        var unpacked = UnpackOutcome(
            path: outcome.path, entries: UInt64(outcome.entries), bytes: outcome.bytes, notes: notes(on: outcome))
        unpacked.additions = outcome.additions
        return unpacked
    }

    private static func notEncryptable(_ reason: String) -> CapsuleError {
        CapsuleError(.usage, reason, hint: "'--as tar.gz' writes an archive that can")
    }

    private func notes(on outcome: Exporter.Outcome) -> [String] {
        var notes: [String] = []
        if let note = UnpackOutcome.note(on: outcome.omitted) { notes.append(note) }
        if outcome.withoutAttributes > 0 {
            let entries = Quantity.counted(UInt64(outcome.withoutAttributes), "entry", "entries")
            notes.append("extended attributes of \(entries) left out: this archive format can't store them")
        }
        return notes + outcome.notes
    }

    private var directory: HostPath { context.command[.directory].map(HostPath.init) ?? HostPath(".") }
}
