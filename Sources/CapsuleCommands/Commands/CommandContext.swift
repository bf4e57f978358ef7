import CapsuleCore
import CapsuleEngine

/// What every command has at hand: its arguments, and where words and data go.
struct CommandContext {
    let command: ParsedCommand
    let output: StandardOutput
    let diagnostics: Diagnostics
    private let files: CommandFiles

    init(_ command: ParsedCommand, output: StandardOutput) {
        self.command = command
        self.output = output
        diagnostics = Diagnostics(isQuiet: command[.quiet])
        files = CommandFiles(command)
    }

    /// Runs the command that was asked for.
    func run() throws(CapsuleError) -> ExitStatus {
        if command.id.isOfPropertyLists { HostProcess.letSignalsEnd() }
        try files.check()
        return try perform()
    }

    private func perform() throws(CapsuleError) -> ExitStatus {
        switch command.id {
        case .pack: try PackCommand(context: self).run()
        case .info: try InfoCommand(context: self).run()
        case .ls: try LsCommand(context: self).run()
        case .cat: try CatCommand(context: self).run()
        case .unpack: try UnpackCommand(context: self).run()
        case .verify: try VerifyCommand(context: self).run()
        case .log: try LogCommand(context: self).run()
        case .repair: try RepairCommand(context: self).run()
        case .compact: try CompactCommand(context: self).run()
        case .diff: try DiffCommand(context: self).run()
        case .apply: try ApplyCommand(context: self).run()
        case .undo: try ApplyCommand(context: self).run()
        case .drop: try RestoreCommand(context: self).drop()
        case .restore: try RestoreCommand(context: self).run()
        case .recover: try RecoverCommand(context: self).run()
        case .merge: try MergeCommand(context: self).run()
        case .overlayCheck: try OverlayCommand(context: self).check()
        case .overlayShow: try OverlayCommand(context: self).show()
        case .overlayCompose: try OverlayCommand(context: self).compose()
        case .overlayInvert: try OverlayCommand(context: self).invert()
        case .overlayIdentities: try OverlayCommand(context: self).identities()
        case .plistLint: try PlistCommand(context: self).lint()
        case .plistGet: try PlistCommand(context: self).get()
        case .plistSet: try PlistCommand(context: self).set()
        case .plistAdd: try PlistCommand(context: self).add()
        case .plistAppend: try PlistCommand(context: self).append()
        case .plistRemove: try PlistCommand(context: self).remove()
        case .plistConvert: try PlistCommand(context: self).convert()
        case .plistPrint: try PlistCommand(context: self).print()
        case .gitInstall: try GitCommand(context: self).install()
        case .gitUninstall: try GitCommand(context: self).uninstall()
        case .gitStatus: try GitCommand(context: self).status()
        case .gitTextconv: try GitCommand(context: self).textconv()
        case .gitMergeDriver: try GitCommand(context: self).mergeDriver()
        case .run: try RunCommand(context: self).run()
        case .locate: try LocateCommand(context: self).run()
        case .generateMan: try GenerateCommand(context: self).man()
        case .generateCompletions: try GenerateCommand(context: self).completions()
        case .help: .usage
        }
    }

    /// A container that the command line names; what is odd about it is told as a warning.
    func container(_ argument: [UInt8]) -> Container {
        let diagnostics = diagnostics
        return Container(argument) { diagnostics.warning($0) }
    }

    /// The overlays of `apply`, in any form; what is odd about a capsule is told as a warning.
    func overlaySources() throws(CapsuleError) -> [OverlaySource] {
        var sources: [OverlaySource] = []
        for argument in command[.overlays] {
            let source = try OverlaySource(argument, isDeep: command[.deep]) { [diagnostics] in diagnostics.warning($0) }
            try refuseCapsuleOfContainer(source)
            sources.append(source)
        }
        return sources
    }

    /// How many threads work: `--jobs`, else CAPSULE_JOBS, else one for each processor.
    func jobs() throws(CapsuleError) -> Int {
        if let jobs = command[.jobs] { return jobs }
        guard let value = HostProcess.environment("CAPSULE_JOBS"), !value.isEmpty else {
            return min(HostProcess.processors, Flag.jobsRange.upperBound)
        }
        guard let jobs = Int(String(decoding: value, as: UTF8.self)), Flag.jobsRange.contains(jobs) else {
            throw CapsuleError(
                .usage,
                "CAPSULE_JOBS is '\(QuotedBytes(value).text)': expected a number from \(Flag.jobsRange.lowerBound) to \(Flag.jobsRange.upperBound)"
            )
        }
        return jobs
    }

