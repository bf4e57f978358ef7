import CapsulePropertyList

/// An order of all values, that depends on nothing but them: strings by their bytes.
///
/// What is compared has to be held as long as this is used.
struct NameOrder {
    enum Comparison {
        case less, same, more
    }

    private var equality = EqualityMemo()

    /// Goes down into what differs first, and nowhere else: objects that are shared don't make it take for ever.
    mutating func compare(_ left: PlistValue, _ right: PlistValue) -> Comparison {
        var (left, right) = (left, right)
        while !equality.areEqual(left, right) {
            guard let (nextLeft, nextRight) = difference(left, right) else { return Self.compareHere(left, right) }
            (left, right) = (nextLeft, nextRight)
        }
        return .same
    }

    /// The first values in two containers that differ; nil if the containers themselves decide, or these are none.
    private mutating func difference(_ left: PlistValue, _ right: PlistValue) -> (PlistValue, PlistValue)? {
        switch (left, right) {
        case (.array(let left), .array(let right)):
            for (left, right) in zip(left, right) where !equality.areEqual(left, right) { return (left, right) }
        case (.dictionary(let left), .dictionary(let right)):
            for (leftKey, rightKey) in zip(left.keys.sorted(), right.keys.sorted()) {
                guard leftKey == rightKey, let left = left[leftKey], let right = right[rightKey] else { return nil }
                if !equality.areEqual(left, right) { return (left, right) }
            }
        default: break
        }
        return nil
    }

    /// Compares values that differ in what they are themselves.
    private static func compareHere(_ left: PlistValue, _ right: PlistValue) -> Comparison {
        switch (left, right) {
        case (.string(let left), .string(let right)): compare(left, right)
        case (.integer(let left), .integer(let right)): compare(left, right)
        case (.real(let left), .real(let right)), (.date(let left), .date(let right)):
            compare(left.bitPattern, right.bitPattern)
        case (.boolean(let left), .boolean(let right)): compare(left ? 1 : 0, right ? 1 : 0)
        case (.uid(let left), .uid(let right)): compare(left, right)
        case (.data(let left), .data(let right)):
            left.lexicographicallyPrecedes(right) ? .less : left == right ? .same : .more
        case (.array(let left), .array(let right)): compare(left.count, right.count)
        case (.dictionary(let left), .dictionary(let right)): compare(left.keys.sorted(), right.keys.sorted())
        default: compare(rank(left), rank(right))
        }
    }

    private static func compare<Number: Comparable>(_ left: Number, _ right: Number) -> Comparison {
        left < right ? .less : left == right ? .same : .more
    }

    private static func compare(_ left: [PlistString], _ right: [PlistString]) -> Comparison {
        left.lexicographicallyPrecedes(right) ? .less : left == right ? .same : .more
    }

    private static func rank(_ value: PlistValue) -> Int {
        switch value {
        case .null: 0
        case .boolean: 1
        case .integer: 2
        case .real: 3
        case .date: 4
        case .uid: 5
        case .data: 6
        case .string: 7
        case .array: 8
        case .dictionary: 9
        }
    }
}
