import CapsulePropertyList

extension Overlay {
    /// What would do something else, or fail, if the overlay were applied again where it has succeeded (docs/overlay.md,
    /// section 6).
    ///
    /// Which values are there is not known, so that something may be named that is harmless; what is not named is. Records are
    /// never named: a file that is as it is to be is left alone.
    ///
    /// - Returns: where each is in the overlay, and why.
    public var notRepeatable: [OverlayNote] {
        var notes: [OverlayNote] = []
        let recorded = Set(files.lazy.filter { $0.old?.content != nil && $0.new?.content != nil }.map(\.path))
        for group in repetitionGroups {
            // With both contents in a record, operations are tried on a file alone that has neither.
            let isRecorded = group.allSatisfy { targets[$0].literalPath.map(recorded.contains) == true }
            let steps = group.flatMap { targets[$0].repeatedSteps(ArrayIdentities(arrays)) }
            let place = targets[group[0]].path.map { " on \($0)" } ?? ""
            for (number, step) in steps.enumerated() {
                guard let reason = step.reasonNotToRepeat(before: steps[(number + 1)...]) else { continue }
                notes.append(
                    OverlayNote(
                        "\(step.name)\(place): \(reason)\(isRecorded ? ", if the file is not exactly the result of the overlay" : "")",
                        at: step.operation.path)
                )
            }
        }
        return notes
    }

    /// The targets that may be about the same property list, by their numbers.
    private var repetitionGroups: [[Int]] {
        let isPattern = targets.contains { $0.path?.utf8.contains { "*?[\\$".utf8.contains($0) } == true }
        guard !isPattern else { return [Array(targets.indices)] }
        var groups: [String: [Int]] = [:]
        for (number, target) in targets.enumerated() { groups["\(target.root):\(target.path ?? "")", default: []].append(number) }
        return groups.values.sorted { $0[0] < $1[0] }
    }
}

extension Overlay.Target {
    /// All that it does, in order, as operations.
    fileprivate func repeatedSteps(_ identities: ArrayIdentities) -> [RepeatedStep] {
        remove.enumerated().map { RepeatedStep("Remove \($0.offset)", PlistOperation(.remove, at: $0.element), maySpare: true) }
            + (merge.map { [RepeatedStep("Merge", PlistOperation(.merge($0), at: .root))] } ?? [])
            + operations.enumerated().map {
                RepeatedStep("operation \($0.offset)", $0.element, findsItself: Self.findsItself($0.element, identities))
            }
    }

    /// Whether an operation inserts what it finds the next time: in a set, or an element with the KEY.
    private static func findsItself(_ operation: PlistOperation, _ identities: ArrayIdentities) -> Bool {
        guard case .insert(let new) = operation.action, operation.path.mayEndInArray, let array = operation.path.parent,
            // Rules are matched with indices, and which one it is here is not known.
            !array.steps.contains(where: { $0 == "-" || $0.selector != nil }),
            let identity = try? identities.identity(at: array.steps)
        else { return false }
        switch identity {
        case .set: return true
        case .keyed(let key, let isOptional, let ignoresCase):
            return KeyedElements(key: key, isOptional: isOptional, ignoresCase: ignoresCase).value(of: new) != nil
        default: return false
        }
    }
}
