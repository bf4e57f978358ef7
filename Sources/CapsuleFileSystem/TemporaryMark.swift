import CSystem
import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What proves that Capsule has made a temporary file or directory, and whether a command is still at it.
///
/// Who makes one takes its lock (flock(2)), which ends with the process, and then marks it with an extended attribute that has its inode
/// number: a copy, or what an archive brings along, has another one. The mark goes before the finished file gets its name. A file
/// system without locks or attributes makes no difference but that nothing is proven later.
enum TemporaryMark {
    private static let name = "user.capsule.temporary"

    /// Locks and marks what this process has just made.
    static func set(on descriptor: Int32) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, let status = try? Syscall.status(of: descriptor, path: HostPath([]))
        else {
            return
        }
        let value = value(for: status)
        _ = value.withUnsafeBytes { capsule_set_attribute(descriptor, name, $0.baseAddress, $0.count) }
    }

    /// Takes the mark off what is finished.
    static func remove(from descriptor: Int32, path: HostPath) throws(FileSystemError) {
        guard isSet(on: descriptor, try Syscall.status(of: descriptor, path: path)) else { return }
        if capsule_remove_attribute(descriptor, name) == 0 { return }
        let mode = try Syscall.status(of: descriptor, path: path).mode
        guard errno == EACCES else { throw FileSystemError(errno: errno, "finish", path) }
        // It has got its final mode, which closes it to its owner.
        try Syscall.setMode(descriptor, FileMode(mode.rawValue | 0o200), path: path)
        guard capsule_remove_attribute(descriptor, name) == 0 else { throw FileSystemError(errno: errno, "finish", path) }
        try Syscall.setMode(descriptor, mode, path: path)
    }

    /// Lets others have the lock of what is finished.
    static func unlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    /// Whether the mark is there, and is of this very file or directory.
    static func isSet(on descriptor: Int32, _ status: FileStatus) -> Bool {
        let wanted = value(for: status)
        var found = [UInt8](repeating: 0, count: wanted.count + 1)
        let count = found.withUnsafeMutableBytes { capsule_get_attribute(descriptor, name, $0.baseAddress, $0.count) }
        return count == wanted.count && found.dropLast().elementsEqual(wanted)
    }

    private static func value(for status: FileStatus) -> [UInt8] { Array("\(status.inode)".utf8) }
}
