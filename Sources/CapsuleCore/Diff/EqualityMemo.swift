import CapsulePropertyList

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
