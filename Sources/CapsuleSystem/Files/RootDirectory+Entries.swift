import CSystem
package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Single entries of an open directory, by their names: links are looked at, never through.
extension RootDirectory {
    /// fstatat(2); nil if nothing has that name.
    package func statusIfThere(_ name: [UInt8]) throws(FileSystemError) -> FileStatus? {
        do throws(FileSystemError) {
            return try Syscall.status(at: raw, HostPath(name))
        } catch {
            if error.code == .notFound { return nil }
            throw error.at(path.appending(name))
        }
    }

    /// renameat2(2) with RENAME_NOREPLACE: gives an entry another name, which must be free.
    ///
    /// - Parameter path: the new name as the user knows it, for messages.
    package func move(
        _ name: [UInt8], to directory: RootDirectory, as new: [UInt8], path: HostPath
    ) throws(FileSystemError) {
        try Rename.move(name, in: self, to: new, in: directory, replacing: false, path: path)
    }

    /// unlinkat(2): a directory must be empty.
    package func remove(_ name: [UInt8], isDirectory: Bool) throws(FileSystemError) {
        do throws(FileSystemError) {
            try Syscall.remove(at: raw, HostPath(name), directory: isDirectory)
        } catch {
            throw error.at(path.appending(name))
        }
    }

    /// mkdirat(2) with mode 0700.
    package func makePrivateDirectory(_ name: [UInt8]) throws(FileSystemError) {
        do throws(FileSystemError) {
            try Syscall.makeDirectory(at: raw, HostPath(name), mode: 0o700)
        } catch {
            throw error.at(path.appending(name))
        }
    }

    /// Makes a file that must not be there yet, with the bytes, readable for this user alone, and syncs it.
    package func writeFile(_ name: [UInt8], _ bytes: [UInt8]) throws(FileSystemError) {
        let place = path.appending(name)
        do throws(FileSystemError) {
            let file = try Syscall.open(
                at: raw, HostPath(name), flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600, as: "create")
            let written: Result<Void, FileSystemError> = bytes.withUnsafeBytes { bytes in
                Result { () throws(FileSystemError) in try Syscall.write(file.raw, bytes, at: 0, path: place) }
            }
            try written.get()
            try Syscall.sync(file.raw, path: place)
        } catch {
            throw error.at(place)
        }
    }

    /// Opens an entry of a kind that is known, a file or directory, for what is done to it by descriptor.
    package func openEntry(_ name: [UInt8], isDirectory: Bool) throws(FileSystemError) -> OwnedDescriptor {
        do throws(FileSystemError) {
            return try Syscall.open(
                at: raw, HostPath(name), flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | (isDirectory ? O_DIRECTORY : 0))
        } catch {
            throw error.at(path.appending(name))
        }
    }

    /// fchmodat(2) with AT_SYMLINK_NOFOLLOW: of an entry that can't be opened.
    package func setMode(of name: [UInt8], _ mode: FileMode) throws(FileSystemError) {
        let place = path.appending(name)
        try Syscall.withCString(name, "set its mode") { (text) throws(FileSystemError) in
            try Syscall.announce(.setMode(raw), "set its mode", place)
            _ = try Syscall.repeating("set its mode", place) {
                fchmodat(raw, text, mode_t(mode.rawValue), AT_SYMLINK_NOFOLLOW)
            }
        }
    }

    /// Whether the file system may lay others over each other: it does not rename every directory then.
    package var isLayered: Bool { capsule_is_layered(raw) != 0 }

    /// Gives this directory, which is new and empty, what another one has, but for mode and time.
    package func takeOver(from other: RootDirectory) throws(FileSystemError) {
        let (own, wanted) = (try status(), try other.status())
        if own.owner != wanted.owner || own.group != wanted.group {
            _ = try Syscall.repeating("set its owner", path) {
                fchown(raw, uid_t(wanted.owner), gid_t(wanted.group))
            }
        }
        let reading = try ExtendedAttributes.read(other.raw, path: other.path)
        for attribute in reading.attributes { try ExtendedAttributes.set(attribute, on: raw, path: path) }
        _ = try Syscall.repeating("set its access control list", path) { capsule_copy_access_list(other.raw, raw) }
    }

