import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

extension JSONReporter {
    func checked(_ overlay: Overlay, as argument: [UInt8]) -> [UInt8] {
        var report = object("overlay-check")
        report.add("overlay", name: argument)
        report.add("form", overlay.form.rawValue)
        report.add("steps", UInt64(overlay.targets.map(\.steps.count).reduce(0, +)))
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

    func shown(_ overlay: Overlay, as argument: [UInt8], isFull: Bool) -> [UInt8] {
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
        return report.closed + [Self.newline]
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
