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
        var frames: [Frame] = []
        var steps: [PlistString] = []
        var result = try begin(patch, target, &frames, at: [])
        while let top = frames.indices.last {
            if let (key, value) = frames[top].nextValue() {
                steps.append(key)
                result = try begin(value, frames[top].result[key], &frames, at: steps)
            } else {
                result = .dictionary(frames.removeLast().result)
            }
            guard let finished = result, let outer = frames.indices.last else { continue }
            frames[outer].result[steps.removeLast()] = finished
        }
        return result ?? .dictionary(PlistDictionary())
    }

    /// A dictionary of the patch whose values are applied one by one: depth costs no call stack.
    private struct Frame {
        let entries: PlistDictionary
        var next = 0
        var result: PlistDictionary

        /// The next value that is no null; those take their keys away.
        mutating func nextValue() -> (key: PlistString, value: PlistValue)? {
            while next < entries.count {
                let (key, value) = entries[next]
                next += 1
                if !value.isNull { return (key, value) }
                result[key] = nil
            }
            return nil
        }
    }

    /// - Returns: nil for a dictionary, which is on the stack now.
    private mutating func begin(
        _ patch: PlistValue, _ target: PlistValue?, _ frames: inout [Frame], at place: [PlistString]
    ) throws(OverlayError) -> PlistValue? {
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
        frames.append(Frame(entries: entries, result: target?.dictionary ?? PlistDictionary()))
        return nil
    }

    private func expanded(_ value: PlistValue, _ place: [PlistString]) throws(OverlayError) -> PlistValue {
        guard let expansion else { return value }
        return try expansion.expanded(value, at: PlistPointer(steps: place))
    }

    private mutating func noteReplaced(_ identity: ArrayIdentity, _ place: [PlistString]) {
        guard identity != .replace else { return }
        notes.append(
            OverlayNote(
                "the merge patch replaces the whole array, although its identity is \(identity)", at: PlistPointer(steps: place),
                hint: "'--deep' reads the file as a plain overlay, where null removes a key"))
    }
}
