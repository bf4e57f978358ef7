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

    /// What is in the directory, in no order.
    package func entries() throws(FileSystemError) -> [(name: [UInt8], kind: FileStatus.Kind)] {
        let listing = try DirectoryListing(of: try openDirectory(.root), path: path)
        return listing.items.map { (listing.name(of: $0), $0.kind) }
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
