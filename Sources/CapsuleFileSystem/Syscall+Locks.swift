import CSystem
package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Locks of whole files.
extension Syscall {
    /// flock(2) without waiting; false if somebody else has a lock that rules this one out.
    ///
    /// A lock that this open file has already becomes the other kind, and is lost where that is refused.
    package static func tryLock(
        _ descriptor: Int32, exclusive: Bool, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) -> Bool {
        try announce(.lock(descriptor), "lock", path())
        do throws(FileSystemError) {
            _ = try repeating("lock", path()) { flock(descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) }
            return true
        } catch {
            if error.number == EWOULDBLOCK { return false }
            throw error
        }
    }

    /// flock(2) with LOCK_UN.
    package static func unlock(_ descriptor: Int32, path: @autoclosure () -> HostPath) throws(FileSystemError) {
        _ = try repeating("unlock", path()) { flock(descriptor, LOCK_UN) }
    }
}
