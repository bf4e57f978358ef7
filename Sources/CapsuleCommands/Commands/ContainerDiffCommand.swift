import CapsuleCore
import CapsuleEngine

/// `capsule diff` of two containers.
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

    /// Compares two files of any kind.
    func runFiles() throws(CapsuleError) -> ExitStatus {
        if context.command[.overlayFile] != nil {
            throw CapsuleError(
                .usage, "'--overlay' takes two containers or two property lists, and these are other files",
                hint: "put each into a directory, and compare the directories")
        }
        try context.refuseGroups()
        guard paths.isEmpty else { throw DiffCommand.pathsOfFiles }
        return try judged { (comparison) throws(CapsuleError) in
            try comparison.run(files: HostPath(old), HostPath(new))
        }
    }

    /// A verdict, and an overlay, are of everything.
    private func refusePaths(with flags: [(isGiven: Bool, name: String)]) throws(CapsuleError) {
        guard !paths.isEmpty, let flag = flags.first(where: { $0.isGiven }) else { return }
        throw CapsuleError(
            .usage, "'\(flag.name)' compares whole containers, so it can't be used with PATH",
            hint: "omit PATH or '\(flag.name)'")
    }

    /// Compares as the flags say, judges, and reports.
    ///
    /// - Parameter known: what was read to judge by; nil to read it now.
    func judged(
        by known: DiffJudgement? = nil, _ compare: (Comparison) throws(CapsuleError) -> ContainerDiff
    ) throws(CapsuleError) -> ExitStatus {
        let command = context.command
        if command[.plain] {
            throw CapsuleError(
                .usage, "'--plain' is for property lists, but these are containers",
                hint: "to compare one property list: 'capsule diff A:PATH B:PATH --overlay FILE --plain'")
        }
        let judgement = if let known { known } else { try DiffJudgement(context) }
        var options = try options()
        options.rules = judgement.rules
        options.expectation = judgement.expectation
        options.learns = command[.learn] != nil
        options.describes = command[.expectWrite] != nil
        if command[.nameStatus], !judgement.isNeeded { options.depth = .entries }
        let meter = context.meter()
        let diff = try compare(Comparison(options, progress: meter))
        meter?.clear()
        for note in diff.notes { context.diagnostics.note(note) }
        return try judgement.judge(diff)
    }

    /// What takes the overlay that is to be written, if one is.
    func overlay() throws(CapsuleError) -> OverlayWriting? {
        let command = context.command
        guard let file = command[.overlayFile] else { return nil }
        var overlay = OverlayWriting(
            OverlayOutput(HostPath(file), replaces: command[.replacement]), captured: try context.captured())
        // Told before anything is compared or run. By value, it may be a document.
        if !command[.byValue] { try overlay.output.checkName() }
        overlay.isByValue = command[.byValue]
        overlay.isOneWay = command[.oneWay]
        overlay.carriesWhole = command[.carryWhole]
        return overlay
    }

    func options() throws(CapsuleError) -> ComparisonOptions {
        let command = context.command
        var options = ComparisonOptions()
        options.paths = paths
        options.times = command[.times]
        options.context = command[.context] ?? options.context
        // What is updated needs to know every change.
        let isFull = command[.full] || command[.expectUpdate] != nil
        options.isFull = isFull
        options.rows = isFull ? nil : command[.rows] ?? options.rows
        if isFull { options.databaseTime = nil }
        options.lines = isFull ? nil : command[.lines] ?? options.lines
        options.showsSecrets = command[.showSecrets]
        options.keepsPictures = command[.html] != nil
        options.describesSides = command[.html] != nil
        options.needsTreeDigests = command[.json]
        options.arrays = try OverlayArguments(command).arrays()
        options.groups = try context.groups()
        options.usesCache = !command[.noCache]
        options.jobs = try context.jobs()
        return options
    }
}
