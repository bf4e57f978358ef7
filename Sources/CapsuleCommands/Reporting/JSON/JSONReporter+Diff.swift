import CapsuleCore
import CapsuleEngine
import CapsulePropertyList
import CapsuleRules

extension JSONReporter {
    func compared(_ diff: ContainerDiff, _ style: DiffStyle, _ result: ExpectationResult?) -> [UInt8] {
        var report = diffStart(Self.side(diff.old), Self.side(diff.new), all: style.showsNoise) + lines(of: diff, style)
        let counts = diff.counts
        for (noise, changes) in counts.noise {
            report += (["kind": "noise", "class": noise.rawValue, "changes": changes] as JSONObject).line
        }
        for excluded in diff.excluded {
            report +=
                (["kind": "excluded", "pattern": JSONName(excluded.pattern), "entries": excluded.paths.count] as JSONObject).line
        }
        let findings = JSONFinding(style)
        for rule in diff.unusedRules { report += findings.line(rule).line }
        for clause in result?.unmatchable ?? [] { report += findings.line(clause).line }
        for finding in result?.report(on: diff) ?? [] { report += findings.line(finding).line }
        return report
            + diffEnd(
                status: Self.status(of: diff, result), changes: counts.changes, noise: counts.noiseChanges,
                isComplete: diff.isComplete, isExact: diff.isExact,
                shown: counts.changes + counts.noiseChanges - diff.unshownChanges, hidden: diff.hiddenSecrets)
    }

    /// Returns a line for each entry, followed by those of its details.
    func lines(of diff: ContainerDiff, _ style: DiffStyle) -> [UInt8] {
        var report: [UInt8] = []
        forEachObject(of: diff, style) { $0.appendLine(to: &report) }
        return report
    }

    private func forEachObject(of diff: ContainerDiff, _ style: DiffStyle, _ body: (JSONObject) -> Void) {
        for entry in diff.entries where style.showsNoise || !entry.isNoise {
            body(JSONEntry.line(entry, style))
            for detail in entry.details where style.showsNoise || detail.noise == nil {
                body(JSONDetail(entry.path, style).line(detail))
            }
        }
    }

    func settled(_ diff: ContainerDiff, at time: Timestamp, _ style: DiffStyle) -> [UInt8] {
        guard style.showsNoise || diff.isDifferent else { return [] }
        var lines: [JSONObject] = []
        forEachObject(of: diff, style) { lines.append($0) }
        let counts = diff.counts
        let hidden = diff.hiddenSecrets == 0 ? nil : diff.hiddenSecrets
        let change: JSONObject = [
            "kind": "change", "time": JSONTime(time, isExact: false), "changes": counts.changes, "noise": counts.noiseChanges,
            "complete": diff.isComplete, "exact": diff.isExact, "hidden": hidden, "lines": lines,
        ]
        return change.line
    }

    func watchStart(as argument: [UInt8]) -> [UInt8] { JSONObject(header: "watch", ["source": JSONName(argument)]).line }

    func watchEnd(isMet: Bool?, changes: Int, noise: Int) -> [UInt8] {
        (["kind": "end", "met": isMet, "changes": changes, "noise": noise] as JSONObject).line
    }

    func diffStart(_ old: JSONObject, _ new: JSONObject, all: Bool) -> [UInt8] {
        JSONObject(header: "diff", ["a": old, "b": new, "all": all]).line
    }

    func diffEnd(status: Int, changes: Int, noise: Int, isComplete: Bool, isExact: Bool, shown: Int, hidden: Int?) -> [UInt8] {
        let end: JSONObject = [
            "kind": "end", "status": status, "changes": changes, "noise": noise, "complete": isComplete, "exact": isExact,
            "shown": shown, "hidden": hidden == 0 ? nil : hidden,
        ]
        return end.line
    }

    /// Returns the exit status, without the effect of `--exit-zero`.
    private static func status(of diff: ContainerDiff, _ result: ExpectationResult?) -> Int {
        if diff.unread > 0 { return 2 }
        return (result.map { !$0.holds } ?? diff.isDifferent) ? 1 : 0
    }

    private static func side(_ side: ContainerDiff.Side) -> JSONObject {
        ["source": JSONName(side.source), "tree": side.tree]
    }
}

