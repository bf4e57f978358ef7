import CapsuleCore
import CapsulePropertyList

/// The lines of what an expectation finds, and of what matches nothing (docs/json.md, "Findings").
struct JSONFinding {
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

    /// A clause that nothing can match.
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

    /// A noise rule that decides about nothing.
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

    /// How many changes may match, and the values that the clause asks for; nil where it asks for neither.
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

    private func add(_ place: ChangeSummary.Place, to line: inout JSONText) {
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
