/// The way from a value to a part of it that a recursion has reached, as positions in the containers between them.
struct PlistTrail {
    private var positions: [Int] = []
    var count: Int { positions.count }

    /// Enters a container, which must have children.
    mutating func enter() {
        positions.append(0)
    }

    mutating func go(to position: Int) {
        positions[positions.count - 1] = position
    }

    mutating func leave() {
        positions.removeLast()
    }

    /// - Parameter sortsKeys: true if the positions in dictionaries are those of the sorted keys.
    func steps(from root: PlistValue, sortsKeys: Bool = false) -> [PlistPointerStep] {
        var value = root
        return positions.map { position in
            if case .dictionary(let dictionary) = value {
                let entry = (sortsKeys ? dictionary.entries.sortedByKey : dictionary.entries)[position]
                value = entry.value
                return .key(entry.key)
            }
            if case .array(let elements) = value { value = elements[position] }
            return .index(position)
        }
    }
}
