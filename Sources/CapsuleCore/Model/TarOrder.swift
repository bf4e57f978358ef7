#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

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
