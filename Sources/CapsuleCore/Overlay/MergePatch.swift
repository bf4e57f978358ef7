import CapsulePropertyList

/// JSON Merge Patch, to the letter (RFC 7396, section 2): null removes a key, and whatever is no object replaces.
struct MergePatch {
    let identities: ArrayIdentities
    let expansion: Expansion?
    private(set) var notes: [OverlayNote] = []
    private var visits = 0

    init(identities: ArrayIdentities, expansion: Expansion? = nil) {
        self.identities = identities
        self.expansion = expansion
    }

    /// What the patch makes of a value.
    mutating func applied(_ patch: PlistValue, to target: PlistValue) throws(OverlayError) -> PlistValue {
        try applied(patch, to: target, at: [])
    }

    private mutating func applied(
        _ patch: PlistValue, to target: PlistValue?, at place: [PlistString]
    ) throws(OverlayError) -> PlistValue {
        visits += 1
        guard visits <= DeepMerge.visitLimit else {
            throw OverlayError(.limit, "the patch expands to more than \(DeepMerge.visitLimit) values")
        }
        guard case .dictionary(let entries) = patch else {
            let value = try expanded(patch, place)
            if let base = target?.array, let identity = try identities.identity(at: place), value.array != base {
                noteReplaced(identity, place)
            }
            return value
        }
        var result = target?.dictionary ?? PlistDictionary()
        for (key, value) in entries {
            result[key] = value.isNull ? nil : try applied(value, to: result[key], at: place + [key])
        }
        return .dictionary(result)
    }

    private func expanded(_ value: PlistValue, _ place: [PlistString]) throws(OverlayError) -> PlistValue {
        guard let expansion else { return value }
        return try expansion.expanded(value, at: PlistPointer(steps: place))
    }

    private mutating func noteReplaced(_ identity: ArrayIdentity, _ place: [PlistString]) {
        guard identity != .replace else { return }
        notes.append(
            OverlayNote(
                "the merge patch replaces the whole array, whose elements pair by \(identity)", at: PlistPointer(steps: place),
                hint: "'--deep' reads the file as a plain overlay, in which null removes"))
    }
}
