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

    /// A container that is being hashed, and what of it is looked at.
    private struct Frame {
        let children: [PlistValue]
        /// Of a dictionary, the keys of the children, whose order does not count; nil for an array.
        let keys: [PlistString]?
        /// The number of values that the hash of one child may visit.
        let share: Int
        var next = 0
        var sum = 0
        var hasher: Hasher

        init(_ elements: [PlistValue], _ fuel: Int) {
            hasher = Hasher()
            hasher.combine(0 as UInt8)
            hasher.combine(elements.count)
            let looked = min(elements.count, ElementClasses.hashedElements)
            share = (fuel - 1) / max(looked, 1)
            children = share > 0 ? elements.prefix(looked / 2) + elements.suffix(looked - looked / 2) : []
            keys = nil
        }

        init(_ dictionary: PlistDictionary, _ fuel: Int) {
            hasher = Hasher()
            hasher.combine(1 as UInt8)
            hasher.combine(dictionary.count)
            share = (fuel - 1) / max(dictionary.count, 1)
            children = share > 0 ? dictionary.map(\.value) : []
            keys = share > 0 ? Array(dictionary.keys) : []
        }

        /// Adds the hash of the child that was begun last.
        mutating func take(_ hash: Int) {
            guard let keys else { return hasher.combine(hash) }
            var entry = Hasher()
            entry.combine(keys[next - 1])
            entry.combine(hash)
            sum &+= entry.finalize()
        }

        var hash: Int {
            var hasher = hasher
            hasher.combine(sum)
            return hasher.finalize()
        }
    }

    /// Looks deeper than the hash of `PlistValue`, which dictionaries of an array often have in common, and at a bounded part
    /// all the same: each container shares what it may look at among its contents, in whatever order they are.
    ///
    /// The stack is an explicit one, so that depth costs no call stack.
    private static func hash(_ value: PlistValue, _ fuel: Int) -> Int {
        var frames: [Frame] = []
        var result = begin(value, fuel, &frames)
        while let top = frames.indices.last {
            if frames[top].next < frames[top].children.count {
                frames[top].next += 1
                result = begin(frames[top].children[frames[top].next - 1], frames[top].share, &frames)
            } else {
                result = frames.removeLast().hash
            }
            if let finished = result, let outer = frames.indices.last { frames[outer].take(finished) }
        }
        return result ?? 0
    }

    /// - Returns: nil for a container, which is on the stack now.
    private static func begin(_ value: PlistValue, _ fuel: Int, _ frames: inout [Frame]) -> Int? {
        switch value {
        case .array(let elements): frames.append(Frame(elements, fuel))
        case .dictionary(let dictionary): frames.append(Frame(dictionary, fuel))
        default:
            var hasher = Hasher()
            hasher.combine(value)
            return hasher.finalize()
        }
        return nil
    }
}

/// Numbers elements, so that equal ones have the same number, and holds them meanwhile.
struct ElementNumbers {
    /// A merge has to be exact, so it compares more than a diff before it gives up.
    private static let missLimit = 1 << 20

    private var classes = ElementClasses(missLimit: ElementNumbers.missLimit)
    private var held: [PlistValue] = []

    /// False once equal elements may have got different numbers.
    var isExact: Bool { classes.isExact }

    mutating func number(of element: PlistValue) -> Int {
        // Containers are recognised by where they are, which no other may come to be.
        if element.storageAddress != nil { held.append(element) }
        return classes.number(of: element)
    }
}

/// Compares values, and remembers it of containers.
///
/// Objects that a binary property list names many times are compared once; so are the containers on the way to a change
/// that lies deep. What was compared has to be held as long as the memo is used.
struct EqualityMemo {
    private struct Pair: Hashable {
        let old: UInt
        let new: UInt
    }

    private var known: [Pair: Bool] = [:]

    mutating func areEqual(_ old: PlistValue, _ new: PlistValue) -> Bool {
        guard let oldAddress = old.storageAddress, let newAddress = new.storageAddress else { return old == new }
        if oldAddress == newAddress { return true }
        let pair = Pair(old: oldAddress, new: newAddress)
        if let known = known[pair] { return known }
        let areEqual = old == new
        known[pair] = areEqual
        return areEqual
    }
}
