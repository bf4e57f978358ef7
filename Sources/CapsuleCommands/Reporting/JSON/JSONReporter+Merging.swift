import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

extension JSONReporter {
    func merged(_ outcome: MergeOutcome, isListed: Bool, hasSummary: Bool) -> [UInt8] {
        let document = outcome.document
        var header = JSONText()
        header.add("kind", "header")
        header.add("schema", "capsule.merge")
        header.add("version", UInt64(1))
        for (name, input) in [("base", document.base), ("ours", document.ours), ("theirs", document.theirs)] {
            var item = JSONText()
            item.add("source", name: input.source)
            item.add("digest", input.digest)
            header.add(name, item)
        }
        var report = header.closed + [Self.newline]
        for conflict in document.conflicts { report += line(of: conflict).closed + [Self.newline] }
        var end = JSONText()
        end.add("kind", "end")
        end.add("status", UInt64(outcome.openCount == 0 ? 0 : 1))
        end.add("conflicts", UInt64(document.conflicts.count))
        end.add("open", UInt64(outcome.openCount))
        end.add("written", outcome.output != nil)
        if let output = outcome.output { end.add("output", name: output.bytes) }
        end.add("taken", UInt64(outcome.taken))
        end.add("merged", UInt64(outcome.merged))
        end.add("notes", names: outcome.notes.map { Array($0.utf8) })
        return report + end.closed + [Self.newline]
    }

    private func line(of conflict: Conflict) -> JSONText {
        var line = JSONText()
        line.add("kind", "conflict")
        line.add("id", conflict.id)
        line.add("conflict", conflict.kind.rawValue)
        if let path = conflict.path { line.add("path", name: path.bytes) }
        line.add("pointer", conflict.pointer?.description)
        if let range = conflict.range { line.add("at", numbers: [UInt64(range.lowerBound), UInt64(range.count)]) }
        line.add("table", conflict.table)
        if let row = conflict.row { line.add("row", .dictionary(row), isFull: true) }
        line.add("column", conflict.column)
        if let base = conflict.base { line.add("base", base, isFull: false) }
        if let ours = conflict.ours { line.add("ours", ours, isFull: false) }
        if let theirs = conflict.theirs { line.add("theirs", theirs, isFull: false) }
        line.add("reason", conflict.reason)
        line.add("take", conflict.resolution?.word)
        if case .value(let value)? = conflict.resolution { line.add("value", value, isFull: false) }
        line.add("by", conflict.decidedBy)
        return line
    }
}

extension JSONReporter {
    func git(_ states: [GitIntegration.State], isChange: Bool) -> [UInt8] {
        var report = object("git")
        if isChange { report.add("changed", states.contains(where: \.isChanged)) }
        report.add(
            "scopes",
            list: states.map { state in
                var item = JSONText()
                item.add("scope", state.scope.rawValue)
                item.add("state", state.extent.rawValue)
                item.add("attributes", name: state.attributes.bytes)
                if let driver = state.driver { item.add("driver", name: driver) }
                return item
            })
        return report.closed + [Self.newline]
    }
}
