import CapsulePropertyList

extension Overlay {
    /// The overlay that does what this one does, and then what another does.
    ///
    /// - Throws: `unsupported` where one document can't say both.
    public func composed(with next: Overlay) throws(OverlayError) -> Overlay {
        for overlay in [self, next] where overlay.form == .mergePatch {
            throw OverlayError(
                .unsupported, "a JSON Merge Patch can't be part of another overlay",
                hint: "apply it by itself, or read it with '--deep' as a plain overlay")
        }
        for overlay in [self, next] where overlay.stringsTakeBaseType || overlay.nullRemoves {
            throw OverlayError(
                .unsupported,
                "the meaning of an overlay in \(overlay.nullRemoves ? "JSON" : "OpenStep") is not that of a document",
                hint: "convert it with 'capsule plist convert xml' first")
        }
        var result = Overlay(name: name ?? next.name, note: note ?? next.note, arrays: arrays, targets: [])
        for rule in next.arrays {
            if let known = arrays.first(where: { $0.pattern == rule.pattern }) {
                guard known.identity == rule.identity else {
                    throw OverlayError(
                        .unsupported, "they say that '\(rule.pattern)' is \(known.identity) and that it is \(rule.identity)",
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

    private func conditioned() throws(OverlayError) -> [Target] {
        var all: [Target] = []
        for target in targets {
            var target = target
            for condition in conditions where !target.conditions.contains(condition) {
                guard !target.conditions.contains(where: { $0.name == condition.name }) else {
                    throw OverlayError(
                        .unsupported, "the overlay and its target have two conditions on \(condition.name)",
                        in: PlistPointer(steps: ["When"]), hint: "write one of them")
                }
                target.conditions.append(condition)
            }
            all.append(target)
        }
        return all
    }
}
