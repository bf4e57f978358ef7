import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsulePropertyList
import CapsuleRules

struct DiffCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let (old, new, paths) = try sides()
        if old == new, HostPath(old) == .standardStream {
            throw CapsuleError(.usage, "standard input can't be compared with itself", hint: "only one of the two can be '-'")
        }
        let command = ContainerDiffCommand(context: context, old: old, new: new, paths: paths)
        switch (InputKind(of: old), InputKind(of: new)) {
        case (.file, .container):
            try InputKind.refuseUnreadable(new)
            throw Self.unlike(old)
        case (.container, .file):
            try InputKind.refuseUnreadable(old)
            throw Self.unlike(new)
        case (.file, _), (_, .file): return try command.runFiles()
        case (.container, _), (_, .container), (.either, .either): return try command.run()
        }
    }

    /// A single argument names two versions of a capsule. After a range, all other arguments are paths.
    private func sides() throws(CapsuleError) -> (old: [UInt8], new: [UInt8], paths: [[UInt8]]) {
        let old = context.command[.old]
        let paths = context.command[.paths]
        guard let new = context.command[.new] else {
            let versions = try ComparedVersions(of: old)
            return (versions.old, versions.new, paths)
        }
        if ComparedVersions.isRange(old) {
            let versions = try ComparedVersions(of: old)
            return (versions.old, versions.new, [new] + paths)
        }
        try InputKind.refusePath(new, after: old, range: Self.range(of: old, new, paths.first))
        return (old, new, paths)
    }

    /// Returns `FILE@1..2` for `FILE 1 2` and for `FILE@1 @2`; nil for other arguments.
    private static func range(of old: [UInt8], _ new: [UInt8], _ last: [UInt8]?) -> String? {
        let (old, new) = (QuotedBytes(old).text, QuotedBytes(new).text)
        if new.hasPrefix("@"), new.count > 1, old.contains("@") { return "\(old)..\(new.dropFirst())" }
        guard let last, Int(new) != nil, let end = Int(QuotedBytes(last).text), !old.contains("@") else { return nil }
        return "\(old)@\(new)..\(end)"
    }

    /// The error for PATH arguments with two files, which contain no paths.
    static let pathsOfFiles = CapsuleError(
        .usage, "PATH and '--exclude' are for containers, and these are single files",
        hint: "'capsule diff A B PATH' compares a part of two containers")

    private static func unlike(_ propertyList: [UInt8]) -> CapsuleError {
        CapsuleError(
            .usage, "is a single file, but the other side is a container", path: HostPath(propertyList),
            hint: "compare it with another file; 'CONTAINER:PATH' names a file in the container")
    }
}

struct ContainerDiffCommand {
    let context: CommandContext
    let old: [UInt8]
    let new: [UInt8]
    let paths: [[UInt8]]

    func run() throws(CapsuleError) -> ExitStatus {
        try refusePaths(with: [
            (context.command[.expect] != nil, "--expect"), (context.command[.expectWrite] != nil, "--expect-write"),
            (context.command[.expectUpdate] != nil, "--expect-update"),
            (context.command[.overlayFile] != nil, "--overlay"),
        ])
        let overlay = try overlay()
        return try judged { (comparison) throws(CapsuleError) in
            try comparison.run(context.container(old), context.container(new), writing: overlay)
        }
    }

