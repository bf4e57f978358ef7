import CapsulePropertyList

extension Expansion {
    /// A value with the names in all its strings expanded; keys stay as they are.
    func expanded(_ value: PlistValue, at place: PlistPointer) throws(OverlayError) -> PlistValue {
        var budget = DeepMerge.visitLimit
        return try expanded(value, at: place, &budget)
    }

    private func expanded(_ value: PlistValue, at place: PlistPointer, _ budget: inout Int) throws(OverlayError) -> PlistValue {
        budget -= 1
        guard budget > 0 else { throw OverlayError(.limit, "the value expands to too many values", at: place) }
        switch value {
        case .string(let text):
            return .string(PlistString(try expand(text.string, at: place)))
        case .array(let elements):
            var result: [PlistValue] = []
            for (number, element) in elements.enumerated() {
                result.append(try expanded(element, at: place.appending(index: number), &budget))
            }
            return .array(result)
        case .dictionary(let entries):
            var result = PlistDictionary()
            for (key, entry) in entries { result[key] = try expanded(entry, at: place.appending(key), &budget) }
            return .dictionary(result)
        default:
            return value
        }
    }
}
