import CapsulePropertyList

/// Numbers values, so that equal ones have the same number and comparing two takes no time.
///
/// What was numbered has to be held as long as this is used: containers are recognised by where they are.
struct ElementClasses {
    /// Comparisons of values that have one hash and differ, after which such values are taken to be like no other.
    private let missLimit: Int
    /// Values within a value that its hash looks at.
    private static let hashedValues = 512
    /// Elements of an array that its hash looks at.
    private static let hashedElements = 32

    private var buckets: [Int: [Int]] = [:]
    private var values: [PlistValue] = []
    private var known: [UInt: Int] = [:]
    private var misses = 0
    /// False once equal values may have got different numbers.
    private(set) var isExact = true

    init(missLimit: Int = 1 << 14) {
        self.missLimit = missLimit
    }

    mutating func number(of value: PlistValue) -> Int {
        guard let address = value.storageAddress else { return search(value) }
        if let number = known[address] { return number }
        let number = search(value)
        known[address] = number
        return number
    }

    private mutating func search(_ value: PlistValue) -> Int {
        let hash = Self.hash(value, Self.hashedValues)
        for number in buckets[hash] ?? [] {
            guard misses < missLimit else {
                isExact = false
                break
            }
            if values[number] == value { return number }
            misses += 1
        }
        values.append(value)
        buckets[hash, default: []].append(values.count - 1)
        return values.count - 1
    }

    mutating func numbers(of values: [PlistValue]) -> [Int] {
        var numbers: [Int] = []
        numbers.reserveCapacity(values.count)
        for value in values { numbers.append(number(of: value)) }
        return numbers
    }

    /// Looks deeper than the hash of `PlistValue`, which dictionaries of an array often have in common, and at a bounded part
    /// all the same: each container shares what it may look at among its contents, in whatever order they are.
    private static func hash(_ value: PlistValue, _ fuel: Int) -> Int {
        var hasher = Hasher()
        switch value {
        case .array(let elements):
            hasher.combine(0 as UInt8)
            hasher.combine(elements.count)
            let looked = min(elements.count, hashedElements)
            let share = (fuel - 1) / max(looked, 1)
            if share > 0 {
                for element in elements.prefix(looked / 2) { hasher.combine(hash(element, share)) }
                for element in elements.suffix(looked - looked / 2) { hasher.combine(hash(element, share)) }
            }
        case .dictionary(let dictionary):
            hasher.combine(1 as UInt8)
            hasher.combine(dictionary.count)
            let share = (fuel - 1) / max(dictionary.count, 1)
            if share > 0 {
                var sum = 0
                for (key, value) in dictionary {
                    var entry = Hasher()
                    entry.combine(key)
                    entry.combine(hash(value, share))
                    sum &+= entry.finalize()
                }
                hasher.combine(sum)
            }
        default:
            hasher.combine(value)
        }
        return hasher.finalize()
    }
}