    /// futimens(2) of the directory itself.
    package func setTimes(_ time: Timestamp) throws(FileSystemError) {
        try Syscall.setTimes(raw, time, path: path)
    }

    /// syncfs(2): all of the file system that the directory is on.
    package func syncFileSystem() throws(FileSystemError) {
        try Syscall.announce(.sync(raw), "sync", path)
        _ = try Syscall.repeating("sync", path) { capsule_sync_file_system(raw) }
    }
}

/// Giving something finished its name.
enum Rename {
    /// renameat(2), or its form that never replaces.
    ///
    /// - Parameter path: the new name as the user knows it, for messages.
    static func move(
        _ old: [UInt8], in from: RootDirectory, to new: [UInt8], in to: RootDirectory, replacing: Bool, path: HostPath
    ) throws(FileSystemError) {
        try Syscall.withCString(old, "rename") { (oldName) throws(FileSystemError) in
            try Syscall.withCString(new, "rename") { (newName) throws(FileSystemError) in
                try Syscall.announce(.rename(from.raw, oldName, to: to.raw, newName), replacing ? "replace" : "create", path)
                if replacing {
                    _ = try Syscall.repeating("replace", path) { renameat(from.raw, oldName, to.raw, newName) }
                    return
                }
                let outcome = capsule_rename_exclusive(from.raw, oldName, to.raw, newName)
                if outcome == 0 { return }
                let number = errno
                // No caller renames from one device to another.
                if number == EXDEV { throw .unmovable(path) }
                guard number == EINVAL || number == ENOSYS || number == ENOTSUP else {
                    throw FileSystemError(errno: number, "create", path)
                }
                try moveByLink(oldName, from, newName, to, path)
            }
        }
    }

    /// For file systems without the exclusive form: a second name for a file fails where the name is taken. Directories can't have
    /// two names, nor can files on exFAT: there the name is looked for first.
    private static func moveByLink(
        _ old: UnsafePointer<CChar>, _ from: RootDirectory, _ new: UnsafePointer<CChar>, _ to: RootDirectory, _ path: HostPath
    ) throws(FileSystemError) {
        try Syscall.announce(.link(from.raw, old, to: to.raw, new), "create", path)
        if linkat(from.raw, old, to.raw, new, 0) == 0 {
            if (try? Syscall.announce(.remove(directory: from.raw, name: old), "delete", path)) != nil {
                unlinkat(from.raw, old, 0)
            }
            return
        }
        let number = errno
        // Linux answers EPERM for both, Apple systems ENOTSUP for a file system without hard links.
        guard [EPERM, EISDIR, ENOTSUP, ENOSYS].contains(number) else { throw FileSystemError(errno: number, "create", path) }
        var status = stat()
        if fstatat(to.raw, new, &status, AT_SYMLINK_NOFOLLOW) == 0 { throw FileSystemError(errno: EEXIST, "create", path) }
        _ = try Syscall.repeating("create", path) { renameat(from.raw, old, to.raw, new) }
    }

    /// Lets two names of one directory change places, at once where the file system can.
    ///
    /// - Returns: false if it can't; then nothing has changed.
    static func swap(_ first: [UInt8], _ second: [UInt8], in directory: RootDirectory, path: HostPath) throws(FileSystemError)
        -> Bool
    {
        try Syscall.withCString(first, "replace") { (firstName) throws(FileSystemError) in
            try Syscall.withCString(second, "replace") { (secondName) throws(FileSystemError) in
                try Syscall.announce(.swap(directory.raw, firstName, with: secondName), "replace", path)
                if capsule_rename_swap(directory.raw, firstName, directory.raw, secondName) == 0 { return true }
                let number = errno
                if number == EXDEV { throw .unmovable(path) }
                if number == EINVAL || number == ENOSYS || number == ENOTSUP { return false }
                throw FileSystemError(errno: number, "replace", path)
            }
        }
    }
}

extension RootDirectory {
    /// Makes the directory's names last. File systems that can't are left alone.
    package func sync() throws(FileSystemError) {
        try Syscall.announce(.sync(raw), "sync", path)
        while capsule_sync(raw) != 0 {
            switch errno {
            case EINVAL, ENOTSUP: return
            // The name is there already: too late to stop.
            case EINTR: continue
            case let number: throw FileSystemError(errno: number, "sync", path)
            }
        }
    }
}