    /// The moment that is written down: SOURCE_DATE_EPOCH, else now (reproducible-builds.org).
    func captured() throws(CapsuleError) -> Timestamp {
        guard let value = HostProcess.environment("SOURCE_DATE_EPOCH"), !value.isEmpty else { return HostProcess.now }
        guard let seconds = Int64(String(decoding: value, as: UTF8.self)), seconds >= 0, seconds < 1 << 37 else {
            throw CapsuleError(
                .usage, "SOURCE_DATE_EPOCH is '\(QuotedBytes(value).text)': expected seconds since 1970")
        }
        return Timestamp(seconds: seconds)
    }

    /// The directories of `--group`, by identifier, each once.
    func groups() throws(CapsuleError) -> [(identifier: [UInt8], directory: HostPath)] {
        var seen: Set<[UInt8]> = []
        for group in command[.groups] where !seen.insert(group.name).inserted {
            throw CapsuleError(.usage, "the app group is given twice", path: HostPath(group.name))
        }
        return command[.groups].map { ($0.name, HostPath($0.value)) }
    }

    /// The meter to show, if anyone looks.
    func meter() -> ProgressMeter? {
        command[.quiet] || command[.json] ? nil : ProgressMeter()
    }

    /// Whether a report is wanted of what was not asked for by itself.
    var isReported: Bool { !command[.quiet] || command[.json] }

    /// Writes a part of a listing, which ends the command once nobody reads: nothing else depends on it.
    func list(_ lines: [UInt8]) throws(CapsuleError) { try output.write(lines) }

    /// Writes a report.
    ///
    /// If the reader is gone, the command continues and returns its own status.
    func write(_ report: [UInt8]) throws(CapsuleError) {
        if !report.isEmpty { try telling { () throws(CapsuleError) in try output.write(report) } }
    }

    /// Writes a report that may be long: for people, through their pager.
    func page(_ report: [UInt8]) throws(CapsuleError) {
        if command[.json] || report.isEmpty { return try write(report) }
        try telling { () throws(CapsuleError) in try output.page(report) }
    }

    /// Prints a report after the work is done. If printing fails, the error says that the work is complete. A closed pipe is not an error:
    /// the status still tells the result.
    private func telling(_ body: () throws(CapsuleError) -> Void) throws(CapsuleError) {
        do throws(CapsuleError) {
            try body()
        } catch {
            if error.code == .brokenPipe { return }
            guard files.areWritten, error.code != .interrupted else { throw error }
            throw CapsuleError(
                error.code, error.message, path: error.path, hint: "everything else is done: only the printed report is missing")
        }
    }

    /// - Throws: where app groups are named for property lists.
    func refuseGroups() throws(CapsuleError) {
        guard let group = try groups().first else { return }
        throw CapsuleError(
            .usage, "'--group' is for containers, but these are property lists", path: group.directory,
            hint: "name the group's property list itself")
    }

    /// Says that files of a comparison could not be read.
    ///
    /// - Returns: whether there are any: then the command has failed.
    func tellUnread(in diff: ContainerDiff) -> Bool {
        if diff.unread == 0 { return false }
        diagnostics.error(
            "\(Quantity.counted(UInt64(diff.unread), "file", "files")) could not be read: the comparison is incomplete")
        return true
    }

    /// - Throws: where the directory of a file that is to be written is not there, for commands that write after long work.
    func checkOutputDirectories() throws(CapsuleError) { try files.checkOutputDirectories() }

    /// The reporter that was asked for.
    var reporter: any Reporter { command[.json] ? JSONReporter() : textReporter }

    /// The reporter for people.
    var textReporter: TextReporter {
        TextReporter(
            escapesNames: output.isTerminal, isStyled: Styling.isOn(command[.color], isTerminal: output.isTerminal),
            width: output.isTerminal ? HostProcess.outputWidth : nil, showsFullDigests: command[.full])
    }
}
