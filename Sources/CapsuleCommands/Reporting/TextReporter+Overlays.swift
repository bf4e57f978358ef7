import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

extension TextReporter {
    func checked(_ inspection: OverlayInspection, _ carried: OverlayInspection.Carried, as argument: [UInt8]) -> [UInt8] {
        let overlay = inspection.overlay
        let steps = UInt64(overlay.targets.map(\.steps.count).reduce(0, +))
        var parts = [inspection.isCapsule ? "an overlay capsule" : overlay.form.nameWithArticle]
        if steps > 0 || overlay.files.isEmpty { parts.append(Quantity.counted(steps, "step", "steps")) }
        if !overlay.files.isEmpty { parts.append(Quantity.counted(UInt64(overlay.files.count), "record", "records")) }
        if carried.contents > 0 { parts.append(Quantity.counted(carried.bytes, "byte", "bytes") + " carried") }
        var report = name(argument) + text(": \(styled("OK", 32)), \(parts.joined(separator: ", "))\n")
        if carried.withoutOld > 0 {
            report += text(
                "one-way: it does not include the old contents of \(Quantity.counted(carried.withoutOld, "file", "files"))\n")
        }
        let notes = overlay.notRepeatable
        guard !notes.isEmpty else { return report }
        report += text("not idempotent: applied again, it may fail or make further changes:\n")
        for note in notes {
            report += text("  \(note.target.map(PlistChangeText.place) ?? ""): \(note.message)\n")
        }
        return report
    }

    func shown(_ inspection: OverlayInspection, as argument: [UInt8], isFull: Bool) -> [UInt8] {
        let overlay = inspection.overlay
        let change = PlistChangeText(isStyled: isStyled, isFull: isFull)
        var rows: [(indent: Int, term: String, text: String)] = []
        func add(_ indent: Int, _ term: String, _ text: String?) {
            if let text { rows.append((indent, term, QuotedBytes(Array(text.utf8)).text)) }
        }
        func list(_ conditions: [Condition]) -> String? {
            conditions.isEmpty ? nil : conditions.map(\.description).joined(separator: ", ")
        }
        add(0, "form", inspection.isCapsule ? "an overlay capsule" : overlay.form.nameWithArticle)
        add(0, "name", overlay.name)
        add(0, "note", overlay.note)
        add(0, "when", list(overlay.conditions))
        for rule in overlay.arrays { add(0, "arrays", "\(rule.pattern) \(rule.identity)") }
        for target in overlay.targets {
            let isNamed = target.path != nil || overlay.targets.count > 1
            if isNamed {
                add(0, "target", (target.root == .appData ? "" : "\(target.root):") + (target.path ?? "(the property list)"))
            }
            let indent = isNamed ? 2 : 0
            add(indent, "when", list(target.conditions))
            add(indent, "create", target.create?.word)
            for step in target.steps {
                var line = PlistChangeText.place(step.place)
                if let value = step.value { line += ": \(change.text(value))" }
                if let from = step.from { line += " from \(PlistChangeText.place(from))" }
                if let conditions = list(step.conditions) { line += ", if \(conditions)" }
                rows.append((indent, step.name, line))
            }
            add(indent, "encode", target.encode?.word)
        }
        let width = (rows.map { $0.indent + $0.term.utf8.count }.max() ?? 0) + 2
        let lines = rows.flatMap { row in
            let start = String(repeating: " ", count: row.indent) + row.term
            return text(start + String(repeating: " ", count: width - start.utf8.count) + row.text + "\n")
        }
        let records = RecordText(isFull: isFull)
        return lines + overlay.files.flatMap { record in text(records.line(of: record) + "\n") }
    }

    func identities(_ table: [ArrayIdentities.BuiltIn]) -> [UInt8] {
        let first = (table.map(\.pattern.utf8.count).max() ?? 0) + 2
        let second = (table.map(\.identity.description.utf8.count).max() ?? 0) + 2
        func padded(_ string: String, _ width: Int) -> String {
            string + String(repeating: " ", count: width - string.utf8.count)
        }
        return table.flatMap { line in
            text(padded(line.pattern, first) + padded(line.identity.description, second) + line.source + "\n")
        }
    }
}
