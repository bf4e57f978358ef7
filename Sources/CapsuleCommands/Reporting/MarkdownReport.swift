import CapsuleContainers
import CapsuleCore
import CapsuleRules

/// The differences between two containers in the Markdown of GitHub and GitLab, for pull requests.
///
/// All text from the data is code: a span, a fenced block, or `<code>` in HTML. In code, nothing is markup, a link, a mention of a person
/// or a reference to an issue.
struct MarkdownReport {
    private let diff: ContainerDiff
    private let style: DiffStyle
    private let judgement: PageVerdict?
    private let command: CommandResult?
    private let reporter = TextReporter(escapesNames: true, isStyled: false)
    private var text = ReportMark.markdownStart
    /// The space that is left, in UTF-16 code units.
    private var left = Self.limit - Self.reserve
    private var shortened = 0

    /// GitHub accepts comments of 65,536 characters.
    static let limit = 60_000
    /// The space for the sentences that say what is cut.
    private static let reserve = 1_000
    private static let longestLine = 1_000
    private static let shownChanges = 3

    init(_ diff: ContainerDiff, _ style: DiffStyle, judgement: PageVerdict? = nil, command: CommandResult? = nil) {
        self.diff = diff
        self.style = style
        self.judgement = judgement
        self.command = command
    }

    func bytes() -> [UInt8] {
        var report = self
        report.write()
        return Array(report.text.utf8)
    }

    private mutating func write() {
        _ = add("### \(code(diff.old.source)) → \(code(diff.new.source))\n\n")
        if let command {
            let outcome = command.failure.map { "**Failed** \(code(command.name)): \($0)" } ?? "**Passed** \(code(command.name))"
            _ = add(outcome + "\n\n")
        }
        if let judgement { verdict(judgement) }
        counts()
        let entries = diff.entries.filter { style.showsNoise || !$0.isNoise }
        table(of: entries)
        details(of: entries)
        if shortened > 0 { note(shortened, "line is shortened", "lines are shortened") }
        if text.hasSuffix("\n\n") { text.removeLast() }
    }

    /// Adds a part if there is space for it.
    /// - Parameter keeping: the space that has to be left.
    private mutating func add(_ part: String, keeping: Int = 0) -> Bool {
        let rest = left - part.utf16.count
        guard rest >= keeping else { return false }
        text += part
        left = rest
        return true
    }

    private mutating func note(_ count: Int, _ one: String, _ several: String) {
        text += "\(Quantity.counted(UInt64(count), one, several)).\n\n"
    }

    private mutating func verdict(_ judgement: PageVerdict) {
        let result = judgement.result
        let (passed, count) = (command?.failure == nil ? "Passed" : "No findings", Int(clamping: result.findingCount))
        let outcome =
            result.holds
            ? "**\(passed)** \(code(judgement.file))"
            : "**Failed** \(code(judgement.file)): \(Quantity.counted(result.findingCount, "finding", "findings"))"
        _ = add(outcome + "\n\n")
        let findings = result.report(on: diff).map { [$0.headline] + $0.lines(limit: Self.shownChanges) }
        list(findings, of: count, ("more finding", "more findings"))
        guard !result.warnings.isEmpty else { return }
        _ = add("\(Quantity.counted(UInt64(result.warnings.count), "clause", "clauses")) can't match anything:\n\n")
        let warnings = result.warnings.map { ["\($0.rule.name): \($0.text)"] }
        list(warnings, of: warnings.count, ("more clause", "more clauses"))
    }

    /// Writes a list, as long as three quarters of the report are left.
    private mutating func list(_ items: [[String]], of count: Int, _ words: (one: String, several: String)) {
        var listed = 0
        for lines in items {
            let item = "- " + lines.map { code($0) }.joined(separator: "\n  - ") + "\n"
            guard add(item, keeping: Self.limit * 3 / 4) else { break }
            listed += 1
        }
        if listed > 0 { text += "\n" }
        if count > listed { note(count - listed, words.one, words.several) }
    }

    private mutating func counts() {
        let counts = diff.counts
        let entries = diff.entries.count { !$0.isNoise }
        var line = "**Nothing differs**"
        if entries > 0 {
            let unshown = diff.unshownChanges
            line = "**\(Quantity.changes(counts.changes, isExact: diff.isExact))**"
            line += " in \(Quantity.counted(UInt64(entries), "entry", "entries"))"
            if unshown > 0 { line += "; \(Quantity.counted(UInt64(unshown), "change has", "changes have")) no line here" }
        } else if counts.noiseChanges > 0 {
            line = "**Only noise differs**"
        }
        if counts.noiseChanges > 0 {
            let classes = counts.noise.prefix(20).map { "\(code($0.noise.rawValue)) \(Quantity.grouped(UInt64($0.changes)))" }
            line += "; \(Quantity.changes(counts.noiseChanges, isExact: diff.isExact)) "
            line += "\(style.showsNoise ? "of noise" : "hidden as noise"): \(classes.joined(separator: ", "))"
        }
        if let secrets = diff.hiddenSecrets, secrets > 0 {
            line += "; \(Quantity.counted(UInt64(secrets), "secret", "secrets")) hidden"
        }
        _ = add(line + "\n\n")
    }

