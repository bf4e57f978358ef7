import CapsulePropertyList

extension Overlay {
    /// The same overlay as a document, whatever it was written as.
    ///
    /// - Throws: `unsupported` for what no document says: a merge patch, numbers that a patch tests by value.
    public func restated() throws(OverlayError) -> Overlay {
        if form == .mergePatch {
            throw OverlayError(
                .unsupported, "a JSON Merge Patch can't be converted to a document: it replaces values of any type",
                hint: "write a partial property list, or a document")
        }
        if stringsTakeBaseType {
            throw OverlayError(
                .unsupported,
                "an OpenStep overlay can't be converted to a document: its strings take the types of the values that they replace",
                hint: "convert it with 'capsule plist convert xml' and set the types")
        }
        if nullRemoves, targets.contains(where: { $0.merge?.containsNull == true }) {
            throw OverlayError(
                .unsupported, "null in a JSON overlay removes a key, but a document has no null",
                hint: "write a document with 'Remove' and 'Merge'")
        }
        if form == .patch {
            for operation in targets.flatMap(\.operations) {
                guard case .test(let value) = operation.action, value.containsNumber else { continue }
                throw OverlayError(
                    .unsupported, "a JSON Patch tests numbers by value only; a document also tests their type",
                    at: operation.path,
                    hint: "write a document")
            }
        }
        var result = self
        result.form = .document
        result.nullRemoves = false
        return result
    }

    /// The overlay as a document for a place in a tree: what a capsule's manifest holds.
    ///
    /// - Throws: `unsupported` for what can't be restated, and for a file part; `invalid` for an overlay that says itself where it
    ///   belongs.
    public func placed(at path: String, in root: Root) throws(OverlayError) -> Overlay {
        guard files.isEmpty else {
            throw OverlayError(
                .unsupported, "the overlay has a file part, so it does not apply to a single property list",
                in: PlistPointer(steps: ["Files"]))
        }
        if let (number, target) = targets.enumerated().first(where: { $0.element.path != nil }) {
            throw OverlayError(
                .invalid, "the target has its own Path, \(PlistString(target.path ?? "").quoted)",
                in: PlistPointer(steps: ["Targets", PlistString(String(number)), "Path"]),
                hint: "remove the Path: the property list is already given")
        }
        var result = try restated()
        result.targets = result.targets.map { target in
            var target = target
            (target.path, target.root) = (path, root)
            return target
        }
        return result
    }
}

extension PlistValue {
    fileprivate var containsNull: Bool { contains { $0.isNull } }

    fileprivate var containsNumber: Bool { contains { $0.integer != nil || $0.real != nil } }

    /// Whether it, or a value in it, is so. Values of overlays are no deeper than a reader lets through.
    private func contains(_ isWanted: (PlistValue) -> Bool) -> Bool {
        if isWanted(self) { return true }
        switch self {
        case .array(let elements): return elements.contains { $0.contains(isWanted) }
        case .dictionary(let dictionary): return dictionary.contains { $0.value.contains(isWanted) }
        default: return false
        }
    }
}
