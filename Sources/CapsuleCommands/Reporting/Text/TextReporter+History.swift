import CapsuleCore
import CapsuleEngine
import CapsuleRules

extension TextReporter {
    /// A line for each version, `3  after  2026-05-17T09:40:00Z  /launches: 6 → 7`, and below it the changes if `isPatch` is true.
    func changed(_ history: VersionHistory, as argument: [UInt8], _ style: DiffStyle, isPatch: Bool) -> [UInt8] {
        let labels = history.changes.map { $0.labels.isEmpty ? "-" : $0.labels.map(\.text).joined(separator: ",") }
        let width = history.changes.contains { !$0.labels.isEmpty } ? labels.map(\.count).max() ?? 0 : nil
        let digits = history.changes.map { String($0.version).count }.max() ?? 0
        let lines = zip(history.changes, labels).flatMap { change, label in
            let start = [
                String(change.version).leftPadded(to: digits), width.map { label.padded(to: $0) }, change.captured.iso8601(),
            ]
            let facts = styled(start.compactMap { $0 }.joined(separator: "  "), 1)
            let line = text(wrapped("\(facts)  \(summary(of: change, in: history, style))", indent: 4) + "\n")
            return isPatch ? line + compared(change.diff, style, nil) : line
        }
        let isShown = isPatch || history.place != nil
        return lines + (isShown ? secrets(history.changes.reduce(0) { $0 + ($1.diff.hiddenSecrets ?? 0) }) : [])
    }

    private func summary(of change: VersionHistory.Change, in history: VersionHistory, _ style: DiffStyle) -> String {
        let entries = change.diff.entries
        guard let entry = entries.first else { return "nothing differs" }
        guard entries.count == 1, let path = history.path else { return StatText.total(of: entries) }
        if history.place != nil, entry.details.count == 1 { return words(of: entry.details[0], style) }
        let summary = StatText(reporter: self, showsNoise: true).summary(of: entry)
        let name = QuotedBytes(entry.path.bytes).text
        if case .renamed(let old) = entry.kind { return "\(QuotedBytes(old.bytes).text) \u{2192} \(name): \(summary)" }
        return entry.path == path ? summary : "\(name): \(summary)"
    }

    /// `/launches: 6 → 7`, `/launches added: 6` or `ZGIF[7]: title "a" → "b"`
    private func words(of detail: ChangeDetail, _ style: DiffStyle) -> String {
        let place =
            switch detail.content {
            case .value(let change): PlistChangeText.place(change.pointer)
            case .row(let row): DetailText.shown("\(row.table)[\(row.keyText)]")
            default: ""
            }
        let operation = detail.operation.flatMap { ["added", "deleted"].contains($0) ? $0 : nil }
        let words = DetailText(reporter: self, isFull: style.isFull, showsNoise: true, isState: true).words(detail.content)
        return [place, operation].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ") + ": " + words
    }
}
