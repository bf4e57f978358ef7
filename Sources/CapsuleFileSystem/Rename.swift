import CSystem
import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

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
