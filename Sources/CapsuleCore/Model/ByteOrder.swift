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

/// The order of entries in a tar stream: depth first, by bytes, with a directory compared as `name/`.
///
/// The entries of a directory stay together, so a reader sets the directory's times once, after its last entry.
public enum TarOrder {
    /// Returns true if the first path or name precedes the second one in the stream.
    public static func isOrdered(
        _ left: [UInt8], _ leftIsDirectory: Bool, before right: [UInt8], _ rightIsDirectory: Bool
    ) -> Bool {
        left.withUnsafeBytes { leftBytes in
            right.withUnsafeBytes { isOrdered(leftBytes, leftIsDirectory, before: $0, rightIsDirectory) }
        }
    }

    /// Returns true if the first path or name precedes the second one in the stream.
    public static func isOrdered(
        _ left: UnsafeRawBufferPointer, _ leftIsDirectory: Bool, before right: UnsafeRawBufferPointer, _ rightIsDirectory: Bool
    ) -> Bool {
        let shared = min(left.count, right.count)
        if shared > 0, let leftBase = left.baseAddress, let rightBase = right.baseAddress {
            let order = capsule_compare(leftBase, rightBase, shared)
            if order != 0 { return order < 0 }
        }
        if left.count < right.count { return leftIsDirectory ? RelativePath.slash <= right[shared] : true }
        if left.count > right.count { return rightIsDirectory ? left[shared] < RelativePath.slash : false }
        return !leftIsDirectory && rightIsDirectory
    }
}
