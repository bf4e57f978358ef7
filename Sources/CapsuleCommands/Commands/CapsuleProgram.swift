import CapsuleArguments
import CapsuleContainers
import CapsuleCore
package import CapsuleEngine
import CapsuleOverlay
import CapsuleRules

package enum CapsuleProgram {
    package static func runAndExit() -> Never {
        let process = HostProcess()
        guard let arguments = HostProcess.arguments else {
            Diagnostics(process).error("can't read the arguments of the command line", hint: "mount /proc")
            HostProcess.exit(with: ExitStatus.failure.code)
        }
        if let answer = Completer.answer(to: arguments) {
            // The shell may have closed the pipe, or the disk may be full: nothing is lost.
            try? process.output.write(answer)
            HostProcess.exit(with: ExitStatus.success.code)
        }
        HostProcess.prepare()
        HostProcess.exit(with: run(arguments, on: process))
    }

    /// Runs the command of a command line.
    /// - Parameter arguments: without the program's name.
    /// - Returns: the exit status.
    package static func run(_ arguments: [[UInt8]], on process: HostProcess) -> Int32 {
        let diagnostics = Diagnostics(process)
        let line: ProjectCommandLine
        let each: EachSimulator?
        do throws(CapsuleError) {
            line = try ProjectCommandLine(arguments, on: process)
            each = try EachSimulator(line.arguments)
        } catch {
            let status = report(error, diagnostics)
            if CommandLineParser().wantsJSON(arguments) { JSONError(error, status).write(to: process) }
            return status.code
        }
        guard let each else { return run(line.arguments, of: line, process, diagnostics) }
        var statuses: [Int32] = []
        for arguments in each.lines {
            statuses.append(run(arguments, of: line, process, diagnostics))
            // A signal ends it all.
            if HostProcess.interruption != nil { break }
        }
        let failures = statuses.count { $0 > ExitStatus.different.code }
        diagnostics.note("\(Quantity.counted(UInt64(statuses.count), "simulator", "simulators")), \(failures) failed")
        return statuses.max() ?? ExitStatus.failure.code
    }

    /// - Parameter arguments: those of a line with what the project fills in.
    private static func run(
        _ arguments: [[UInt8]], of line: ProjectCommandLine, _ process: HostProcess, _ diagnostics: Diagnostics
    ) -> Int32 {
        let invocation: Invocation
        do throws(UsageError) {
            invocation = try CommandLineParser().parse(arguments)
        } catch {
            diagnostics.error(error.message, hint: error.hint)
            if CommandLineParser().wantsJSON(arguments) { JSONError(error).write(to: process) }
            return ExitStatus.usage.code
        }
        if line.project != nil, case .run(let command) = invocation, command[.verbose] { diagnostics.note(line.text) }
        do throws(CapsuleError) {
            return try run(invocation, process, line).code
        } catch {
            let status = report(error, diagnostics)
            if status != .success, CommandLineParser().wantsJSON(arguments) { JSONError(error, status).write(to: process) }
            return status.code
        }
    }

    private static func run(
        _ invocation: Invocation, _ process: HostProcess, _ line: ProjectCommandLine
    ) throws(CapsuleError) -> ExitStatus {
        let output = process.output
        switch invocation {
        case .version(let isVerbose):
            let lines = ["capsule \(CapsuleVersion.text)"] + (isVerbose ? HostProcess.libraries : [])
            try output.write(lines.flatMap { Array("\($0)\n".utf8) })
        case .help(let request):
            let isStyled = Styling.isOn(request.color, process)
            let text = Array(request.text(width: output.width ?? 80, isStyled: isStyled).utf8)
            if request.isLong { try output.page(text) } else { try output.write(text) }
        case .nothing:
            process.writeError(HelpPage(.program, .short).text())
            if CommandLineParser().wantsJSON(line.arguments) { JSONError.noVerb.write(to: process) }
            return .usage
        case .run(let command):
            return try CommandContext(command, process, line.project).run()
        }
        return .success
    }

    private static func report(_ error: CapsuleError, _ diagnostics: Diagnostics) -> ExitStatus {
        // The reader of a listing or of a file's content has read enough. Errors of reports are handled elsewhere.
        if error.code == .brokenPipe { return .success }
        if error.code == .interrupted {
            diagnostics.note("interrupted; \(error.hint ?? "nothing was left behind")")
            return .interrupted(by: HostProcess.interruption ?? 2)
        }
        diagnostics.error(error)
        return error.code == .usage ? .usage : .failure
    }
}

/// The arguments of a command, and the streams for its data and messages.
struct CommandContext {
    let command: ParsedCommand
    let process: HostProcess
    let diagnostics: Diagnostics
    /// The project whose app or capsule the command line names.
    let project: Project?
    private let files: CommandFiles

    init(_ command: ParsedCommand, _ process: HostProcess, _ project: Project?) {
        self.command = command
        self.project = project
        self.process = process
        diagnostics = Diagnostics(process, isQuiet: command[.quiet])
        files = CommandFiles(command)
    }

    var output: StandardStream { process.output }

