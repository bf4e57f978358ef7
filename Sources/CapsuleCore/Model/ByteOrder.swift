#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension Array where Element == UInt8 {
    /// memcmp order, a prefix before what it begins.
    func isOrderedBefore(_ other: [UInt8]) -> Bool {
        compareBytes(other) < 0
    }

    /// Below, at or above zero as these bytes come before, with or after `other`: memcmp, then the length.
    func compareBytes(_ other: [UInt8]) -> Int {
        withUnsafeBytes { left in
            other.withUnsafeBytes { right in
                let shared = Swift.min(left.count, right.count)
                if shared > 0, let leftBase = left.baseAddress, let rightBase = right.baseAddress {
                    let order = memcmp(leftBase, rightBase, shared)
                    if order != 0 { return Int(order) }
                }
                return left.count - right.count
            }
        }
    }
}
