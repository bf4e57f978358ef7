import CSystem
package import CapsuleCore

/// A file that is written under a hidden name beside its target, and renamed to the target when it is complete.
///
/// Until then it isn't visible under the target's name. If the object is released before that, the file is deleted.
package final class StagedFile: Sendable {
    /// The final path of the file.
    package let target: HostPath
    private let directory: RootDirectory
    private let temporary: [UInt8]
    private let descriptor: OwnedDescriptor

    package init(for target: HostPath) throws(FileSystemError) {
        self.target = target
        Interruption.resume()
        let directory = try RootDirectory(target.directory)
        self.directory = directory
        var name = TemporaryName.make(for: target.name)
        while true {
            do throws(FileSystemError) {
                descriptor = try Syscall.open(
                    at: directory.raw, HostPath(name), flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600, as: "create")
                temporary = name
                TemporaryMark.set(on: descriptor.raw)
                return
            } catch {
                guard error.code == .exists else { throw error.creating(target) }
                name = TemporaryName.make(for: target.name)
            }
        }
    }

    deinit {
        // After a commit the name is gone, and this does nothing.
        try? Syscall.remove(at: directory.raw, HostPath(temporary), directory: false)
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) {
        try Syscall.write(descriptor.raw, bytes, at: offset, path: target)
    }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
        try Syscall.read(descriptor.raw, at: offset, into: buffer, path: target)
    }

    package func truncate(to length: UInt64) throws(FileSystemError) {
        try Syscall.truncate(descriptor.raw, to: length, path: target)
    }

    /// Returns another descriptor of the same open file (dup(2)).
    package func duplicate() throws(FileSystemError) -> OwnedDescriptor {
        try Syscall.duplicate(descriptor.raw, path: target)
    }

    /// Makes the file durable and gives it its name: sync, rename, sync of the directory.
    ///
    /// - Parameters:
    ///   - replacing: true to replace a file of that name; if false, an existing one is an error with the code `exists`.
    ///   - mode: nil for the default mode under the user's creation mask.
    /// - Throws: with the code `unsynced` if the file is complete and has its name, and only the directory could not be synced.
    package func commit(replacing: Bool, mode: FileMode? = nil) throws(FileSystemError) {
        try commit(
            replacing: replacing, mode: mode, syncing: { (directory) throws(FileSystemError) in try directory.sync() })
    }

    /// Replaces an open file, and keeps its owner, group, access control list, extended attributes and mode. Every file that a command
    /// changes in place is written by this.
    ///
    /// - Throws: also if one of them can't be kept; the old file is then unchanged.
    func takePlace(of old: Int32) throws(FileSystemError) {
        let status = try Syscall.status(of: old, path: target)
        try Syscall.keepOwner(of: status, on: descriptor.raw, path: target)
        try Syscall.keepAccessList(of: old, on: descriptor.raw, path: target)
        for attribute in try ExtendedAttributes.read(old, path: target).attributes { try set(attribute) }
        // Changing the owner clears the mode's set-user-ID bit, so the mode comes last.
        try commit(replacing: true, mode: status.mode)
    }

    /// Gives the file its name, replacing a file that has it, without syncing: for content that can be made again. Only this user may read
    /// the file.
    func commitUnsynced() throws(FileSystemError) {
        try TemporaryMark.remove(from: descriptor.raw, path: target)
        try Rename.move(temporary, in: directory, to: target.name, in: directory, replacing: true, path: target)
    }

    /// Gives the file an extended attribute.
    func set(_ attribute: ExtendedAttribute) throws(FileSystemError) {
        try ExtendedAttributes.set(attribute, on: descriptor.raw, path: target)
    }

    /// Makes the file durable and gives it its name.
    ///
    /// - Parameter syncing: makes the new name durable.
    func commit(
        replacing: Bool, mode: FileMode? = nil, syncing: (RootDirectory) throws(FileSystemError) -> Void
    ) throws(FileSystemError) {
        try TemporaryMark.remove(from: descriptor.raw, path: target)
        try Syscall.setMode(descriptor.raw, mode ?? FileMode(CreationMask.fileMode), path: target)
        try Syscall.sync(descriptor.raw, path: target)
        try Rename.move(
            temporary, in: directory, to: target.name, in: directory, replacing: replacing, path: target)
        TemporaryMark.unlock(descriptor.raw)
        do throws(FileSystemError) {
            try syncing(directory)
        } catch {
            throw .unsynced(error, target)
        }
    }
}

/// A file of the user's that is read and replaced as a whole. The new file has the mode, owner, group, access control list and attributes
/// of the old one.
///
/// A symbolic link is kept: its target is replaced.
package final class EditedFile: Sendable {
    /// The path with links resolved.
    package let path: HostPath
    /// The complete content of the file.
    package let bytes: [UInt8]
    private let status: FileStatus
    private let descriptor: OwnedDescriptor

    /// Reads the file.
    ///
    /// - Parameter limit: the longest file to read; a longer one is an error with the code `tooLarge`.
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

    /// Replaces the content in one step: a reader sees the old bytes or the new ones.
    ///
    /// - Throws: with the code `changed` if the file has changed since it was read. Also if its owner, group, access control list or
    ///   attributes can't be kept. Nothing is replaced then.
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