    func run() throws(CapsuleError) -> ExitStatus {
        if command.id.isPlistOnly { HostProcess.letSignalsEnd() }
        try files.check()
        EncryptedFile.allow(identity: try identity())
        RemoteAccess.onNotice { [diagnostics] text, isWarning in
            if isWarning { diagnostics.warning(text) } else { diagnostics.note(text) }
        }
        return try perform()
    }

    private func perform() throws(CapsuleError) -> ExitStatus {
        switch command.id {
        case .pack: try PackCommand(context: self).run()
        case .info: try InfoCommand(context: self).run()
        case .show: try ShowCommand(context: self).run()
        case .grep: try GrepCommand(context: self).run()
        case .ls: try LsCommand(context: self).run()
        case .du: try DuCommand(context: self).run()
        case .cat: try CatCommand(context: self).run()
        case .unpack: try UnpackCommand(context: self).run()
        case .verify: try VerifyCommand(context: self).run()
        case .sign: try SignCommand(context: self).run()
        case .log: try LogCommand(context: self).run()
        case .label: try LabelCommand(context: self).run()
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
        case .push: try PushCommand(context: self).run()
        case .pull: try PullCommand(context: self).run()
        case .tags: try TagsCommand(context: self).run()
        case .`init`: try InitCommand(context: self).run()
        case .run: try RunCommand(context: self).run()
        case .watch: try WatchCommand(context: self).run()
        case .redact: try RedactCommand(context: self).run()
        case .serve: try ServeCommand(context: self).run()
        case .locate: try LocateCommand(context: self).run()
        case .generateMan: try GenerateCommand(context: self).man()
        case .generateCompletions: try GenerateCommand(context: self).completions()
        case .help: .usage
        }
    }

    /// Anything unusual about it is printed as a warning.
    /// - Parameter keychain: what is done with the device's keychain; nil for what the command does with that of its container.
    func container(_ argument: [UInt8], keychain: KeychainUse? = nil) -> Container {
        let diagnostics = diagnostics
        let takesGroups = command.definition.flag(Flag.noGroups.id) != nil && !command[ifTaken: .noGroups]
        return Container(argument, takesGroups: takesGroups, keychain: keychain ?? self.keychain) {
            diagnostics.warning($0)
        } note: {
            diagnostics.note($0)
        }
    }

    /// The use of a keychain. Commands that write contents elsewhere leave it out, unless with `--keychain`.
    private var keychain: KeychainUse {
        if command[ifTaken: .keychain] { return .taken }
        switch command.id {
        case .pack, .unpack: return .leftOut
        case .show: return PageOutput(context: self).isWanted ? .leftOut : .asStored
        default: return .asStored
        }
    }

    /// Anything unusual about a capsule is printed as a warning.
    func overlaySources() throws(CapsuleError) -> [OverlaySource] {
        var sources: [OverlaySource] = []
        for argument in command[.overlays] {
            let source = try OverlaySource(argument, isDeep: command[ifTaken: .deep]) { [diagnostics] in diagnostics.warning($0) }
            try refuseOtherThanUndoFile(source)
            sources.append(source)
        }
        return sources
    }

