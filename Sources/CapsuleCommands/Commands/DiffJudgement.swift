import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

/// What is done with a diff once it is there: noise is classed, files are written, and the status is found.
struct DiffJudgement {
    private let context: CommandContext
    /// What is noise.
    var rules: NoiseRules { use.rules }
    private let use: RuleUse
    /// What the diff is held against.
    let expectation: Expectation?

    /// Reads what says how to judge, before anything is compared.
    init(_ context: CommandContext) throws(CapsuleError) {
        self.context = context
        let command = context.command
        use = RuleUse(
            of: try command[.rules].map { (file) throws(CapsuleError) in try DiffDocuments.rules(HostPath(file)) } ?? NoiseRules()
        )
        expectation = try command[.expect].map { (file) throws(CapsuleError) in
            try DiffDocuments.expectation(HostPath(file))
        }
    }

    /// The files that are written, `-` among them.
    private var outputs: [[UInt8]] {
        let command = context.command
        return [command[.learn], command[.expectWrite], command[.html], command[.junit]].compactMap { $0 }
    }

    /// Whether standard output is a file's place.
    private var takesStandardOutput: Bool {
        (outputs + [context.command[.overlayFile]].compactMap { $0 }).contains(Array("-".utf8))
    }

    /// Whether more is asked for than lines.
    var isNeeded: Bool {
        !outputs.isEmpty || context.command[.rules] != nil || expectation != nil
    }

    func judge(_ compared: ContainerDiff) throws(CapsuleError) -> ExitStatus {
        let command = context.command
        var diff = compared
        rules.classify(&diff)
        try checkRules()
        let result = expectation?.evaluate(diff)
        try write(diff, result)
        // What breaks an expectation is said though nothing else is.
        let isReported = context.isReported || result.map { !$0.holds } ?? false
        if !takesStandardOutput, isReported { try context.page(report(diff, result)) }
        if let result { annotate(result, diff) }
        if let hint = diff.hint(result) { context.diagnostics.hint(hint) }
        if context.tellUnread(in: diff) { return .failure }
        if let result { return result.holds ? .success : .different }
        return diff.isDifferent && !command[.exitZero] ? .different : .success
    }

    /// Findings that a CI system shows beside the job, the first of them.
    private func annotate(_ result: ExpectationResult, _ diff: ContainerDiff) {
        let file = (context.command[.expect] ?? [])
        for finding in result.findings.prefix(Self.annotations) {
            context.diagnostics.finding(result.description(of: finding, in: diff), title: String(decoding: file, as: UTF8.self))
        }
    }

    /// GitHub shows ten of a step.
    private static let annotations = 10

    /// Rules that decide about nothing are told, or end the command before it writes anything.
    private func checkRules() throws(CapsuleError) {
        let unused = use.unused
        guard let first = unused.first, let file = context.command[.rules] else { return }
        let message =
            unused.count == 1
            ? "a rule is unused: \(first.match)"
            : "\(unused.count) rules are unused, the first is: \(first.match)"
        let hint = "no change matches it, or a later rule also matches and wins"
        if context.command[.strictPatterns] { throw CapsuleError(message, path: HostPath(file), hint: hint) }
        context.diagnostics.warning("\(QuotedBytes(file).text): \(message)", hint: hint)
    }

    private func write(_ diff: ContainerDiff, _ result: ExpectationResult?) throws(CapsuleError) {
        let command = context.command
        if let file = command[.learn] {
            if diff.unread > 0 {
                let unread = Quantity.counted(UInt64(diff.unread), "file", "files")
                throw CapsuleError(
                    "\(unread) could not be read: can't learn rules from an incomplete comparison",
                    path: HostPath(file), hint: "'capsule diff' without '--learn' lists them")
            }
            if !diff.isExact { context.diagnostics.warning("the comparison is incomplete: the rules may miss changes") }
            let learned = try Self.document(of: diff) { () throws(OverlayError) in
                try LearnedRules.make(from: diff, existing: rules)
            }
            try PlistOutput.write(learned, to: HostPath(file), replacing: command[.replacement], isNamed: true)
        }
        if let file = command[.expectWrite] {
            let described = try Self.document(of: diff) { () throws(OverlayError) in try Expectation.describing(diff) }
            try PlistOutput.write(described, to: HostPath(file), replacing: command[.replacement], isNamed: true)
        }
        if let file = command[.html] {
            try ReportFile.write(
                HTMLReport(diff, isFull: command[.full]).bytes(), as: .page, to: HostPath(file),
                replacing: command[.replacement])
        }
        if let file = command[.junit], let result {
            try ReportFile.write(
                JUnitText().bytes(of: result, in: diff), as: .testSuite, to: HostPath(file), replacing: command[.replacement])
        }
    }

    private static func document(
        of diff: ContainerDiff, _ make: () throws(OverlayError) -> PlistValue
    ) throws(CapsuleError) -> PlistValue {
        do {
            return try make()
        } catch {
            throw CapsuleError(error.message, hint: diff.hint(nil) ?? error.hint)
        }
    }

    private func report(_ diff: ContainerDiff, _ result: ExpectationResult?) -> [UInt8] {
        let command = context.command
        let style = DiffStyle(isFull: command[.full], showsNoise: command[.all])
        let text = context.textReporter
        var report: [UInt8]
        if command[.quiet], !command[.json] {
            report = result.map { text.judged($0, of: diff, by: command[.expect] ?? []) } ?? []
        } else if command[.nameStatus] {
            report = NameStatusText(isRaw: command[.null]).text(of: diff, showsNoise: command[.all])
        } else if command[.stat] {
            report = StatText(reporter: text, showsNoise: command[.all]).text(of: diff) + text.noise(in: diff, style)
        } else if let result, !command[.json] {
            report = text.judged(result, of: diff, by: command[.expect] ?? [])
        } else {
            report = context.reporter.compared(diff, style, result)
        }
        return report
    }
}

extension ContainerDiff {
    /// What lifts the limits that the comparison or the verdict met.
    fileprivate func hint(_ result: ExpectationResult?) -> String? {
        let isOutOfTime = !isExact && entries.contains { $0.details.contains(where: Self.isTimeLimit) }
        if isOutOfTime { return "'--full' removes the time limit" }
        guard let result else { return nil }
        if result.wantsValues { return "'--full' compares long values in full, and '--show-secrets' includes hidden ones" }
        return result.wantsGroups ? "name the other side's directory with '--group'" : nil
    }

    private static func isTimeLimit(_ detail: ChangeDetail) -> Bool {
        if case .limit(let limit) = detail.content { limit.what == DetailLimit.time } else { false }
    }
}
