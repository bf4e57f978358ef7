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

/// The order of entries in a tar stream: depth first, by bytes, a directory compared as `name/`.
///
/// A directory's entries stay together in it, so that a reader sets the directory's times once, after the last of them.
public enum TarOrder {
    /// Whether one path or name comes before another in the stream.
    public static func isOrdered(
        _ left: [UInt8], _ leftIsDirectory: Bool, before right: [UInt8], _ rightIsDirectory: Bool
    ) -> Bool {
        left.withUnsafeBytes { leftBytes in
            right.withUnsafeBytes { isOrdered(leftBytes, leftIsDirectory, before: $0, rightIsDirectory) }
        }
    }

    /// Whether one path or name comes before another in the stream.
    public static func isOrdered(
        _ left: UnsafeRawBufferPointer, _ leftIsDirectory: Bool, before right: UnsafeRawBufferPointer, _ rightIsDirectory: Bool
    ) -> Bool {
        let shared = min(left.count, right.count)
        if shared > 0, let leftBase = left.baseAddress, let rightBase = right.baseAddress {
            let order = memcmp(leftBase, rightBase, shared)
            if order != 0 { return order < 0 }
        }
        if left.count < right.count { return leftIsDirectory ? RelativePath.slash <= right[shared] : true }
        if left.count > right.count { return rightIsDirectory ? left[shared] < RelativePath.slash : false }
        return !leftIsDirectory && rightIsDirectory
    }
}
