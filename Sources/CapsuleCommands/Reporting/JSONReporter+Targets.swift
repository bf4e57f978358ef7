import CapsuleEngine

extension JSONReporter {
    func applied(_ outcome: ApplyOutcome, to argument: [UInt8], _ style: DiffStyle) -> [UInt8] {
        var report = object("target")
        report.add("target", name: argument)
        report.add("changed", outcome.isChanged)
        report.add("written", outcome.isWritten)
        report.add("files", UInt64(outcome.counts.written))
        report.add("bytes", outcome.counts.bytes)
        report.add("made", UInt64(outcome.counts.made))
        report.add("deleted", UInt64(outcome.counts.deleted))
        report.add("metadata", UInt64(outcome.counts.facts))
        report.add("remaining", UInt64(outcome.remaining))
        report.add("undo", outcome.isUndoWritten)
        report.add(
            "recovered", list: outcome.recovered.map(Self.recovered))
        report.add("notes", names: outcome.notes.map { Array($0.utf8) })
        if let advice = outcome.advice { report.add("advice", names: advice.lines.map { Array($0.utf8) }) }
        let changes = outcome.changes.map { compared($0, style, nil) } ?? []
        return changes + report.closed + [Self.newline]
    }
}
