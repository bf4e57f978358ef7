import CapsuleCore
import CapsuleEngine
import CapsuleMerge
import CapsulePropertyList

extension JSONReporter {
    func merged(_ outcome: MergeOutcome, isListed: Bool, hasSummary: Bool) -> [UInt8] {
        let document = outcome.document
        func item(_ input: ConflictsDocument.Input) -> JSONObject {
            ["source": JSONName(input.source), "digest": input.digest]
        }
        let header = JSONObject(
            header: "merge",
            ["base": item(document.base), "ours": item(document.ours), "theirs": item(document.theirs)])
        let end: JSONObject = [
            "kind": "end", "status": outcome.openCount == 0 ? 0 : 1, "conflicts": document.conflicts.count,
            "open": outcome.openCount, "written": outcome.output != nil, "output": outcome.output.map { JSONName($0.bytes) },
            "taken": outcome.taken, "merged": outcome.merged, "notes": outcome.notes,
        ]
        return header.line + document.conflicts.flatMap { line(of: $0).line } + end.line
    }

    private func line(of conflict: Conflict) -> JSONObject {
        let value: PlistValue? = if case .value(let value)? = conflict.resolution { value } else { nil }
        return [
            "kind": "conflict", "id": conflict.id, "conflict": conflict.kind.rawValue,
            "path": conflict.path.map { JSONName($0.bytes) }, "pointer": conflict.pointer?.description,
            "at": conflict.range.map { [$0.lowerBound, $0.count] }, "table": conflict.table,
            "row": conflict.row.map { PlistValue.dictionary($0).json() }, "column": conflict.column,
            "base": conflict.base?.json(isFull: false), "ours": conflict.ours?.json(isFull: false),
            "theirs": conflict.theirs?.json(isFull: false), "reason": conflict.reason, "take": conflict.resolution?.word,
            "value": value?.json(isFull: false), "by": conflict.decidedBy,
        ]
    }

    func git(_ states: [GitIntegration.State], isChange: Bool) -> [UInt8] {
        let scopes: [JSONObject] = states.map { state in
            [
                "scope": state.scope.rawValue, "state": state.extent.rawValue, "attributes": JSONName(state.attributes.bytes),
                "driver": state.driver.map(JSONName.init),
            ]
        }
        let isChanged = isChange ? states.contains(where: \.isChanged) : nil
        return JSONObject(schema: "git", ["changed": isChanged, "scopes": scopes]).line
    }
}
