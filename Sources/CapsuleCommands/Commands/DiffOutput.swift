import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsulePropertyList
import CapsuleRules

/// Evaluates a classified diff: writes the requested files, and determines the exit status.
struct DiffOutput {
    private let context: CommandContext
    var rules: NoiseRules { use.rules }
    private let use: RuleUse
    var expectation: Expectation? { document?.expectation }
    private let document: ExpectationFile?
    /// True to update the expectation if `--expect-update` was given.
    var updates = true
    /// The command that made the changes, if ``RunCommand`` ran one.
    var command: CommandResult?

    init(_ context: CommandContext) throws(CapsuleError) {
        self.context = context
        let command = context.command
        if command[.expectUpdate].map(HostPath.init) == .standardStream {
            throw CapsuleError(.usage, "'--expect-update' needs a file that it can change, and '-' is standard input")
        }
        use = RuleUse(
            of: try command[.rules].map { (file) throws(CapsuleError) in try DiffDocuments.rules(HostPath(file)) } ?? NoiseRules()
        )
        document = try (command[.expect] ?? command[.expectUpdate]).map { (file) throws(CapsuleError) in
            try ExpectationFile(HostPath(file))
        }
    }

    private var outputs: [[UInt8]] {
        let command = context.command
        return [command[.learn], command[.expectWrite], command[.html], command[.junit], command[.markdown]].compactMap { $0 }
    }

    /// True if more than the lines of the diff is needed.
    var isNeeded: Bool {
        !outputs.isEmpty || PageOutput(context: context).isWanted || context.command[.rules] != nil || expectation != nil
    }

    func judge(_ compared: ContainerDiff) throws(CapsuleError) -> ExitStatus {
        let command = context.command
        var diff = compared
        diff.unusedRules = use.unused(in: diff)
        try warn(of: diff.unusedRules)
        var result = expectation?.evaluate(diff)
        if let result { try warn(of: result.warnings) }
        var failure: CapsuleError?
        do throws(CapsuleError) {
            if let updated = try update(with: diff) {
                result = updated.evaluate(diff)
            }
        } catch {
            failure = error
        }
        let shown = command[.showSecrets] ? diff : diff.hidingSecrets(countsNoise: command[.all] || command[.json])
        do throws(CapsuleError) {
            try write(diff, shown, result)
        } catch {
            // The verdict is printed before this error: it may be the result of a long run.
            failure = failure ?? error
        }
        summarize(shown, result)
        // With `--quiet`, a failed expectation is still reported.
        let isReported = context.isReported || result.map { !$0.holds } ?? false
        let written = outputs + [context.command[.overlayFile]].compactMap { $0 }
        if !written.contains(Array("-".utf8)), isReported { try context.page(report(shown, result)) }
        if let failure { throw failure }
        if let result { annotate(result, shown) }
        if let hint = diff.hint(result) { context.diagnostics.hint(hint) }
        if context.reportUnread(in: diff) { return .failure }
        if let result { return result.holds ? .success : .different }
        return diff.isDifferent && !command[ifTaken: .exitZero] ? .different : .success
    }

    /// - Returns: the updated expectation; nil if no update was requested.
    private func update(with diff: ContainerDiff) throws(CapsuleError) -> Expectation? {
        guard updates, context.command[.expectUpdate] != nil, let document else { return nil }
        if diff.unread > 0 {
            let unread = Quantity.counted(UInt64(diff.unread), "file", "files")
            throw CapsuleError(
                "\(unread) could not be read: can't update an expectation from an incomplete comparison", path: document.path)
        }
        let (update, expectation, warnings) = try document.update(with: diff)
        for warning in warnings { context.diagnostics.warning(warning) }
        for clause in update.removed {
            context.diagnostics.noteAlways("\(document.path): removed clause: \(clause.textWithCount)")
        }
        for clause in update.added.prefix(Self.shownAdditions) {
            context.diagnostics.noteAlways("\(document.path): added clause: \(clause.text)")
        }
        if update.added.count > Self.shownAdditions {
            let more = Quantity.counted(UInt64(update.added.count - Self.shownAdditions), "more clause was", "more clauses were")
            context.diagnostics.noteAlways("\(document.path): \(more) added")
        }
        let counts = "\(update.added.count) added, \(update.removed.count) removed"
        context.diagnostics.note("\(document.path): \(update.isChanged ? "updated: \(counts)" : "nothing to update")")
        return expectation
    }

