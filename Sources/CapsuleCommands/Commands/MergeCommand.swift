import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsuleMerge
import CapsulePropertyList

struct MergeCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let inputs = [command[.base], command[.ours], command[.theirs]] + [command[.resolve]].compactMap { $0 }
        guard inputs.count(where: { HostPath($0) == .standardStream }) <= 1 else {
            throw CapsuleError(.usage, "standard input can be read only once", hint: "use files for the others")
        }
        let options = try options()
        let outcome = try merge(options)
        for warning in outcome.warnings { context.diagnostics.warning(warning) }
        for note in outcome.notes { context.diagnostics.warning(note) }
        let takesOutput = options.conflictsFile?.path == .standardStream || outcome.output == .standardStream
        // Conflicts are listed even with `--quiet`, so that none is resolved unnoticed.
        let isListed = options.conflictsFile == nil && !outcome.document.conflicts.isEmpty
        if !takesOutput, context.isReported || isListed {
            try context.page(
                context.reporter.merged(
                    outcome, isListed: options.conflictsFile == nil, hasSummary: context.isReported))
        }
        guard outcome.openCount > 0 else { return .success }
        context.diagnostics.hint(openHint(options, outcome))
        return .different
    }

    private func openHint(_ options: MergeOptions, _ outcome: MergeOutcome) -> String {
        if let file = context.command[.resolve], outcome.openCount == outcome.document.conflicts.count {
            return
                "no conflict in \(QuotedBytes(file).text) is resolved: add 'Take' to each, with the value 'base', 'ours', 'theirs', 'absent' or 'value'"
        }
        if context.command[.resolve] != nil { return "add 'Take' to each open conflict in the file of '--resolve'" }
        if let file = context.command[.conflicts] {
            return "add 'Take' to each conflict in \(QuotedBytes(file).text), and pass the file to '--resolve'"
        }
        return "'--prefer' takes one side; '--conflicts FILE' lists the conflicts for '--resolve FILE'"
    }

    private func merge(_ options: MergeOptions) throws(CapsuleError) -> MergeOutcome {
        let command = context.command
        let inputs = [command[.base], command[.ours], command[.theirs]]
        let output = HostPath(command[.output] ?? [])
        let kinds = inputs.map { InputKind(of: $0) }
        guard kinds.contains(.file) else {
            let meter = context.meter()
            let containers = inputs.map { context.container($0) }
            let outcome = try MergeEngine(options, progress: meter).merge(
                base: containers[0], ours: containers[1], theirs: containers[2], to: output)
            meter?.clear()
            return outcome
        }
        if let number = kinds.firstIndex(where: { $0 == .container }) {
            throw CapsuleError(
                .usage, "is a container, but another input is a single file", path: HostPath(inputs[number]),
                hint: "'CONTAINER:PATH' names a property list in the container")
        }
        HostProcess.letSignalsEnd()
        return try PlistFileMerger(options).merge(
            base: HostPath(inputs[0]), ours: HostPath(inputs[1]), theirs: HostPath(inputs[2]), to: context.file(output.bytes))
    }

    private func options() throws(CapsuleError) -> MergeOptions {
        let command = context.command
        var options = MergeOptions(captured: try context.captured())
        for text in command[.prefer] { options.preferences.append(try Self.preference(text)) }
        if let file = command[.resolve] { options.resolutions = try ConflictsFile.read(HostPath(file)) }
        options.conflictsFile = command[.conflicts].map { context.file($0) }
        options.isPartial = command[.partial]
        options.hasMarks = command[.marks]
        options.arrays = try OverlayArguments(context).arrays()
        options.replaces = command[.force]
        options.usesCache = context.usesCache
        options.jobs = try context.jobs()
        return options
    }

    /// Parses `ours` or `theirs`, optionally followed by `=` and a match in JSON.
    private static func preference(_ text: String) throws(CapsuleError) -> MergePreference {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let side = MergePreference.Side(rawValue: String(parts[0])) else {
            throw CapsuleError(
                .usage, "'\(text)' must start with 'ours' or 'theirs'",
                hint: "write 'theirs', or add a match: 'theirs={\"Path\":\"Library/**\"}'",
                misspelt: (String(parts[0]), MergePreference.Side.allCases.map(\.rawValue)))
        }
        guard parts.count == 2 else { return MergePreference(side, text: text) }
        let value: PlistValue
        do throws(PlistError) {
            value = try PlistReader.read(Array(parts[1].utf8), accepting: [.json], json: .typed).value
        } catch {
            throw CapsuleError(.usage, "'\(text)': the match after '=' is not valid JSON: \(error.message)")
        }
        do throws(OverlayError) {
            return try MergePreference(side, matching: value, text: text)
        } catch {
            throw CapsuleError(.usage, "'\(text)': \(error)", hint: error.hint)
        }
    }
}
