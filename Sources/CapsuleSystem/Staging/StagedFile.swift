import CSystem
package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that is written under a hidden name beside its target, and takes the target's name once it is whole.
///
/// Until then nobody sees it; if it is dropped, it goes.
package final class StagedFile: Sendable {
    /// What it is to become.
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
        // After a commit the name is gone, and this finds nothing.
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

    /// Another descriptor of the same open file (dup(2)).
    package func duplicate() throws(FileSystemError) -> OwnedDescriptor {
        try Syscall.duplicate(descriptor.raw, path: target)
    }

    /// Makes the file last and gives it its name: sync, rename, sync of the directory.
    ///
    /// - Parameters:
    ///   - replacing: whether a file of that name is replaced; if not, one there is an error with the code `exists`.
    ///   - mode: nil for what the user's mask leaves.
    /// - Throws: with the code `unsynced` if the file is there, whole, and only the directory could not be synced.
    package func commit(replacing: Bool, mode: FileMode? = nil) throws(FileSystemError) {
        try commit(
            replacing: replacing, mode: mode, syncing: { (directory) throws(FileSystemError) in try directory.sync() })
    }

    /// Takes the place of an open file, and keeps its owner, group, access control list, extended attributes and mode. Every file that a
    /// command changes in its place is written by this.
    ///
    /// - Throws: where one of them can't be kept; the old file is then as it was.
    func takePlace(of old: Int32) throws(FileSystemError) {
        let status = try Syscall.status(of: old, path: target)
        try Syscall.keepOwner(of: status, on: descriptor.raw, path: target)
        try Syscall.keepAccessList(of: old, on: descriptor.raw, path: target)
        for attribute in try ExtendedAttributes.read(old, path: target).attributes { try set(attribute) }
        // Another owner ends the mode's set-user-ID bit, so the mode comes last.
        try commit(replacing: true, mode: status.mode)
    }

    /// Gives the file its name, in place of one that has it, and leaves it to the system when it lasts: for what can be made
    /// again. Nobody but this user may read it.
    func commitUnsynced() throws(FileSystemError) {
        try TemporaryMark.remove(from: descriptor.raw, path: target)
        try Rename.move(temporary, in: directory, to: target.name, in: directory, replacing: true, path: target)
    }

    /// Gives the file an extended attribute.
    func set(_ attribute: ExtendedAttribute) throws(FileSystemError) {
        try ExtendedAttributes.set(attribute, on: descriptor.raw, path: target)
    }

    /// - Parameter syncing: what makes the new name last.
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
