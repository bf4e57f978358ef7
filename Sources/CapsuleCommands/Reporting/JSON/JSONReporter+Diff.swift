import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

extension JSONReporter {
    func compared(_ diff: ContainerDiff, _ style: DiffStyle, _ result: ExpectationResult?) -> [UInt8] {
        var header = JSONText()
        header.add("kind", "header")
        header.add("schema", "capsule.diff")
        header.add("version", UInt64(1))
        header.add("a", Self.side(diff.old))
        header.add("b", Self.side(diff.new))
        header.add("all", style.showsNoise)
        var report = header.closed + [Self.newline]
        for entry in diff.entries where style.showsNoise || !entry.isNoise {
            report += JSONEntry.line(entry, style).closed + [Self.newline]
            for detail in entry.details where style.showsNoise || detail.noise == nil {
                report += JSONDetail(entry.path, style).line(detail).closed + [Self.newline]
            }
        }
        let counts = diff.counts
        for (noise, changes) in counts.noise {
            var line = JSONText()
            line.add("kind", "noise")
            line.add("class", noise.rawValue)
            line.add("changes", UInt64(changes))
            report += line.closed + [Self.newline]
        }
        let findings = JSONFinding(style)
        for rule in diff.unusedRules { report += findings.line(rule).closed + [Self.newline] }
        for clause in diff.unmatchable { report += findings.line(clause).closed + [Self.newline] }
        for finding in result?.report(on: diff) ?? [] { report += findings.line(finding).closed + [Self.newline] }
        var end = JSONText()
        end.add("kind", "end")
        end.add("status", UInt64(Self.status(of: diff, result)))
        end.add("changes", UInt64(counts.changes))
        end.add("noise", UInt64(counts.noiseChanges))
        end.add("complete", diff.isComplete)
        end.add("exact", diff.isExact)
        end.add("shown", UInt64(counts.changes + counts.noiseChanges - diff.unshownChanges))
        return report + end.closed + [Self.newline]
    }

    /// Returns the exit status, without the effect of `--exit-zero`.
    private static func status(of diff: ContainerDiff, _ result: ExpectationResult?) -> Int {
        if diff.unread > 0 { return 2 }
        return (result.map { !$0.holds } ?? diff.isDifferent) ? 1 : 0
    }

    private static func side(_ side: ContainerDiff.Side) -> JSONText {
        var text = JSONText()
        text.add("source", name: side.source)
        text.add("tree", side.tree?.hex)
        return text
    }
}

/// The line of an entry that differs (docs/json.md, "diff").
private enum JSONEntry {
    static func line(_ entry: EntryChange, _ style: DiffStyle) -> JSONText {
        var line = JSONText()
        line.add("kind", entry.word)
        line.add("path", name: entry.path.bytes)
        if case .renamed(let old) = entry.kind { line.add("from", name: old.bytes) }
        line.add("handler", entry.handler)
        let details = entry.details.filter { style.showsNoise || $0.noise == nil }.count
        if details > 0 { line.add("details", UInt64(details)) }
        if let old = entry.old { line.add("old", facts(old)) }
        if let new = entry.new { line.add("new", facts(new)) }
        if style.showsNoise, entry.countsItself { line.add("noise", entry.noise?.rawValue) }
        return line
    }

    private static func facts(_ entry: TreeEntry) -> JSONText {
        var facts = JSONText()
        facts.add("type", entry.kind.word)
        switch entry.kind {
        case .link:
            facts.add("target", name: entry.target)
        case .directory:
            facts.add("mode", entry.mode.octal)
        case .file, .identity:
            facts.add("mode", entry.mode.octal)
            facts.add("size", entry.size)
            if entry.digest != .zero { facts.add("digest", entry.digest.hex) }
        }
        return facts
    }
}

/// The lines for findings of an expectation, and for clauses and rules that match nothing (docs/json.md, "Findings").
private struct JSONFinding {
    private let style: DiffStyle

    init(_ style: DiffStyle) {
        self.style = style
    }

