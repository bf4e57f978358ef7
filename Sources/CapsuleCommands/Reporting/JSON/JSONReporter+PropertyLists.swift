import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

extension JSONReporter {
    func applied(
        _ outcome: PlistApplier.Outcome, to argument: [UInt8], output: [UInt8]?, showing changes: PlistDiff?
    ) -> [UInt8] {
        let skipped: [JSONObject] = outcome.skipped.map { overlay, reason in
            ["overlay": JSONName(overlay.bytes), "reason": reason]
        }
        return JSONObject(
            schema: "apply",
            [
                "target": JSONName(argument), "output": output.map(JSONName.init), "changed": outcome.isChanged,
                "written": outcome.isWritten, "changes": changes?.changes.map { Self.change($0, isFull: false) },
                "notes": outcome.notes.map { overlay, note in Self.note(note, of: overlay) }, "skipped": skipped,
            ]
        ).line
    }

    static func note(_ note: OverlayNote, of overlay: HostPath? = nil) -> JSONObject {
        ["overlay": overlay.map { JSONName($0.bytes) }, "pointer": note.target?.description, "message": note.message]
    }

    func edited(
        _ argument: [UInt8], output: [UInt8]?, isChanged: Bool, isWritten: Bool, notes: [OverlayNote]
    ) -> [UInt8] {
        JSONObject(
            schema: "plist-edit",
            [
                "file": JSONName(argument), "output": output.map(JSONName.init), "changed": isChanged, "written": isWritten,
                "notes": notes.isEmpty ? nil : notes.map { Self.note($0) },
            ]
        ).line
    }

    func linted(_ file: PlistFile?, as argument: [UInt8], _ error: CapsuleError?) -> [UInt8] {
        JSONObject(
            schema: "plist-lint",
            [
                "file": JSONName(argument), "sound": file != nil, "encoding": file?.document.format.word,
                "valueDigest": file?.valueDigest, "message": error?.message, "place": error?.place, "hint": error?.hint,
            ]
        ).line
    }

    func value(_ value: PlistValue) throws(CapsuleError) -> [UInt8] {
        JSONObject(schema: "plist-get", ["type": value.typeName, "value": value.json()]).line
    }

    func printed(_ file: PlistFile, as argument: [UInt8]) -> [UInt8] {
        let value = file.document.value
        return JSONObject(
            schema: "plist-print",
            [
                "file": JSONName(argument), "encoding": file.document.format.word, "type": value.typeName, "value": value.json(),
            ]
        ).line
    }

    private static func change(_ change: PlistChange, isFull: Bool) -> JSONObject {
        if case .encoding(let old, let new) = change.kind {
            return ["kind": "encoding", "old": old.word, "new": new.word, "pointer": change.pointer.description]
        }
        var line: JSONObject = ["kind": "value"]
        line.add(members(of: change, isFull: isFull))
        return line
    }

    /// Returns a change at a place of a property list, without its kind.
    static func members(of change: PlistChange, isFull: Bool) -> JSONObject {
        let pointer = change.pointer.description
        if case .encoding(let old, let new) = change.kind { return ["pointer": pointer, "old": old.word, "new": new.word] }
        return [
            "op": change.name, "pointer": pointer, "class": change.className?.string,
            "old": change.shownOld?.json(isFull: isFull), "new": change.shownNew?.json(isFull: isFull),
        ]
    }
}