    private var expectationName: [UInt8] { document?.path.bytes ?? [] }

    private func annotate(_ result: ExpectationResult, _ diff: ContainerDiff) {
        let file = String(decoding: expectationName, as: UTF8.self)
        for finding in result.report(on: diff, limit: Self.annotations) {
            context.diagnostics.finding(finding.message, title: file)
        }
    }

    private func warn(of clauses: [UnmatchableClause]) throws(CapsuleError) {
        guard let document else { return }
        try UnmatchedWarnings(clauses, in: document.path)
            .report(context.diagnostics, areErrors: context.command[.strictPatterns])
    }

    private func warn(of rules: [UnusedRule]) throws(CapsuleError) {
        guard let file = context.command[.rules] else { return }
        try UnmatchedWarnings(rules, in: HostPath(file))
            .report(context.diagnostics, areErrors: context.command[.strictPatterns])
    }

    private static let shownAdditions = 50

    /// The number of annotations that GitHub shows for each step.
    private static let annotations = 10

    private func write(_ diff: ContainerDiff, _ shown: ContainerDiff, _ result: ExpectationResult?) throws(CapsuleError) {
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
                try LearnedRules.make(from: diff)
            }
            try write(learned, to: file)
        }
        if let file = command[.expectWrite] {
            let described = try Self.document(of: diff) { () throws(OverlayError) in
                try Expectation.describing(diff, isLoose: command[.loose])
            }
            try write(described, to: file)
        }
        let page = PageOutput(context: context)
        if page.isWanted {
            let report = HTMLReport(shown, isFull: command[.full], judgement: judgement(result), command: self.command)
            try page.write(report.bytes())
        }
        if let file = command[.junit], let result {
            try context.file(file).write(
                JUnitText(command: self.command).bytes(of: result, in: shown), as: .report(.testSuite))
        }
        if let file = command[.markdown] {
            let report = markdown(shown, result)
            // The runner of GitHub executes lines of the log.
            let isLog = HostPath(file) == .standardStream && ReportEscapes.isOnGitHub(context.process)
            try context.file(file).write(
                ReportEscapes(isJSON: false, isForGitHub: isLog).escaped(report), as: .report(.markdown))
        }
    }

    private func markdown(_ diff: ContainerDiff, _ result: ExpectationResult?) -> [UInt8] {
        let style = DiffStyle(isFull: context.command[.full], showsNoise: context.command[.all])
        return MarkdownReport(diff, style, judgement: judgement(result), command: command).bytes()
    }

    /// Adds the report to the summary of a step in GitHub Actions. If that fails, the verdict is still the command's result.
    private func summarize(_ diff: ContainerDiff, _ result: ExpectationResult?) {
        guard result != nil || command != nil, let path = context.process.environment("GITHUB_STEP_SUMMARY"), !path.isEmpty
        else { return }
        do throws(CapsuleError) {
            // The file may end in the middle of a line.
            try context.file(path).append([UInt8(ascii: "\n")] + markdown(diff, result), limit: Self.summaryLimit)
        } catch {
            context.diagnostics.warning(error)
        }
    }

    /// GitHub shows nothing of a larger file.
    private static let summaryLimit: UInt64 = 1 << 20

    /// Writes rules or clauses; in JSON, one per line.
    private func write(_ document: PlistValue, to file: [UInt8]) throws(CapsuleError) {
        try PlistOutput.write(document, to: context.file(file), lineDepth: 2)
    }

    private func judgement(_ result: ExpectationResult?) -> PageVerdict? {
        result.map { PageVerdict($0, by: expectationName) }
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
            report = result.map { text.judged($0, of: diff, by: expectationName, command: self.command) } ?? []
        } else if let names = NameStatusText(command) {
            report = names.text(of: diff, showsNoise: command[.all])
        } else if command[.stat] {
            report = StatText(reporter: text, showsNoise: command[.all]).text(of: diff) + text.noise(in: diff, style)
        } else if let result, !command[.json] {
            report = text.judged(result, of: diff, by: expectationName, command: self.command)
        } else {
            report = context.reporter.compared(diff, style, result) + (command[.json] ? [] : text.secrets(diff.hiddenSecrets))
        }
        return report
    }
}

