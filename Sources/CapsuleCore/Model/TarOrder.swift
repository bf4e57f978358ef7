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
            right.withUnsafeBytes { rightBytes in
                let shared = min(leftBytes.count, rightBytes.count)
                if shared > 0, let leftBase = leftBytes.baseAddress, let rightBase = rightBytes.baseAddress {
                    let order = memcmp(leftBase, rightBase, shared)
                    if order != 0 { return order < 0 }
                }
                if leftBytes.count < rightBytes.count {
                    return leftIsDirectory ? RelativePath.slash <= rightBytes[shared] : true
                }
                if leftBytes.count > rightBytes.count {
                    return rightIsDirectory ? leftBytes[shared] < RelativePath.slash : false
                }
                return !leftIsDirectory && rightIsDirectory
            }
        }
    }
}
