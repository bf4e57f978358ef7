import CapsulePropertyList

extension Expansion {
    /// A container whose values are expanded one by one: depth costs no call stack.
    private struct Frame {
        let container: PlistValue
        let place: PlistPointer
        var next = 0
        var elements: [PlistValue] = []
        var entries = PlistDictionary()

        init(_ container: PlistValue, _ place: PlistPointer) {
            self.container = container
            self.place = place
        }

        mutating func nextChild() -> (value: PlistValue, place: PlistPointer)? {
            defer { next += 1 }
            switch container {
            case .array(let elements) where next < elements.count: return (elements[next], place.appending(index: next))
            case .dictionary(let entries) where next < entries.count:
                return (entries[next].value, place.appending(entries[next].key))
            default: return nil
            }
        }

        /// Keeps what became of the child that was begun last.
        mutating func take(_ value: PlistValue) {
            if case .dictionary(let old) = container { entries[old[next - 1].key] = value } else { elements.append(value) }
        }

        var result: PlistValue {
            if case .dictionary = container { return .dictionary(entries) }
            return .array(elements)
        }
    }

    /// A value with the names in all its strings expanded; keys stay as they are.
    func expanded(_ value: PlistValue, at place: PlistPointer) throws(OverlayError) -> PlistValue {
        var budget = DeepMerge.visitLimit
        var frames: [Frame] = []
        var result = try begin(value, at: place, &frames, &budget)
        while let top = frames.indices.last {
            if let child = frames[top].nextChild() {
                result = try begin(child.value, at: child.place, &frames, &budget)
            } else {
                result = frames.removeLast().result
            }
            if let finished = result, let outer = frames.indices.last { frames[outer].take(finished) }
        }
        return result ?? value
    }

    /// - Returns: nil for a container, which is on the stack now.
    private func begin(
        _ value: PlistValue, at place: PlistPointer, _ frames: inout [Frame], _ budget: inout Int
    ) throws(OverlayError) -> PlistValue? {
        budget -= 1
        guard budget > 0 else { throw OverlayError(.limit, "the value expands to too many values", at: place) }
        switch value {
        case .string(let text): return .string(PlistString(try expand(text.string, at: place)))
        case .array, .dictionary:
            frames.append(Frame(value, place))
            return nil
        default: return value
        }
    }
}
