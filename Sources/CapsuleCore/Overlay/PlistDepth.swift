import CapsulePropertyList

/// How deep values nest, each object that is shared looked at once.
struct PlistDepth {
    let limit: Int
    private var known: [UInt: Int] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether no containers nest deeper than the limit.
    mutating func isWithinLimit(_ value: PlistValue) -> Bool { depth(of: value, allowed: limit) != nil }

    /// The levels of containers in a value; nil for more than are allowed.
    private mutating func depth(of value: PlistValue, allowed: Int) -> Int? {
        guard value.isContainer else { return 0 }
        let address = value.storageAddress
        if let address, let depth = known[address] { return depth <= allowed ? depth : nil }
        guard allowed > 0 else { return nil }
        var deepest = 0
        for child in value.array ?? value.dictionary.map({ $0.map(\.value) }) ?? [] {
            guard let depth = depth(of: child, allowed: allowed - 1) else { return nil }
            deepest = max(deepest, depth)
        }
        if let address { known[address] = deepest + 1 }
        return deepest + 1
    }
}
