#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The process's file creation mask.
package enum CreationMask {
    /// umask(2) can only be read by setting it; read once.
    private static let mask: UInt16 = {
        let mask = umask(0o077)
        umask(mask)
        return UInt16(truncatingIfNeeded: mask)
    }()

    /// Reads the mask now, while no other thread makes files.
    package static func prepare() {
        _ = mask
    }

    /// The mode that a new file of ours gets.
    package static var fileMode: UInt16 { 0o666 & ~mask }

    /// Whether a file created with `mode` has just that.
    package static func keeps(_ mode: UInt16) -> Bool { mode & mask == 0 }
}
