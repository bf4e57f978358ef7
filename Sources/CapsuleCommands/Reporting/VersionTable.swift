import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

/// What `log` prints: a line for each version, in columns, under a line that names them.
struct VersionTable {
    /// The cells of a line.
    private struct Row {
        var number: String
        var label = "-"
        var captured = "-"
        var entries = "-"
        var added: String
        /// Where it is from, or what is wrong; it may hold any character.
        var source: String
        var note = ""
    }

    private var rows = [
        Row(
            number: "version", label: "label", captured: "captured", entries: "entries", added: "bytes", source: "source",
            note: "note")
    ]

    init(_ log: VersionLog) {
        for version in log.versions {
            var row = Row(number: String(version.number), added: "+" + Quantity.grouped(version.added), source: "")
            if let manifest = version.manifest {
                row.label = manifest.label?.text ?? "-"
                row.captured = manifest.captured.iso8601()
                row.entries = Quantity.grouped(manifest.entries)
                row.source = Self.source(of: manifest)
                // A note may have lines, and this is one.
                row.note = manifest.note.map { QuotedBytes(Array($0.string.utf8)).text } ?? ""
            }
            if let problem = version.problem { row.source = problem }
            rows.append(row)
        }
        if rows.dropFirst().allSatisfy({ $0.note.isEmpty }) { rows[0].note = "" }
    }

    /// The lines, each with its end.
    var lines: [String] {
        let number = width(\.number)
        let label = width(\.label)
        let captured = width(\.captured)
        let entries = width(\.entries)
        let added = width(\.added)
        // What is wrong may be long, and nothing stands behind it.
        let source = rows.filter { !$0.note.isEmpty }.map(\.source.count).max() ?? 0
        return rows.map { row in
            let cells = [
                Self.right(row.number, number), Self.left(row.label, label), Self.left(row.captured, captured),
                Self.right(row.entries, entries), Self.right(row.added, added),
                row.note.isEmpty ? row.source : Self.left(row.source, source) + "  " + row.note,
            ]
            return cells.joined(separator: "  ") + "\n"
        }
    }

    /// `bundle com.example.gifs`
    private static func source(of manifest: Manifest) -> String {
        let source = manifest.source
        let words = [source.kind.rawValue, source.archive?.string, source.bundleIdentifier?.string]
        return words.compactMap { $0 }.map { QuotedBytes(Array($0.utf8)).text }.joined(separator: " ")
    }

    private func width(_ cell: KeyPath<Row, String>) -> Int { rows.map { $0[keyPath: cell].count }.max() ?? 0 }

    private static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
