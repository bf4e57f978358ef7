package import CapsuleCore

/// A file of the user's that is read whole and replaced whole: the new one has the old one's mode, owner, group, access control list and
/// attributes.
///
/// A symbolic link stays one: the file that it leads to is replaced.
package final class EditedFile: Sendable {
    /// Where the file really is.
    package let path: HostPath
    /// All of it.
    package let bytes: [UInt8]
    private let status: FileStatus
    private let descriptor: OwnedDescriptor

    /// Reads the file.
    ///
    /// - Parameter limit: no longer file is read; the error has the code `tooLarge`.
    package init(_ path: HostPath, limit: UInt64) throws(FileSystemError) {
        let descriptor = try Syscall.openFile(path)
        self.path = try RealPath.ofFile(path)
        let raw = descriptor.raw
        let status = try Syscall.status(of: raw, path: path)
        guard status.size <= limit else { throw .tooLarge("read", path) }
        let count = Int(status.size)
        var failure: FileSystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            do throws(FileSystemError) {
                filled = try Syscall.read(raw, at: 0, into: UnsafeMutableRawBufferPointer(room), path: path)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        self.bytes = bytes
        self.status = status
        self.descriptor = descriptor
    }

    /// Puts other bytes in the file's place, at once: whoever reads it sees the old ones or the new.
    ///
    /// - Throws: with the code `changed` if the file is another one than was read, and where its owner, group or access control list can't
    ///   be kept. Nothing is replaced then.
    package func replace(with bytes: [UInt8]) throws(FileSystemError) {
        let staged = try StagedFile(for: path)
        let written: Result<Void, FileSystemError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(FileSystemError) in try staged.write(bytes, at: 0) }
        }
        try written.get()
        guard let now = try Syscall.statusIfThere(path, following: true), now.isSameState(as: status) else {
            throw .changed(path)
        }
        try staged.takePlace(of: descriptor.raw)
    }
}
