import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsuleOverlay
import CapsulePropertyList
import CapsuleRules

struct ApplyCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        try context.refuseLiveUndoFile()
        if InputKind.isContainer(command[.target]) { return try ContainerApplyCommand(context: context).run() }
        HostProcess.letSignalsEnd()
        if command[.threeWay] {
            throw CapsuleError(
                .usage, "'--three-way' is for containers, but the target is a property list",
                hint: "'capsule merge BASE OURS THEIRS -o FILE' merges three property lists")
        }
        if let app = command[.app] {
            throw CapsuleError(
                .usage, "'--app' is for containers, but the target is a property list", path: HostPath(app),
                hint: "name the app's property list as the target")
        }
        try context.refuseGroups()
        warnIfSwapped()
        let overlays = try context.overlaySources()
        let applier = PlistApplier(context: try OverlayArguments(context).context(), to: destination, undo: undo)
        let outcome = try applier.apply(overlays, to: HostPath(command[.target]))
        for warning in outcome.warnings { context.diagnostics.warning(warning) }
        for (overlay, note) in outcome.notes {
            context.diagnostics.warning("\(QuotedBytes(overlay.bytes).text): \(note.text)", hint: note.hint)
        }
        for (overlay, reason) in outcome.skipped {
            context.diagnostics.noteAlways("\(QuotedBytes(overlay.bytes).text): skipped: \(reason)")
        }
        if outcome.isWritten, let advice = outcome.advice { context.report(advice) }
        if undo != nil, !outcome.isUndoWritten { context.diagnostics.note("nothing to undo: no undo file was written") }
        let isStream = [command[ifTaken: .output], command[.undo]].contains(HostPath.standardStream.bytes)
        if context.isReported, !isStream {
            try context.write(
                context.reporter.applied(
                    outcome, to: command[.target], output: command[ifTaken: .output], showing: try changes(outcome)))
        }
        return command[.check] && outcome.isChanged ? .different : .success
    }

    /// Warns if the overlay has all keys of the target, and more.
    private func warnIfSwapped() {
        guard let overlay = context.command[.overlays].first, context.command[.overlays].count == 1,
            let whole = Self.keys(of: overlay), let part = Self.keys(of: context.command[.target]),
            !part.isEmpty, part.isStrictSubset(of: whole)
        else { return }
        let (name, target) = (QuotedBytes(overlay).text, QuotedBytes(context.command[.target]).text)
        context.diagnostics.warning("\(name) has all keys of \(target), and more: are the overlay and the target swapped?")
    }

    private static func keys(of name: [UInt8]) -> Set<PlistString>? {
        guard HostPath(name) != .standardStream, InputKind(of: name) == .file else { return nil }
        return (try? PlistFile(HostPath(name), isLenient: true))?.document.value.dictionary.map { Set($0.keys) }
    }

    private func changes(_ outcome: PlistApplier.Outcome) throws(CapsuleError) -> PlistDiff? {
        guard context.command[.dryRun] else { return nil }
        let rules = try OverlayArguments(context).arrays()
        do throws(OverlayError) {
            return try PlistDiff(outcome.before, outcome.after, identities: ArrayIdentities(rules)).hidingSecrets().diff
        } catch {
            throw CapsuleError(error.message, hint: error.hint)
        }
    }

    private var undo: OutputFile? {
        context.command[.undo].map { context.file($0) }
    }

    private var destination: PlistFile.Destination {
        let command = context.command
        if command[.check] || command[.dryRun] { return .dryRun }
        guard let output = command[ifTaken: .output] else { return .inPlace }
        return .output(context.file(output))
    }
}

private struct ContainerApplyCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let container = context.container(command[.target])
        let target = try container.liveDirectory()
        if let output = command[ifTaken: .output] {
            throw CapsuleError(
                .usage, "can't write the result to another place: a container is always changed in place", path: HostPath(output),
                hint: "'--dry-run' shows what would change")
        }
        let overlays = try context.overlaySources()
        let options = try ApplyReport(context).options(for: container)
        var applying = OverlayApplication(
            context: try OverlayArguments(context).context(), bundle: command[.app].map(HostPath.init), moment: options.moment)
        applying.forces = command[.force]
        applying.merges = command[.threeWay]
        let meter = context.meter()
        let outcome = try LiveChange(options, progress: meter).apply(overlays, to: target, applying)
        meter?.clear()
        return try ApplyReport(context).report(outcome)
    }
}

/// Checks for arguments of `undo` and `drop` in the wrong order, and for capsules that are not undo files.
extension CommandContext {
    /// Throws if the undo file is a live container: an undo file is never a directory.
    func refuseLiveUndoFile() throws(CapsuleError) {
        guard command.id == .undo, let file = command[.overlays].first, isLive(file) else { return }
        let target = command[.target]
        let swapped = "FILE comes first: 'capsule undo \(HostPath(target).shellWord) \(HostPath(file).shellWord)'"
        throw CapsuleError(
            .usage, "is a container, not an undo file", path: HostPath(file),
            hint: holdsContainer(target) ? Self.writingUndoFiles : swapped)
    }

    /// Throws if the file to undo is a capsule of a container, or an overlay in a form that no undo file has.
    func refuseOtherThanUndoFile(_ source: OverlaySource) throws(CapsuleError) {
        guard command.id == .undo else { return }
        if let form = source.overlayForm, form != .document {
            throw CapsuleError(
                .usage, "is \(form.nameWithArticle), not an undo file", path: HostPath(source.argument),
                hint: Self.writingUndoFiles)
        }
        guard source.isContainer else { return }
        throw CapsuleError(
            .usage, "is a capsule of a container, not an undo file", path: HostPath(source.argument),
            hint:
                "'capsule restore \(HostPath(source.argument).shellWord) \(HostPath(command[.target]).shellWord) --dry-run' shows what going back to it would change; "
                + Self.writingUndoFiles)
    }

    func directoryOfDrop(_ container: Container) throws(CapsuleError) -> HostPath {
        do throws(CapsuleError) {
            return try container.liveDirectory()
        } catch {
            let target = QuotedBytes(command[.target]).text
            let words = command[.noise]
            guard error.code == .notFound, (try? DroppedNoise.list(target)) != nil,
                let place = words.firstIndex(where: { (try? DroppedNoise.list($0)) == nil })
            else { throw error }
            var classes = [target] + words
            let swapped = classes.remove(at: place + 1)
            throw CapsuleError(
                .usage, "'\(target)' is a class of noise, not a container",
                hint: "TARGET comes first: 'capsule drop \(HostPath(swapped).shellWord) \(classes.joined(separator: " "))'")
        }
    }

    private static let writingUndoFiles = "'restore', 'apply' and 'drop' write an undo file with '--undo'"

    private func holdsContainer(_ argument: [UInt8]) -> Bool {
        InputKind.isContainer(argument) && (try? container(argument).refuseOverlay()) != nil
    }

    private func isLive(_ argument: [UInt8]) -> Bool { (try? container(argument).liveDirectory()) != nil }
}
