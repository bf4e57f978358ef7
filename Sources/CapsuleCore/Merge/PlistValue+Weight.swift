import CapsulePropertyList

extension PlistValue {
    /// About how many bytes the value is, written out with each shared object in every place; at most `limit`, beyond which
    /// nothing is looked at.
    func weight(upTo limit: Int) -> Int {
        var weight = 0
        var rest: [PlistValue] = [self]
        while weight < limit, let value = rest.popLast() {
            // An element's name, twice, and the space before it.
            weight += 32
            switch value {
            case .string(let text): weight += text.utf8.count
            case .data(let bytes): weight += bytes.count
            case .array(let elements): rest += elements.prefix(limit)
            case .dictionary(let entries):
                for (key, value) in entries {
                    weight += key.utf8.count
                    rest.append(value)
                }
            default: break
            }
        }
        return min(weight, limit)
    }
}