    func runFiles() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let flags = [(command[.byValue], "--by-value"), (command[.carryWhole], "--carry-whole"), (command[.oneWay], "--one-way")]
        if let (_, flag) = flags.first(where: \.0) {
            throw CapsuleError(
                .usage, "'\(flag)' is for containers, but these are single files",
                hint: "an overlay of property lists contains only values")
        }
        try context.refuseGroups()
        guard paths.isEmpty, command[.exclude].isEmpty else { throw DiffCommand.pathsOfFiles }
        var overlay = try command[.overlayFile].map { (file) throws(CapsuleError) in
            OverlayExport(context.file(file), captured: try context.captured())
        }
        overlay?.isPlain = command[.plain]
        return try judged { (comparison) throws(CapsuleError) in
            try comparison.run(LooseFile(HostPath(old)), LooseFile(HostPath(new)), writing: overlay)
        }
    }

    /// Throws if PATH is used with one of these flags: a verdict and an overlay always cover everything.
    private func refusePaths(with flags: [(isGiven: Bool, name: String)]) throws(CapsuleError) {
        guard !paths.isEmpty, let flag = flags.first(where: { $0.isGiven }) else { return }
        throw CapsuleError(
            .usage, "'\(flag.name)' compares whole containers, so it can't be used with PATH",
            hint: "omit PATH or '\(flag.name)'")
    }

    /// Compares as the flags say, evaluates the result, and reports it.
    /// - Parameter known: the rules and the expectation, if they were read already; nil to read them now.
    func judged(
        by known: DiffOutput? = nil, _ compare: (ContainerDiffer) throws(CapsuleError) -> ContainerDiff
    ) throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let judgement = if let known { known } else { try DiffOutput(context) }
        var options = try options()
        options.judging = Judging(
            rules: judgement.rules, expectation: judgement.expectation, learns: command[.learn] != nil,
            describes: command[.expectWrite] != nil || command[.expectUpdate] != nil)
        if NameStatusText(command) != nil, !judgement.isNeeded { options.depth = .entries }
        let meter = context.meter()
        let diff = try compare(ContainerDiffer(options, progress: meter))
        meter?.clear()
        for note in diff.notes { context.diagnostics.note(note) }
        let unmatched = try (command[.strictPatterns] ? UnmatchedPatterns.areErrors : .areWarnings)
            .find(in: options.excluded, of: "--exclude", hint: { _ in Glob.argumentHint }) { glob in
                diff.excluded.contains { $0.pattern == glob.pattern && !$0.paths.isEmpty }
            }
        for glob in unmatched {
            context.diagnostics.warning("'--exclude \(QuotedBytes(glob.pattern).text)' matches nothing", hint: Glob.argumentHint)
        }
        return try judgement.judge(diff)
    }

    func overlay() throws(CapsuleError) -> OverlayExport? {
        let command = context.command
        guard let file = command[.overlayFile] else { return nil }
        if command[.plain] {
            throw CapsuleError(
                .usage, "'--plain' is for property lists, but these are containers",
                hint: "to compare one property list: 'capsule diff A:PATH B:PATH --overlay FILE --plain'")
        }
        var overlay = OverlayExport(context.file(file), captured: try context.captured())
        // Checked before anything is compared or run. An overlay by value may be a document, with any name.
        if !command[.byValue] { try overlay.output.checkName() }
        overlay.isByValue = command[.byValue]
        overlay.isOneWay = command[.oneWay]
        overlay.carriesWhole = command[.carryWhole]
        return overlay
    }

    func options() throws(CapsuleError) -> DiffOptions {
        let command = context.command
        var options = DiffOptions()
        options.paths = paths
        for pattern in command[.exclude] { options.excluded.append(try Glob(argument: pattern)) }
        options.times = command[.times]
        options.context = command[.context] ?? options.context
        // Updating an expectation requires all changes.
        let isFull = command[.full] || command[.expectUpdate] != nil
        options.isFull = isFull
        options.rows = isFull ? nil : command[.rows] ?? options.rows
        if isFull { options.databaseTime = nil }
        options.lines = isFull ? nil : command[.lines] ?? options.lines
        let isPage = PageOutput(context: context).isWanted
        options.keepsPictures = isPage
        options.describesSides = isPage
        options.skipsKeychain = isPage && !command[ifTaken: .keychain]
        options.needsTreeDigests = command[.json]
        options.arrays = try OverlayArguments(context).arrays()
        options.groups = try context.groups()
        options.usesCache = context.usesCache
        options.jobs = try context.jobs()
        return options
    }
}
