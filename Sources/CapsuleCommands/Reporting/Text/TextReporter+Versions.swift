import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

extension TextReporter {
    func compacted(_ outcome: Compactor.Outcome, as argument: [UInt8]) -> [UInt8] {
        let kept = VersionNumbers(outcome.kept)
        let length = Quantity.bytes(outcome.length)
        guard outcome.isChanged else {
            let count = Quantity.counted(UInt64(outcome.kept.count), "version", "versions")
            return name(argument) + text(": nothing to drop: \(count), \(length)\n")
        }
        var report = name(outcome.path.bytes) + text(": \(kept) kept")
        if !outcome.dropped.isEmpty { report += text(", \(VersionNumbers(outcome.dropped)) dropped") }
        report += text(": \(Quantity.bytes(outcome.lengthBefore)) before, \(length) now")
        if outcome.length < outcome.lengthBefore {
            report += text(", \(Quantity.bytes(outcome.lengthBefore - outcome.length)) saved")
        }
        return report + text("\n")
    }

    func labeled(_ outcome: Labeler.Outcome, as argument: [UInt8]) -> [UInt8] {
        let before = outcome.previous.map { " (before: version \($0))" } ?? ""
        let state =
            switch outcome.version {
            case let version? where outcome.isChanged: "label '\(outcome.label.text)' names version \(version)\(before)"
            case let version?: "version \(version) already has the label '\(outcome.label.text)'"
            case nil: "label '\(outcome.label.text)' deleted\(before)"
            }
        return name(argument) + text(": \(state)\n")
    }

    func signed(_ outcome: VersionSigner.Outcome) -> [UInt8] {
        name(outcome.file.bytes) + text(": version \(outcome.version) signed: ") + name(outcome.signature.bytes) + text("\n")
    }

    func logged(_ log: VersionLog, as argument: [UInt8]) -> [UInt8] {
        VersionTable(log).lines.flatMap { text($0) }
    }

    func recovered(_ outcome: RecoveryOutcome, as argument: [UInt8]) -> [UInt8] {
        let leftovers = outcome.leftovers.flatMap { leftover in
            let word =
                switch leftover.state {
                case .abandoned: styled("left behind", 33)
                case .deleted: styled("deleted", 32)
                case .inUse: "in use by a running command"
                case .unproven: "possibly a temporary file"
                }
            return text("\(word): ") + name(leftover.path.bytes) + text("\n")
        }
        if outcome.directories.isEmpty { return name(argument) + text(": nothing to recover\n") + leftovers }
        let directories = outcome.directories.flatMap { directory in
            switch directory.result {
            case .rolledBack:
                text("\(styled("rolled back", 33)): ") + name(directory.path.bytes) + text(" is in its old state\n")
            case .finished:
                text("\(styled("finished", 32)): ") + name(directory.path.bytes) + text(" is in its new state\n")
            }
        }
        return directories + leftovers
    }

    func repaired(_ outcome: RepairOutcome, as argument: [UInt8]) -> [UInt8] {
        let versions = VersionNumbers(outcome.versions)
        if outcome.tail == .whole {
            let count = Quantity.counted(UInt64(outcome.versions.count), "version", "versions")
            return outcome.remaining.isWhole
                ? name(argument) + text(": nothing to repair: \(count)\n")
                : name(argument) + text(": nothing to remove: \(count)\n")
        }
        var report = name(argument) + text(": \(styled("repaired", 32)): ")
        let bytes = Quantity.counted(outcome.dropped, "byte", "bytes")
        let place = "at byte \(Quantity.grouped(outcome.offset))"
        if let saved = outcome.saved {
            report += text("moved \(bytes) \(place) to ") + name(saved.bytes)
        } else {
            report += text("removed an incomplete tail of \(bytes) \(place)")
        }
        report += text("; \(versions) \(versions.isOne ? "remains" : "remain")\n")
        for manifest in outcome.lost {
            report += name(argument) + text(": removed: version \(manifest.version)")
            if let label = manifest.label { report += text(" '\(label.text)'") }
            report += text(
                ", captured \(manifest.captured.iso8601()), \(Quantity.counted(manifest.entries, "entry", "entries"))\n")
        }
        if outcome.tail == .damaged, outcome.lost.isEmpty {
            report += name(argument) + text(": the removed data names no version\n")
        }
        return report
    }
}

/// The output of `log`: a line for each version, in columns, below a line with their names.
private struct VersionTable {
    private struct Row {
        var number: String
        var label = "-"
        var captured = "-"
        var entries = "-"
        var added: String
        /// The source, or the problem; it may contain any character.
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
            if !version.labels.isEmpty { row.label = version.labels.map(\.text).joined(separator: ",") }
            if let details = version.details {
                row.captured = details.captured.iso8601()
                row.entries = Quantity.grouped(details.entries)
                row.source = Self.source(details.source)
                // A note may have several lines, but this is one line.
                row.note = details.note.map { QuotedBytes($0.string).text } ?? ""
            }
            if let problem = version.problem { row.source = problem }
            if let signature = version.signature {
                let text = "signature \(QuotedBytes(signature.bytes).text), not checked"
                row.note = row.note.isEmpty ? text : "\(row.note); \(text)"
            }
            rows.append(row)
        }
        if rows.dropFirst().allSatisfy({ $0.note.isEmpty }) { rows[0].note = "" }
    }

    var lines: [String] {
        let number = width(\.number)
        let label = width(\.label)
        let captured = width(\.captured)
        let entries = width(\.entries)
        let added = width(\.added)
        // The text of a problem may be long, but it is the last column.
        let source = rows.filter { !$0.note.isEmpty }.map(\.source.count).max() ?? 0
        return rows.map { row in
            let cells = [
                Self.right(row.number, number), row.label.padded(to: label), row.captured.padded(to: captured),
                Self.right(row.entries, entries), Self.right(row.added, added),
                row.note.isEmpty ? row.source : row.source.padded(to: source) + "  " + row.note,
            ]
            return cells.joined(separator: "  ") + "\n"
        }
    }

    /// `bundle com.example.gifs`
    private static func source(_ source: SourceDescription) -> String {
        let words = [source.kind.rawValue, source.archive?.string, source.bundleIdentifier?.string]
        return words.compactMap { $0 }.map { QuotedBytes($0).text }.joined(separator: " ")
    }

    private func width(_ cell: KeyPath<Row, String>) -> Int { rows.map { $0[keyPath: cell].count }.max() ?? 0 }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
