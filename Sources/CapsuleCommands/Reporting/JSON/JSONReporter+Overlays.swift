import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsuleOverlay
import CapsulePropertyList

extension JSONReporter {
    func checked(
        _ inspection: OverlayInspection, _ carried: OverlayInspection.Payload, _ repetition: PlistApplier.Repetition?,
        as argument: [UInt8]
    ) -> [UInt8] {
        let overlay = inspection.overlay
        var report = JSONObject(
            schema: "overlay-check",
            [
                "overlay": JSONName(argument), "form": overlay.form.rawValue,
                "steps": overlay.targets.map(\.steps.count).reduce(0, +),
            ])
        if inspection.isCapsule || !overlay.files.isEmpty {
            report.add([
                "capsule": inspection.isCapsule, "records": overlay.files.count, "carriedContents": carried.contents,
                "carriedBytes": carried.bytes, "withoutOld": carried.withoutOld,
            ])
        }
        if let repetition { report.add(["repeatable": repetition.isIdempotent]) }
        return report.line
    }

    func shown(_ inspection: OverlayInspection, as argument: [UInt8], isFull: Bool) -> [UInt8] {
        let overlay = inspection.overlay
        let arrays: [JSONObject] = overlay.arrays.map { rule in
            ["pattern": rule.pattern.description, "identity": rule.identity.description]
        }
        let targets: [JSONObject] = overlay.targets.map { target in
            [
                "path": target.path, "root": target.root.description, "when": target.conditions.map(\.description),
                "create": target.create?.word, "steps": target.steps.map { step($0, isFull: isFull) },
                "encode": target.encode?.word,
            ]
        }
        let hasFiles = inspection.isCapsule || !overlay.files.isEmpty
        return JSONObject(
            schema: "overlay-show",
            [
                "overlay": JSONName(argument), "form": overlay.form.rawValue, "name": overlay.name, "note": overlay.note,
                "when": overlay.conditions.map(\.description), "arrays": arrays, "targets": targets,
                "capsule": hasFiles ? inspection.isCapsule : nil, "files": hasFiles ? overlay.files.map(record) : nil,
            ]
        ).line
    }

    private func record(_ record: FileRecord) -> JSONObject {
        [
            "change": RecordText.change(of: record).rawValue, "path": JSONName(record.path.bytes), "old": record.old.map(state),
            "new": record.new.map(state),
        ]
    }

    private func state(_ state: FileState) -> JSONObject {
        let recipe = state.content?.recipe
        return [
            "kind": state.kind.word, "mode": state.mode?.octal, "time": state.modified?.iso8601(fraction: true),
            "attributes": state.attributes.map { Self.texts($0.map(\.name)) },
            "target": state.kind == .link ? JSONName(state.target) : nil, "size": state.content?.size,
            "digest": state.content?.digest, "pieces": recipe?.pieces.count, "carriedBytes": recipe?.carriedSize,
        ]
    }

    private func step(_ step: Overlay.Step, isFull: Bool) -> JSONObject {
        [
            "op": step.name, "pointer": step.place.description, "from": step.from?.description,
            "value": step.value?.json(isFull: isFull),
            "when": step.conditions.isEmpty ? nil : step.conditions.map(\.description),
        ]
    }

    func identities(_ table: [ArrayIdentities.BuiltIn]) -> [UInt8] {
        table.flatMap { line in
            JSONObject(
                schema: "overlay-identity",
                ["pattern": line.pattern, "identity": line.identity.description, "source": line.source]
            ).line
        }
    }

    func applied(_ outcome: ApplyOutcome, to argument: [UInt8], _ style: DiffStyle) -> [UInt8] {
        let counts = outcome.counts
        let report = JSONObject(
            schema: "target",
            [
                "target": JSONName(argument), "changed": outcome.isChanged, "written": outcome.isWritten, "files": counts.written,
                "bytes": counts.bytes, "made": counts.made, "deleted": counts.deleted, "metadata": counts.facts,
                "remaining": outcome.remaining, "undo": outcome.isUndoWritten,
                "groups": outcome.groups.map(Self.group),
                "recovered": outcome.recovered.map(Self.recovered), "notes": outcome.notes, "advice": outcome.advice?.lines,
            ])
        return (outcome.changes.map { compared($0, style, nil) } ?? []) + report.line
    }

    private static func group(_ group: (identifier: [UInt8], counts: ApplyCounts)) -> JSONObject {
        let counts = group.counts
        return [
            "group": JSONName(group.identifier), "files": counts.written, "bytes": counts.bytes, "made": counts.made,
            "deleted": counts.deleted, "metadata": counts.facts,
        ]
    }
}
