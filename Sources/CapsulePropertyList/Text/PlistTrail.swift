/// The way from a value to a part of it that a recursion has reached, as positions in the containers between them.
struct PlistTrail {
    private var positions: [Int] = []

    /// The number of containers on the way.
    var count: Int { positions.count }

    /// Enters a container, which must have children.
    mutating func enter() {
        positions.append(0)
    }

    /// Goes to a child of the container that was entered last.
    mutating func go(to position: Int) {
        positions[positions.count - 1] = position
    }

    /// Leaves the container that was entered last.
    mutating func leave() {
        positions.removeLast()
    }

    /// Returns the pointer steps of the way.
    func steps(from root: PlistValue) -> [PlistPointerStep] {
        var value = root
        return positions.map { position in
            if case .dictionary(let dictionary) = value {
                value = dictionary[position].value
                return .key(dictionary[position].key)
            }
            if case .array(let elements) = value { value = elements[position] }
            return .index(position)
        }
    }
}