    /// Returns the number of threads: `--jobs`, or CAPSULE_JOBS, or else one for each processor.
    func jobs() throws(CapsuleError) -> Int {
        if let jobs = command[.jobs] { return jobs }
        guard let value = process.environment("CAPSULE_JOBS"), !value.isEmpty else {
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

    /// Returns the capture time: SOURCE_DATE_EPOCH, or else the current time (reproducible-builds.org).
    func captured() throws(CapsuleError) -> Timestamp {
        guard let value = process.environment("SOURCE_DATE_EPOCH"), !value.isEmpty else { return HostProcess.now }
        guard let seconds = Int64(String(decoding: value, as: UTF8.self)), seconds >= 0, seconds < 1 << 37 else {
            throw CapsuleError(.usage, "SOURCE_DATE_EPOCH is '\(QuotedBytes(value).text)': expected seconds since 1970")
        }
        return Timestamp(seconds: seconds)
    }

    /// Returns the directories of `--group`. Each identifier may occur once.
    func groups() throws(CapsuleError) -> [(identifier: [UInt8], directory: HostPath)] {
        var seen: Set<[UInt8]> = []
        for group in command[ifTaken: .groups] where !seen.insert(group.name).inserted {
            throw CapsuleError(.usage, "the app group is given twice", path: HostPath(group.name))
        }
        for group in command[ifTaken: .groups] where group.name == ContainerNames.keychain {
            throw CapsuleError(
                .usage, "is the name of the device's keychain, not of an app group", path: HostPath(group.name),
                hint: "'--keychain' takes that of the app's simulator")
        }
        return command[ifTaken: .groups].map { ($0.name, HostPath($0.value)) }
    }

    var usesCache: Bool { process.isOwn && !command[ifTaken: .noCache] }

    /// Returns an output file; `-` is standard output.
    /// - Parameter replacing: true if it may replace another file; nil for what `--force` says.
    func file(_ path: [UInt8], replacing: Bool? = nil) -> OutputFile {
        OutputFile(HostPath(path), replaces: replacing ?? command[ifTaken: .force], stream: process.output)
    }

    /// Returns the progress meter; nil with `--quiet` or `--json`.
    func meter() -> ProgressMeter? {
        command[.quiet] || command[.json] ? nil : ProgressMeter(process)
    }

    /// True if a report is printed that is not the main output of the command.
    var isReported: Bool { !command[.quiet] || command[.json] }

    /// A closed pipe ends the command, since nothing else depends on it.
    func list(_ lines: [UInt8]) throws(CapsuleError) { try output.write(escaped(lines)) }

    /// Writes a report to standard output. If the reader is gone, the command continues and returns its own status.
    func write(_ report: [UInt8]) throws(CapsuleError) {
        if !report.isEmpty { try telling { () throws(CapsuleError) in try output.write(escaped(report)) } }
    }

    /// Writes a report, which people see in their pager.
    func page(_ report: [UInt8]) throws(CapsuleError) {
        if command[.json] || report.isEmpty { return try write(report) }
        try telling { () throws(CapsuleError) in try output.page(escaped(report)) }
    }

    /// Prints a report after the work is done. If printing fails, the error says that the work is complete. A closed pipe is not an error:
    /// the status still shows the result.
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

    /// Throws if app groups were given for property lists.
    func refuseGroups() throws(CapsuleError) {
        guard let group = try groups().first else { return }
        throw CapsuleError(
            .usage, "'--group' is for containers, but these are property lists", path: group.directory,
            hint: "name the group's property list itself")
    }

    /// Prints an error if files of a comparison could not be read.
    /// - Returns: true if there are any; the command has then failed.
    func reportUnread(in diff: ContainerDiff) -> Bool {
        if diff.unread == 0 { return false }
        diagnostics.error(
            "\(Quantity.counted(UInt64(diff.unread), "file", "files")) could not be read: the comparison is incomplete")
        return true
    }

    /// Throws if the directory of an output file does not exist, for commands that write after long work.
    func checkOutputDirectories() throws(CapsuleError) { try files.checkOutputDirectories() }

    /// True if standard output is data, which is needed byte for byte.
    private var isData: Bool {
        if command.id.printsData || command[ifTaken: .null] || command[ifTaken: .plist] { return true }
        return command.id == .plistGet && !command[.json]
    }

    private func escaped(_ report: [UInt8]) -> [UInt8] {
        isData ? report : ReportEscapes(isJSON: command[.json], isForGitHub: ReportEscapes.isOnGitHub(process)).escaped(report)
    }

    var reporter: any Reporter { command[.json] ? JSONReporter() : textReporter }

    var textReporter: TextReporter {
        TextReporter(
            escapesNames: output.isTerminal || !isData && ReportEscapes.isOnGitHub(process),
            isStyled: Styling.isOn(command[.color], process),
            width: output.width, showsFullDigests: command[ifTaken: .full])
    }
}

/// The arguments that control how overlays are applied. Each verb that applies some has a part of them.
struct OverlayArguments {
    private let command: ParsedCommand
    private let process: HostProcess

    init(_ context: CommandContext) {
        command = context.command
        process = context.process
    }

    func context() throws(CapsuleError) -> OverlayContext {
        var context = OverlayContext.files(
            values: process.wholeEnvironment, expands: command[ifTaken: .expand],
            targetPath: command[ifTaken: .targetPath])
        do throws(OverlayError) {
            for definition in command[ifTaken: .definitions] {
                let name = String(decoding: definition.name, as: UTF8.self)
                let value = String(decoding: definition.value, as: UTF8.self)
                try SettingName.check(name, value: value)
                context.values[name] = value
            }
            for text in command[ifTaken: .when] { context.conditions.append(try Condition(argument: text)) }
        } catch {
            throw CapsuleError(.usage, error.message, hint: error.hint)
        }
        context.arrays = try arrays()
        context.requires = command[ifTaken: .require]
        return context
    }

    /// Returns the options for applying the overlays of a version; nil to leave them out.
    func application() throws(CapsuleError) -> OverlayApplication? {
        guard command[.applyOverlays] else { return nil }
        return OverlayApplication(
            context: try context(), bundle: command[.app].map(HostPath.init), moment: HostProcess.now)
    }

    func arrays() throws(CapsuleError) -> [ArrayIdentities.Rule] {
        var rules: [ArrayIdentities.Rule] = []
        do throws(OverlayError) {
            for text in command[ifTaken: .arrays] { rules.append(try Self.rule(text)) }
        } catch {
            throw CapsuleError(.usage, error.message, hint: error.hint)
        }
        return rules
    }

    /// Parses `PATTERN=IDENTITY`, split at the last `=`: a pattern may contain one, an identity can't.
    private static func rule(_ text: String) throws(OverlayError) -> ArrayIdentities.Rule {
        guard let equals = text.lastIndex(of: "=") else {
            throw OverlayError.noIdentity(text)
        }
        return ArrayIdentities.Rule(
            try PointerPattern(String(text[..<equals])), try ArrayIdentity(String(text[text.index(after: equals)...])))
    }
}