/// The line of an entry that differs (docs/json.md, "diff").
private enum JSONEntry {
    static func line(_ entry: EntryChange, _ style: DiffStyle) -> JSONObject {
        let from: RelativePath? = if case .renamed(let old) = entry.kind { old } else { nil }
        let details = entry.details.count { style.showsNoise || $0.noise == nil }
        return [
            "kind": entry.word, "path": JSONName(entry.path.bytes), "from": from.map { JSONName($0.bytes) },
            "handler": entry.handler, "details": details > 0 ? details : nil, "old": entry.old.map(facts),
            "new": entry.new.map(facts),
            "noise": style.showsNoise && entry.countsItself ? entry.noise?.rawValue : nil,
        ]
    }

    private static func facts(_ entry: TreeEntry) -> JSONObject {
        switch entry.kind {
        case .link: ["type": entry.kind.word, "target": JSONName(entry.target)]
        case .directory: ["type": entry.kind.word, "mode": entry.mode.octal]
        case .file, .identity:
            [
                "type": entry.kind.word, "mode": entry.mode.octal, "size": entry.size,
                "digest": entry.digest == .zero ? nil : entry.digest,
            ]
        }
    }
}

/// The lines for findings of an expectation, and for clauses and rules that match nothing (docs/json.md, "Findings").
private struct JSONFinding {
    private let style: DiffStyle

    init(_ style: DiffStyle) {
        self.style = style
    }

    func line(_ finding: ExpectationFinding) -> JSONObject {
        var line: JSONObject = ["kind": "finding", "finding": finding.kind.rawValue, "message": finding.message]
        if let place = finding.place {
            line.add(members(of: place))
        } else if let path = finding.rule?.clause.match.path?.literal {
            line.add("path", JSONName(path))
        }
        line.add(["rule": finding.rule.map(Self.object), "expected": expected(by: finding), "actual": actual(of: finding)])
        return line
    }

    func line(_ clause: UnmatchableClause) -> JSONObject {
        [
            "kind": "unmatchable", "message": "\(clause.rule.name): \(clause.text)", "rule": Self.object(clause.rule),
            "what": clause.subject.rawValue, "name": clause.name, "suggestions": clause.suggestions,
        ]
    }

    func line(_ rule: UnusedRule) -> JSONObject {
        let item: JSONObject = [
            "part": "Rules", "number": rule.number, "pointer": rule.pointer, "class": rule.rule.noise.rawValue,
            "note": rule.rule.note, "match": PlistValue.dictionary(rule.rule.match.entries).json(),
        ]
        return [
            "kind": "unused", "message": rule.text, "rule": item, "suggestions": [rule.pathInside].compactMap(\.self),
        ]
    }

    private static func object(_ rule: ExpectationFinding.Rule) -> JSONObject {
        [
            "part": rule.part.rawValue, "number": rule.number, "pointer": rule.pointer, "note": rule.clause.note,
            "match": PlistValue.dictionary(rule.clause.entries).json(),
        ]
    }

    /// Returns the number of changes that may match, and the values that the clause requires; nil if it requires neither.
    private func expected(by finding: ExpectationFinding) -> JSONObject? {
        guard let range = finding.expected else { return nil }
        let match = finding.rule?.clause.match.entries
        return [
            "min": range.lowerBound > 0 ? range.lowerBound : nil, "max": range.upperBound < .max ? range.upperBound : nil,
            "from": match?["From"]?.json(), "to": (match?["To"] ?? match?["Value"])?.json(),
        ]
    }

    private func actual(of finding: ExpectationFinding) -> JSONObject {
        var item: JSONObject = ["count": finding.count]
        if let shown = finding.shown {
            item.add("nearest", finding.changes.isEmpty ? true : nil)
            item.add(members(of: shown.summary))
        }
        if finding.changes.count > 1 {
            item.add(
                "changes",
                finding.changes.map { change in
                    var item = members(of: change.summary.place)
                    item.add(members(of: change.summary))
                    return item
                })
        }
        item.add("reason", finding.reason)
        return item
    }

    private func members(of place: ChangeSummary.Location) -> JSONObject {
        var row: JSONObject = [:]
        for key in place.row { row.add(key.column, key.value.json(isFull: style.isFull)) }
        return [
            "path": JSONName(place.path.bytes), "table": place.table, "entity": place.entity,
            "row": place.row.isEmpty ? nil : row, "column": place.column, "pointer": place.pointer?.description,
        ]
    }

    private func members(of summary: ChangeSummary) -> JSONObject {
        [
            "change": summary.kind, "op": summary.operation, "old": summary.old?.json(isFull: style.isFull),
            "new": summary.new?.json(isFull: style.isFull), "text": summary.text,
        ]
    }
}
