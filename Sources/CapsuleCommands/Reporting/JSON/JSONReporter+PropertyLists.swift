import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

extension JSONReporter {
    func applied(
        _ outcome: PlistApplier.Outcome, to argument: [UInt8], output: [UInt8]?, showing changes: PlistDiff?
    ) -> [UInt8] {
        var report = object("apply")
        report.add("target", name: argument)
        if let output { report.add("output", name: output) }
        report.add("changed", outcome.isChanged)
        report.add("written", outcome.isWritten)
        if let changes { report.add("changes", list: changes.changes.map { Self.change($0, isFull: false) }) }
        report.add("notes", list: outcome.notes.map { overlay, note in Self.note(note, of: overlay) })
        report.add(
            "skipped",
            list: outcome.skipped.map { overlay, reason in
                var item = JSONText()
                item.add("overlay", name: overlay.bytes)
                item.add("reason", reason)
                return item
            })
        return report.closed + [Self.newline]
    }

    private static func note(_ note: OverlayNote, of overlay: HostPath? = nil) -> JSONText {
        var item = JSONText()
        if let overlay { item.add("overlay", name: overlay.bytes) }
        if let target = note.target { item.add("pointer", target.description) }
        item.add("message", note.message)
        return item
    }

    func edited(
        _ argument: [UInt8], output: [UInt8]?, isChanged: Bool, isWritten: Bool, notes: [OverlayNote]
    ) -> [UInt8] {
        var report = object("plist-edit")
        report.add("file", name: argument)
        if let output { report.add("output", name: output) }
        report.add("changed", isChanged)
        report.add("written", isWritten)
        if !notes.isEmpty { report.add("notes", list: notes.map { Self.note($0) }) }
        return report.closed + [Self.newline]
    }

    func linted(_ file: PlistFile?, as argument: [UInt8], _ error: CapsuleError?) -> [UInt8] {
        var report = object("plist-lint")
        report.add("file", name: argument)
        report.add("sound", file != nil)
        if let file {
            report.add("encoding", file.document.format.word)
            report.add("valueDigest", file.valueDigest?.hex)
        }
        if let error {
            report.add("message", error.message)
            report.add("place", error.place)
            report.add("hint", error.hint)
        }
        return report.closed + [Self.newline]
    }

    func value(_ value: PlistValue) throws(CapsuleError) -> [UInt8] {
        var report = object("plist-get")
        report.add("type", value.typeName)
        report.add("value", value, isFull: true)
        return report.closed + [Self.newline]
    }

    /// Returns a complete property list, the JSON form of `plist print`.
    func printed(_ file: PlistFile, as argument: [UInt8]) -> [UInt8] {
        var report = object("plist-print")
        report.add("file", name: argument)
        report.add("encoding", file.document.format.word)
        report.add("type", file.document.value.typeName)
        report.add("value", file.document.value, isFull: true)
        return report.closed + [Self.newline]
    }

    // MARK: Differences

    func compared(_ outcome: PlistFileDiffer.Outcome, as arguments: (old: [UInt8], new: [UInt8]), isFull: Bool) -> [UInt8] {
        func side(_ argument: [UInt8], _ file: PlistFile) -> JSONText {
            var side = JSONText()
            side.add("source", name: argument)
            side.add("encoding", file.document.format.word)
            return side
        }
        var header = JSONText()
        header.add("kind", "header")
        header.add("schema", "capsule.diff")
        header.add("version", UInt64(1))
        header.add("a", side(arguments.old, outcome.old))
        header.add("b", side(arguments.new, outcome.new))
        header.add("all", false)
        var report = header.closed + [Self.newline]
        for change in outcome.diff.changes { report += Self.change(change, isFull: isFull).closed + [Self.newline] }
        if outcome.diff.encodingsDiffer {
            report += Self.encoding(outcome.old.document.format, outcome.new.document.format).closed + [Self.newline]
        }
        for bound in outcome.diff.bounds.sorted(by: { $0.rawValue < $1.rawValue }) {
            var limit = JSONText()
            limit.add("kind", "limit")
            limit.add("what", bound.rawValue)
            limit.add("judged", false)
            report += limit.closed + [Self.newline]
        }
        var end = JSONText()
        end.add("kind", "end")
        end.add("status", UInt64(outcome.isDifferent ? 1 : 0))
        end.add("changes", UInt64(outcome.changes))
        end.add("noise", UInt64(0))
        end.add("complete", outcome.diff.bounds.isEmpty)
        end.add("exact", outcome.diff.bounds.isEmpty)
        end.add("shown", UInt64(outcome.changes))
        return report + end.closed + [Self.newline]
    }

    static func change(_ change: PlistChange, isFull: Bool) -> JSONText {
        if case .encoding(let old, let new) = change.kind {
            var line = encoding(old, new)
            line.add("pointer", change.pointer.description)
            return line
        }
        var line = JSONText()
        line.add("kind", "value")
        line.add("op", change.name)
        line.add("pointer", change.pointer.description)
        line.add("class", change.className?.string)
        if let old = change.old { line.add("old", old, isFull: isFull) }
        if let new = change.new { line.add("new", new, isFull: isFull) }
        return line
    }

    private static func encoding(_ old: PlistFormat, _ new: PlistFormat) -> JSONText {
        var line = JSONText()
        line.add("kind", "encoding")
        line.add("old", old.word)
        line.add("new", new.word)
        return line
    }
}
