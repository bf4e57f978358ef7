import CapsulePropertyList

extension Overlay {
    /// The overlay that does what this one does, and then what another does.
    ///
    /// - Throws: `unsupported` where one document can't say both, and where contents had to be put together of what they carry.
    public func composed(with next: Overlay) throws(OverlayError) -> Overlay {
        let composition = try composition(with: next)
        if let content = composition.contents.first {
            throw OverlayError(
                .unsupported,
                "\(PlistString(content.path.description).quoted) is stored as changed blocks in both overlays, and their contents are not available"
            )
        }
        return composition.overlay
    }

    /// The overlay that does what this one does, and then what another does, with the contents that it has to carry.
    ///
    /// - Throws: `unsupported` where one document can't say both.
    public func composition(with next: Overlay) throws(OverlayError) -> OverlayComposition {
        var (first, next) = (try restated(), try next.restated())
        try first.refuseOtherArrays(than: next)
        try first.refuseConditionedFiles(besides: next)
        let (own, others) = (try FileRecordSet(first.files), try FileRecordSet(next.files))
        let files = try own.composed(with: others)
        let paths = (first.literalPaths, next.literalPaths)
        try first.leaveOutTargets(own: own, of: others, withTargets: paths.1, "second")
        try next.leaveOutTargets(own: others, of: own, withTargets: paths.0, "first")
        var result = try first.joinedTargets(with: next)
        result.files = files.records
        return OverlayComposition(overlay: result, contents: files.contents)
    }

    private func joinedTargets(with next: Overlay) throws(OverlayError) -> Overlay {
        var result = Overlay(name: name ?? next.name, note: note ?? next.note, arrays: arrays, targets: [])
        for rule in next.arrays {
            if let known = arrays.first(where: { $0.pattern == rule.pattern }) {
                guard known.identity == rule.identity else {
                    throw OverlayError(
                        .unsupported, "'\(rule.pattern)' is \(known.identity) in one overlay and \(rule.identity) in the other",
                        in: PlistPointer(steps: ["Arrays"]))
                }
            } else {
                result.arrays.append(rule)
            }
        }
        // Conditions of the whole become those of each part.
        if conditions == next.conditions {
            result.conditions = conditions
            result.targets = targets + next.targets
        } else {
            result.targets = try conditioned() + next.conditioned()
        }
        return result
    }

    /// A rule of one would hold for what the other merges, or inserts in an array.
    private func refuseOtherArrays(than next: Overlay) throws(OverlayError) {
        for (one, other) in [(self, next), (next, self)] {
            let strange = one.arrays.filter { !other.arrays.contains($0) }
            guard let rule = other.mergesDeep ? strange.first : strange.first(where: other.inserts) else { continue }
            throw OverlayError(
                .unsupported,
                "'\(rule.pattern)' is \(rule.identity) in one overlay; the other \(other.mergesDeep ? "merges" : "inserts there") without it",
                in: PlistPointer(steps: ["Arrays"]), hint: "use the same 'Arrays' in both")
        }
    }

    /// Whether it inserts in an array that a rule may be about.
    private func inserts(_ rule: ArrayIdentities.Rule) -> Bool {
        targets.contains { target in
            target.operations.contains { operation in
                guard case .insert = operation.action, operation.path.mayEndInArray, let array = operation.path.parent else {
                    return false
                }
                return rule.pattern.matches(array)
            }
        }
    }

    /// Whether identities matter to all that it does.
    private var mergesDeep: Bool {
        targets.contains { target in
            target.merge != nil
                || target.operations.contains { operation in
                    if case .merge = operation.action { true } else { false }
                }
        }
    }

    private func conditioned() throws(OverlayError) -> [Target] {
        var all: [Target] = []
        for target in targets {
            var target = target
            for condition in conditions where !target.conditions.contains(condition) {
                guard !target.conditions.contains(where: { $0.name == condition.name }) else {
                    throw OverlayError(
                        .unsupported, "the overlay and its target both have a condition on \(condition.name)",
                        in: PlistPointer(steps: ["When"]), hint: "keep one of them")
                }
                target.conditions.append(condition)
            }
            all.append(target)
        }
        return all
    }
}
