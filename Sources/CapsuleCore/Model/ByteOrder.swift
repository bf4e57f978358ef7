import CSystem

extension Array where Element == UInt8 {
    /// Returns true if these bytes precede `other` in memcmp order. A prefix precedes the longer array.
    func isOrderedBefore(_ other: [UInt8]) -> Bool {
        compareBytes(other) < 0
    }

    /// Returns a negative number, zero or a positive number if these bytes precede, equal or follow `other`. Compares by
    /// memcmp, then by length.
    func compareBytes(_ other: [UInt8]) -> Int {
        withUnsafeBytes { left in
            other.withUnsafeBytes { right in
                let shared = Swift.min(left.count, right.count)
                if shared > 0, let leftBase = left.baseAddress, let rightBase = right.baseAddress {
                    let order = capsule_compare(leftBase, rightBase, shared)
                    if order != 0 { return Int(order) }
                }
                return left.count - right.count
            }
        }
    }
}
