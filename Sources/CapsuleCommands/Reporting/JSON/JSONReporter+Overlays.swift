import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

extension JSONReporter {
    func checked(_ inspection: OverlayInspection, _ carried: OverlayInspection.Payload, as argument: [UInt8]) -> [UInt8] {
        let overlay = inspection.overlay
        var report = object("overlay-check")
        report.add("overlay", name: argument)
        report.add("form", overlay.form.rawValue)
        report.add("steps", UInt64(overlay.targets.map(\.steps.count).reduce(0, +)))
        if inspection.isCapsule || !overlay.files.isEmpty {
            report.add("capsule", inspection.isCapsule)
            report.add("records", UInt64(overlay.files.count))
            report.add("carriedContents", carried.contents)
            report.add("carriedBytes", carried.bytes)
            report.add("withoutOld", carried.withoutOld)
        }
        let notes = overlay.notRepeatable
        report.add("repeatable", notes.isEmpty)
        report.add(
            "notes",
            list: notes.map { note in
                var item = JSONText()
                item.add("pointer", note.target?.description)
                item.add("message", note.message)
                return item
            })
        return report.closed + [Self.newline]
    }

    func shown(_ inspection: OverlayInspection, as argument: [UInt8], isFull: Bool) -> [UInt8] {
        let overlay = inspection.overlay
        func list(_ conditions: [Condition]) -> [[UInt8]] { conditions.map { Array($0.description.utf8) } }
        var report = object("overlay-show")
        report.add("overlay", name: argument)
        report.add("form", overlay.form.rawValue)
        report.add("name", overlay.name)
        report.add("note", overlay.note)
        report.add("when", names: list(overlay.conditions))
        report.add(
            "arrays",
            list: overlay.arrays.map { rule in
                var item = JSONText()
                item.add("pattern", rule.pattern.description)
                item.add("identity", rule.identity.description)
                return item
            })
        report.add(
            "targets",
            list: overlay.targets.map { target in
                var item = JSONText()
                item.add("path", target.path)
                item.add("root", target.root.description)
                item.add("when", names: list(target.conditions))
                item.add("create", target.create?.word)
                item.add("steps", list: target.steps.map { step($0, isFull: isFull) })
                item.add("encode", target.encode?.word)
                return item
            })
        if inspection.isCapsule || !overlay.files.isEmpty {
            report.add("capsule", inspection.isCapsule)
            report.add("files", list: overlay.files.map(record))
        }
        return report.closed + [Self.newline]
    }

    private func record(_ record: FileRecord) -> JSONText {
        var item = JSONText()
        item.add("change", RecordText.change(of: record).word)
        item.add("path", name: record.path.bytes)
        if let old = record.old { item.add("old", state(old)) }
        if let new = record.new { item.add("new", state(new)) }
        return item
    }

    private func state(_ state: FileState) -> JSONText {
        var item = JSONText()
        item.add("kind", state.kind.word)
        item.add("mode", state.mode?.octal)
        item.add("time", state.modified?.iso8601(fraction: true))
        if let attributes = state.attributes { item.add("attributes", names: attributes.map(\.name)) }
        if state.kind == .link { item.add("target", name: state.target) }
        guard let content = state.content else { return item }
        item.add("size", content.size)
        item.add("digest", content.digest.hex)
        if let recipe = content.recipe {
            item.add("pieces", UInt64(recipe.pieces.count))
            if let size = recipe.carriedSize { item.add("carriedBytes", size) }
        }
        return item
    }

    private func step(_ step: Overlay.Step, isFull: Bool) -> JSONText {
        var item = JSONText()
        item.add("op", step.name)
        item.add("pointer", step.place.description)
        item.add("from", step.from?.description)
        if let value = step.value { item.add("value", value, isFull: isFull) }
        if !step.conditions.isEmpty { item.add("when", names: step.conditions.map { Array($0.description.utf8) }) }
        return item
    }

    func identities(_ table: [ArrayIdentities.BuiltIn]) -> [UInt8] {
        table.flatMap { line in
            var item = object("overlay-identity")
            item.add("pattern", line.pattern)
            item.add("identity", line.identity.description)
            item.add("source", line.source)
            return item.closed + [Self.newline]
        }
    }
}

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
