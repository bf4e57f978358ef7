import CSystem
package import CapsuleCore

/// A file of the user's that is read and replaced as a whole. The new file has the mode, owner, group, access control list and attributes
/// of the old one.
/// A symbolic link is kept: its target is replaced.
package final class EditedFile: Sendable {
    package let path: HostPath
    package let bytes: [UInt8]
    /// A warning if the file system has no locks; else nil.
    package let warning: CapsuleError?
    private let status: FileStatus
    private let descriptor: OwnedDescriptor

    /// The errors of file systems without locks. NFS reports EBADF, because it locks only files that are open for writing.
    private static let lockless = [ENOLCK, EOPNOTSUPP, ENOTSUP, EBADF]

    /// - Parameters:
    ///   - locks: true to take the exclusive lock of the file first, and to hold it until the file is replaced or this object is
    ///     released. No change by another command that does so is lost then. A file that is only read needs no lock.
    ///   - timeout: the time to wait for the lock, in seconds.
    package init(_ path: HostPath, limit: UInt64, locks: Bool = false, timeout: Double = 10) throws(CapsuleError) {
        var warning: CapsuleError?
        let descriptor = locks ? try Self.lock(path, timeout, &warning) : try Syscall.openFile(path)
        self.path = try RealPath.ofFile(path)
        let raw = descriptor.raw
        let status = try Syscall.status(of: raw, path: path)
        guard status.size <= limit else { throw .tooLarge("read", path) }
        bytes = try [UInt8](reading: Int(status.size)) { (room) throws(CapsuleError) in
            try Syscall.read(raw, at: 0, into: room, path: path)
        }
        self.status = status
        self.descriptor = descriptor
        self.warning = warning
    }

    private static func lock(
        _ path: HostPath, _ timeout: Double, _ warning: inout CapsuleError?
    ) throws(CapsuleError) -> OwnedDescriptor {
        do throws(CapsuleError) {
            // Open for reading only: a file that its user may not write to can still be replaced.
            return try LockWait(timeout: timeout).openLocked(path, Syscall.openFile)
        } catch {
            if error.code == .locked {
                throw CapsuleError(
                    .locked, "another process is changing it", path: path, hint: "wait for it to finish, then try again")
            }
            guard let number = error.errno, lockless.contains(number) else { throw error }
            warning = CapsuleError("can't be locked on this file system: other changes at the same time may be lost", path: path)
            return try Syscall.openFile(path)
        }
    }

    /// Replaces the content in one step: a reader sees the old bytes or the new ones. Where nothing can be created beside the file, it is
    /// overwritten (``InPlaceFile``). Then the lock is released.
    package func replace(with bytes: [UInt8]) throws(CapsuleError) {
        defer { try? Syscall.unlock(descriptor.raw, path: path) }
        let staged = try StagedFile(for: path, inPlace: true)
        try bytes.withRawBytes { (bytes) throws(CapsuleError) in try staged.write(bytes, at: 0) }
        // A program that does not take the lock must not lose its changes.
        guard let now = try Syscall.statusIfThere(path, following: true), now.isSameState(as: status) else {
            throw .changed(path)
        }
        try staged.takePlace(of: descriptor.raw)
    }
}