    private mutating func table(of entries: [EntryChange]) {
        guard !entries.isEmpty else { return }
        _ = add("| Entry | Changes |\n|---|---|\n")
        let stat = StatText(reporter: reporter, showsNoise: style.showsNoise)
        // The other half is for the details.
        let half = left / 2
        var listed = 0
        for entry in entries {
            var name = cell(entry.path.bytes)
            if case .renamed(let old) = entry.kind { name = "\(cell(old.bytes)) → \(name)" }
            let noise = entry.isNoise ? entry.noise ?? entry.details.lazy.compactMap(\.noise).first : nil
            let changes = cell(Array(stat.summary(of: entry).utf8) + DetailText.mark(noise))
            guard add("| \(name) | \(changes) |\n", keeping: half) else { break }
            listed += 1
        }
        text += "\n"
        if entries.count > listed { note(entries.count - listed, "more entry", "more entries") }
    }

    private mutating func details(of entries: [EntryChange]) {
        let lines = DetailText(reporter: reporter, isFull: style.isFull, showsNoise: style.showsNoise)
        let described = entries.filter { entry in entry.details.contains { style.showsNoise || $0.noise == nil } }
        for (place, entry) in described.enumerated() {
            let rest = described.count - place
            let shown = entry.details.filter { style.showsNoise || $0.noise == nil }
            let all = lines.lines(of: shown, in: entry.handler).split(separator: UInt8(ascii: "\n"))
            guard fold(entry.path.bytes, all, into: max(left / rest, Self.leastDetails)) else {
                return note(rest, "entry's details are left out", "entries' details are left out")
            }
        }
    }

    /// The space that an entry's details have at least.
    private static let leastDetails = 2_000

    /// Writes lines that open with a click.
    /// - Returns: false if there is no space for any of them.
    private mutating func fold(_ name: [UInt8], _ lines: [ArraySlice<UInt8>], into space: Int) -> Bool {
        let title: HTML = "<details><summary><code>\(line(name))</code></summary>\n\n"
        let start = String(decoding: title.bytes, as: UTF8.self)
        var (content, shown, used) = ("", 0, start.utf16.count + Self.frame)
        for bytes in lines {
            // GitHub colors a change by its first character.
            let text = line(bytes.dropFirst(bytes.starts(with: Array("    ".utf8)) ? 4 : 0)) + "\n"
            used += text.utf16.count
            if used > space { break }
            content += text
            shown += 1
        }
        let fence = String(repeating: "`", count: max(3, Self.longestRun(in: content) + 1))
        var part = "\(start)\(fence)diff\n\(content)\(fence)\n\n"
        if lines.count > shown {
            part += Quantity.counted(UInt64(lines.count - shown), "more line", "more lines") + ".\n\n"
        }
        return shown > 0 && add(part + "</details>\n\n")
    }

    /// The space for what is around the lines of an entry.
    private static let frame = 100
}

extension MarkdownReport {
    /// Returns text on one line. Characters that are invisible, or that change the direction of text, are shown by number.
    private mutating func line(_ bytes: some Collection<UInt8>) -> String {
        var line = ""
        for (count, scalar) in QuotedBytes(Array(bytes)).text.unicodeScalars.enumerated() {
            guard count < Self.longestLine else {
                shortened += 1
                return line + "…"
            }
            if scalar.isASCII || HTML.isShown(scalar) {
                line.unicodeScalars.append(scalar)
            } else {
                line += String(scalar).utf8.map(TerminalCharacters.escaped).joined()
            }
        }
        return line
    }

    private mutating func code(_ text: String) -> String { code(Array(text.utf8)) }

    /// Returns a span of code. Its marks are longer than any backticks in it.
    private mutating func code(_ bytes: [UInt8]) -> String { Self.span(line(bytes)) }

    /// Returns a span of code in a table, where a `|` needs a backslash, which must not become the second of two.
    private mutating func cell(_ bytes: [UInt8]) -> String {
        Self.span(line(bytes).replacing(#/\\*\|/#) { String(repeating: "\\", count: 2 * ($0.output.count - 1) + 1) + "|" })
    }

    private static func span(_ text: String) -> String {
        if text.isEmpty { return "` `" }
        let run = longestRun(in: text)
        // Readers of Markdown have a limit for the marks of a span, cmark once 80.
        if run > 50 { return span(text.replacing("`", with: "\\x60")) }
        let marks = String(repeating: "`", count: run + 1)
        let space = "` ".contains { text.first == $0 || text.last == $0 } ? " " : ""
        return marks + space + text + space + marks
    }

    private static func longestRun(in text: String) -> Int {
        text.utf8.split { $0 != UInt8(ascii: "`") }.map(\.count).max() ?? 0
    }
}