extension ContainerDiff {
    fileprivate func hint(_ result: ExpectationResult?) -> String? {
        let isOutOfTime = !isExact && entries.contains { $0.details.contains(where: Self.isTimeLimit) }
        if isOutOfTime { return "'--full' removes the time limit" }
        guard let result else { return nil }
        if result.wantsValues { return "'--full' compares long values in full" }
        return result.wantsGroups ? "name the other side's directory with '--group'" : nil
    }

    private static func isTimeLimit(_ detail: ChangeDetail) -> Bool {
        if case .limit(let limit) = detail.content { limit.what == Truncation.time } else { false }
    }
}

/// Clauses and rules that match nothing: a warning for each of the first ones, or one error for all with `--strict-patterns`.
private struct UnmatchedWarnings {
    private struct Item {
        let text: String
        /// The text of an item that is listed below ``summary``.
        let detail: String
        let hint: String?
    }

    private static let listed = 10

    private let file: HostPath
    private let items: [Item]
    private let summary: String
    private let more: String
    private let hint: String?

    init(_ clauses: [UnmatchableClause], in file: HostPath) {
        self.file = file
        items = clauses.map { clause in
            let text = "\(clause.rule.name): \(clause.text)"
            return Item(text: text, detail: text, hint: clause.hint)
        }
        summary = "\(clauses.count) clauses can't match anything"
        more = Self.more(items, "more clause", "more clauses") + " can't match anything"
        hint = nil
    }

    init(_ rules: [UnusedRule], in file: HostPath) {
        self.file = file
        items = rules.map { Item(text: $0.text, detail: "rule \($0.number): \($0.rule.match)", hint: $0.hint) }
        summary = "\(rules.count) rules are unused"
        more = Self.more(items, "more rule is", "more rules are") + " unused"
        hint = "no change matches \(rules.count == 1 ? "it" : "them"), or a later rule also matches and wins"
    }

    private static func more(_ items: [Item], _ one: String, _ several: String) -> String {
        Quantity.counted(UInt64(items.count - min(items.count, listed)), one, several)
    }

    /// - Throws: one error for all of them if `areErrors` is true; the caller has written nothing yet.
    func report(_ diagnostics: Diagnostics, areErrors: Bool) throws(CapsuleError) {
        guard let first = items.first else { return }
        let isMore = items.count > Self.listed
        if areErrors {
            guard items.count > 1 else { throw CapsuleError(first.text, path: file, hint: first.hint ?? hint) }
            var error = CapsuleError(summary, path: file, hint: hint)
            error.details = items.prefix(Self.listed).map(\.detail) + (isMore ? [more] : [])
            throw error
        }
        let name = QuotedBytes(file.bytes).text
        for item in items.prefix(Self.listed) { diagnostics.warning("\(name): \(item.text)", hint: item.hint) }
        if isMore { diagnostics.warning("\(name): \(more)") }
        if let hint, items.count > 1 || first.hint == nil { diagnostics.hint(hint) }
    }
}