    func line(_ finding: ExpectationFinding) -> JSONText {
        var line = JSONText()
        line.add("kind", "finding")
        line.add("finding", finding.kind.rawValue)
        line.add("message", finding.message)
        if let place = finding.place {
            add(place, to: &line)
        } else if let path = finding.rule?.clause.match.pathPattern?.literal {
            line.add("path", name: path)
        }
        if let rule = finding.rule { line.add("rule", Self.object(rule)) }
        if let expected = expected(by: finding) { line.add("expected", expected) }
        line.add("actual", actual(of: finding))
        return line
    }

    /// Returns the line for a clause that can't match anything.
    func line(_ clause: UnmatchableClause) -> JSONText {
        var line = JSONText()
        line.add("kind", "unmatchable")
        line.add("message", "\(clause.rule.name): \(clause.text)")
        line.add("rule", Self.object(clause.rule))
        line.add("what", clause.subject.rawValue)
        line.add("name", clause.name)
        line.add("suggestions", names: clause.suggestions.map { Array($0.utf8) })
        return line
    }

    /// Returns the line for an unused noise rule.
    func line(_ rule: UnusedRule) -> JSONText {
        var item = JSONText()
        item.add("part", "Rules")
        item.add("number", UInt64(rule.number))
        item.add("pointer", rule.pointer)
        item.add("class", rule.rule.noise.rawValue)
        item.add("note", rule.rule.note)
        item.add("match", .dictionary(rule.rule.match.entries), isFull: true)
        var line = JSONText()
        line.add("kind", "unused")
        line.add("message", rule.text)
        line.add("rule", item)
        line.add("suggestions", names: [rule.pathInside].compactMap { $0 }.map { Array($0.utf8) })
        return line
    }

    private static func object(_ rule: ExpectationFinding.Rule) -> JSONText {
        var item = JSONText()
        item.add("part", rule.part.rawValue)
        item.add("number", UInt64(rule.number))
        item.add("pointer", rule.pointer)
        item.add("note", rule.clause.note)
        item.add("match", .dictionary(rule.clause.match.entries), isFull: true)
        return item
    }

    /// Returns the number of changes that may match, and the values that the clause requires; nil if it requires neither.
    private func expected(by finding: ExpectationFinding) -> JSONText? {
        guard let range = finding.expected else { return nil }
        var item = JSONText()
        if range.lowerBound > 0 { item.add("min", range.lowerBound) }
        if range.upperBound < .max { item.add("max", range.upperBound) }
        let match = finding.rule?.clause.match.entries
        if let from = match?["From"] { item.add("from", from, isFull: true) }
        if let to = match?["To"] ?? match?["Value"] { item.add("to", to, isFull: true) }
        return item
    }

    private func actual(of finding: ExpectationFinding) -> JSONText {
        var item = JSONText()
        if let count = finding.count { item.add("count", count) }
        if let shown = finding.shown {
            if finding.changes.isEmpty { item.add("nearest", true) }
            add(shown.summary, to: &item)
        }
        if finding.changes.count > 1 {
            item.add(
                "changes",
                list: finding.changes.map { change in
                    var item = JSONText()
                    add(change.summary.place, to: &item)
                    add(change.summary, to: &item)
                    return item
                })
        }
        item.add("reason", finding.reason)
        return item
    }

    private func add(_ place: ChangeSummary.Location, to line: inout JSONText) {
        line.add("path", name: place.path.bytes)
        line.add("table", place.table)
        line.add("entity", place.entity)
        if !place.row.isEmpty {
            var row = JSONText()
            for key in place.row { row.add(key.value, as: key.column, isFull: style.isFull) }
            line.add("row", row)
        }
        line.add("column", place.column)
        line.add("pointer", place.pointer?.description)
    }

    private func add(_ summary: ChangeSummary, to line: inout JSONText) {
        line.add("change", summary.kind)
        line.add("op", summary.operation)
        if let old = summary.old { line.add(old, as: "old", isFull: style.isFull) }
        if let new = summary.new { line.add(new, as: "new", isFull: style.isFull) }
        line.add("text", summary.text)
    }
}
