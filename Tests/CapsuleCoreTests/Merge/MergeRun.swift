import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge

/// A merge of three property lists with its result.
struct MergeRun {
    let value: PlistValue
    let conflicts: [Conflict]
    let notes: [OverlayNote]

    init(
        _ base: PlistValue?, _ ours: PlistValue, _ theirs: PlistValue, identities: ArrayIdentities = SeededGenerator.identities,
        resolutions: [String: Resolution] = [:], preferences: [MergePreference] = []
    ) throws {
        var decisions = MergeDecisions(resolutions: resolutions, preferences: preferences)
        var merge = PlistMerge(identities: identities)
        value = try merge.merge(base: base, ours: ours, theirs: theirs, &decisions)
        conflicts = decisions.conflicts
        notes = merge.notes
    }

    var openCount: Int { conflicts.count { $0.resolution == nil } }

    /// Each conflict with its sides; `–` for a side without a value.
    var lines: [String] {
        conflicts.map { conflict in
            let sides = [conflict.base, conflict.ours, conflict.theirs].map { $0.map(\.description) ?? "–" }
            let place = conflict.pointer.map { $0.isRoot ? "(root)" : $0.description } ?? "?"
            let range = conflict.range.map { " \($0.lowerBound)+\($0.count)" } ?? ""
            return "\(conflict.kind.rawValue) \(place)\(range): \(sides.joined(separator: " | ")) (\(conflict.reason))"
        }
    }

    /// The same decision for all conflicts.
    func all(_ resolution: Resolution) -> [String: Resolution] {
        Dictionary(uniqueKeysWithValues: conflicts.map { ($0.id, resolution) })
    }
}

extension Conflict {
    /// The conflict with its sides swapped.
    var swapped: Conflict {
        var swapped = self
        swapped.ours = theirs
        swapped.theirs = ours
        if reason.hasPrefix("ours ") {
            swapped.reason = "theirs " + reason.dropFirst(5)
        } else if reason.hasPrefix("theirs ") {
            swapped.reason = "ours " + reason.dropFirst(7)
        }
        return swapped
    }
}

/// Three property lists, their merge with ours in open conflicts, and the conflicts.
struct MergeCase: CustomTestStringConvertible, Sendable {
    let name: String
    let base: PlistValue?
    let ours: PlistValue
    let theirs: PlistValue
    let result: PlistValue
    let conflicts: [String]

    init(
        _ name: String, _ base: PlistValue?, _ ours: PlistValue, _ theirs: PlistValue, _ result: PlistValue,
        _ conflicts: [String] = []
    ) {
        self.name = name
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.result = result
        self.conflicts = conflicts
    }

    var testDescription: String { name }
}
