import CSystem
package import CapsuleCore

/// An open directory that confines all work to the entries below it: no path leads through a link or above the directory.
package final class RootDirectory: Sendable {
    private let owned: OwnedDescriptor
    package let path: HostPath

    init(adopting descriptor: consuming OwnedDescriptor, path: HostPath) {
        owned = descriptor
        self.path = path
    }

    /// Opens a directory that the user named. Links in this path are followed, only here.
    package convenience init(_ path: HostPath) throws(CapsuleError) {
        self.init(adopting: try Syscall.open(path, flags: O_RDONLY | O_DIRECTORY), path: path)
    }

    package var raw: Int32 { owned.raw }

    package func status() throws(CapsuleError) -> FileStatus {
        try Syscall.status(of: raw, path: path)
    }

    package func hostPath(of entry: RelativePath) -> HostPath {
        entry.isRoot ? path : path.appending(entry.bytes)
    }

    package func openFile(_ entry: RelativePath) throws(CapsuleError) -> OwnedDescriptor {
        // O_NONBLOCK: a pipe that took the file's place must not block. The flag has no effect on files.
        try open(entry, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    }

    package func openFile(named name: ArraySlice<UInt8>) throws(CapsuleError) -> OwnedDescriptor {
        try Syscall.open(at: raw, HostPath(Array(name)), flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    }

    package func openDirectory(_ entry: RelativePath) throws(CapsuleError) -> OwnedDescriptor {
        try open(entry, flags: O_RDONLY | O_NOFOLLOW | O_DIRECTORY)
    }

    package func subdirectory(_ entry: RelativePath) throws(CapsuleError) -> RootDirectory {
        RootDirectory(adopting: try openDirectory(entry), path: hostPath(of: entry))
    }

    package func subdirectoryOnDevice(named name: [UInt8]) throws(CapsuleError) -> RootDirectory {
        guard let path = try? RelativePath.root.appending(name) else {
            throw CapsuleError(errno: EINVAL, "open", self.path.appending(name))
        }
        return try subdirectoryOnDevice(path)
    }

    package func readFile(named name: [UInt8], limit: UInt64) throws(CapsuleError) -> [UInt8] {
        try readSmallFile(named: name, limit: limit).bytes
    }

    /// The bytes of a file, and who else can change it.
    package struct SmallFile {
        package let bytes: [UInt8]
        package let access: ForeignAccess
    }

    package func readFile(_ entry: RelativePath, limit: UInt64) throws(CapsuleError) -> [UInt8] {
        try readSmallFile(entry, limit: limit).bytes
    }

    package func readSmallFile(named name: [UInt8], limit: UInt64) throws(CapsuleError) -> SmallFile {
        guard let path = try? RelativePath.root.appending(name) else {
            throw CapsuleError(errno: EINVAL, "open", self.path.appending(name))
        }
        return try readSmallFile(path, limit: limit)
    }

    private func readSmallFile(_ entry: RelativePath, limit: UInt64) throws(CapsuleError) -> SmallFile {
        let file = try openFile(entry)
        let status = try Syscall.status(of: file.raw, path: hostPath(of: entry))
        guard status.kind == .file else { throw CapsuleError(errno: EINVAL, "read", hostPath(of: entry)) }
        guard status.size <= limit else { throw .tooLarge("read", hostPath(of: entry)) }
        let bytes = try [UInt8](reading: Int(status.size)) { (room) throws(CapsuleError) in
            try Syscall.read(file.raw, at: 0, into: room, path: hostPath(of: entry))
        }
        return SmallFile(bytes: bytes, access: ForeignAccess.to(file.raw, status))
    }

    package func subdirectoryOnDevice(_ entry: RelativePath) throws(CapsuleError) -> RootDirectory {
        let place = hostPath(of: entry)
        let opened = try open(entry, flags: O_RDONLY | O_NOFOLLOW | O_DIRECTORY, isOneDevice: true)
        // Not every system refuses this by itself.
        guard try Syscall.status(of: opened.raw, path: place).device == status().device else {
            throw CapsuleError(errno: EXDEV, "open", place)
        }
        return RootDirectory(adopting: opened, path: place)
    }

    private func open(_ entry: RelativePath, flags: Int32, isOneDevice: Bool = false) throws(CapsuleError) -> OwnedDescriptor {
        if entry.isRoot { return try Syscall.open(at: raw, HostPath("."), flags: flags) }
        if entry.bytes.count < Self.systemPathLimit {
            if let descriptor = try openAtOnce(entry, flags: flags, isOneDevice: isOneDevice) { return descriptor }
        }
        return try openByComponents(entry, flags: flags)
    }

    /// Opens the path in one call; returns nil if the kernel does not support that.
    private func openAtOnce(_ entry: RelativePath, flags: Int32, isOneDevice: Bool) throws(CapsuleError) -> OwnedDescriptor? {
        let descriptor: Int32? = try Syscall.withCString(entry.bytes, "open") { (name) throws(CapsuleError) in
            for _ in 0..<Self.raceRetries {
                let descriptor = capsule_open_beneath(raw, name, flags | O_CLOEXEC, 0, isOneDevice ? 1 : 0)
                if descriptor >= 0 { return descriptor }
                switch errno {
                case ENOSYS, EPERM: return nil
                // Something on the path was renamed during the lookup (openat2(2)).
                case EAGAIN: continue
                case EINTR: try Interruption.check()
                case let number: throw CapsuleError(errno: number, "open", hostPath(of: entry))
                }
            }
            return nil
        }
        guard let descriptor else { return nil }
        return OwnedDescriptor(adopting: descriptor)
    }

    private func openByComponents(_ entry: RelativePath, flags: Int32) throws(CapsuleError) -> OwnedDescriptor {
        let components = entry.components
        var directory = try Syscall.open(at: raw, HostPath("."), flags: O_RDONLY | O_DIRECTORY)
        do throws(CapsuleError) {
            for component in components.dropLast() {
                directory = try Syscall.open(
                    at: directory.raw, HostPath(Array(component)), flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            }
            return try Syscall.open(at: directory.raw, HostPath(Array(entry.name)), flags: flags | O_NOFOLLOW)
        } catch {
            throw error.at(hostPath(of: entry))
        }
    }

    /// The length of path that the kernel no longer accepts in one call. It counts the closing NUL.
    private static let systemPathLimit = Int(PATH_MAX)
    private static let raceRetries = 64
}

/// Operations on single entries of an open directory, by name. Links are never followed.
extension RootDirectory {
    package func statusIfThere(_ name: [UInt8]) throws(CapsuleError) -> FileStatus? {
        do throws(CapsuleError) {
            return try Syscall.status(at: raw, HostPath(name))
        } catch {
            if error.code == .notFound { return nil }
            throw error.at(path.appending(name))
        }
    }

    package func move(_ name: [UInt8], to directory: RootDirectory, as new: [UInt8], path: HostPath) throws(CapsuleError) {
        try Rename.move(name, in: self, to: new, in: directory, replacing: false, path: path)
    }

    package func remove(_ name: [UInt8], isDirectory: Bool) throws(CapsuleError) {
        do throws(CapsuleError) {
            try Syscall.remove(at: raw, HostPath(name), directory: isDirectory)
        } catch {
            throw error.at(path.appending(name))
        }
    }

    package func makePrivateDirectory(_ name: [UInt8]) throws(CapsuleError) {
        do throws(CapsuleError) {
            try Syscall.makeDirectory(at: raw, HostPath(name), mode: 0o700)
        } catch {
            throw error.at(path.appending(name))
        }
    }

    /// Creates an empty file that only this user can read. The name must be free.
    package func createFile(_ name: [UInt8]) throws(CapsuleError) -> OwnedDescriptor {
        do throws(CapsuleError) {
            return try Syscall.open(
                at: raw, HostPath(name), flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600, as: "create")
        } catch {
            throw error.at(path.appending(name))
        }
    }

    /// Creates a file with these bytes, readable only by this user, and syncs it. The name must be free.
    package func writeFile(_ name: [UInt8], _ bytes: [UInt8]) throws(CapsuleError) {
        let place = path.appending(name)
        do throws(CapsuleError) {
            let file = try createFile(name)
            try bytes.withRawBytes { (bytes) throws(CapsuleError) in
                try Syscall.write(file.raw, bytes, at: 0, path: place)
            }
            try Syscall.sync(file.raw, path: place)
        } catch {
            throw error.at(place)
        }
    }

    package func openEntry(_ name: [UInt8], isDirectory: Bool) throws(CapsuleError) -> OwnedDescriptor {
        do throws(CapsuleError) {
            return try Syscall.open(
                at: raw, HostPath(name), flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | (isDirectory ? O_DIRECTORY : 0))
        } catch {
            throw error.at(path.appending(name))
        }
    }

    /// Sets the mode of an entry that can't be opened: fchmodat(2) with AT_SYMLINK_NOFOLLOW.
    package func setMode(of name: [UInt8], _ mode: FileMode) throws(CapsuleError) {
        let place = path.appending(name)
        try Syscall.withCString(name, "set its mode") { (text) throws(CapsuleError) in
            try Syscall.announce(.setMode(raw), "set its mode", place)
            _ = try Syscall.repeating("set its mode", place) {
                fchmodat(raw, text, mode_t(mode.rawValue), AT_SYMLINK_NOFOLLOW)
            }
        }
    }

    /// True on an overlay file system, which can't rename every directory.
    package var isLayered: Bool { capsule_is_layered(raw) != 0 }

    /// Copies the owner, group, attributes and access control list of another directory to this one, which is new and empty. Mode and time
    /// stay.
    package func takeOver(from other: RootDirectory) throws(CapsuleError) {
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

    package func setTimes(_ time: Timestamp) throws(CapsuleError) {
        try Syscall.setTimes(raw, time, path: path)
    }

    package func syncFileSystem() throws(CapsuleError) {
        try Syscall.announce(.sync(raw), "sync", path)
        _ = try Syscall.repeating("sync", path) { capsule_sync_file_system(raw) }
    }
}

/// Renames finished files and directories to their final names.
enum Rename {
    static func move(
        _ old: [UInt8], in from: RootDirectory, to new: [UInt8], in to: RootDirectory, replacing: Bool, path: HostPath
    ) throws(CapsuleError) {
        try Syscall.withCString(old, "rename") { (oldName) throws(CapsuleError) in
            try Syscall.withCString(new, "rename") { (newName) throws(CapsuleError) in
                try Syscall.announce(.rename(from.raw, oldName, to: to.raw, newName), replacing ? "replace" : "create", path)
                if replacing {
                    _ = try Syscall.repeating("replace", path) { renameat(from.raw, oldName, to.raw, newName) }
                    return
                }
                let outcome = capsule_rename_exclusive(from.raw, oldName, to.raw, newName)
                if outcome == 0 { return }
                let number = errno
                // No caller renames across devices, so EXDEV means that the file system can't rename this directory.
                if number == EXDEV { throw .unmovable(path) }
                guard number == EINVAL || number == ENOSYS || number == ENOTSUP else {
                    throw CapsuleError(errno: number, "create", path)
                }
                try moveByLink(oldName, from, newName, to, path)
            }
        }
    }

    /// Renames on file systems without the exclusive form: link(2) fails if the name is taken. Directories can't have two names, and
    /// neither can files on exFAT; for those, the name is looked up first.
    private static func moveByLink(
        _ old: UnsafePointer<CChar>, _ from: RootDirectory, _ new: UnsafePointer<CChar>, _ to: RootDirectory, _ path: HostPath
    ) throws(CapsuleError) {
        try Syscall.announce(.link(from.raw, old, to: to.raw, new), "create", path)
        if linkat(from.raw, old, to.raw, new, 0) == 0 {
            if (try? Syscall.announce(.remove(directory: from.raw, name: old), "delete", path)) != nil {
                unlinkat(from.raw, old, 0)
            }
            return
        }
        let number = errno
        // For both, Linux reports EPERM; Apple systems report ENOTSUP for a file system without hard links.
        guard [EPERM, EISDIR, ENOTSUP, ENOSYS].contains(number) else { throw CapsuleError(errno: number, "create", path) }
        var status = stat()
        if fstatat(to.raw, new, &status, AT_SYMLINK_NOFOLLOW) == 0 { throw CapsuleError(errno: EEXIST, "create", path) }
        _ = try Syscall.repeating("create", path) { renameat(from.raw, old, to.raw, new) }
    }

    static func swap(_ first: [UInt8], _ second: [UInt8], in directory: RootDirectory, path: HostPath) throws(CapsuleError)
        -> Bool
    {
        try Syscall.withCString(first, "replace") { (firstName) throws(CapsuleError) in
            try Syscall.withCString(second, "replace") { (secondName) throws(CapsuleError) in
                try Syscall.announce(.swap(directory.raw, firstName, with: secondName), "replace", path)
                if capsule_rename_swap(directory.raw, firstName, directory.raw, secondName) == 0 { return true }
                let number = errno
                if number == EXDEV { throw .unmovable(path) }
                if number == EINVAL || number == ENOSYS || number == ENOTSUP { return false }
                throw CapsuleError(errno: number, "replace", path)
            }
        }
    }
}

extension RootDirectory {
    /// Makes the names in the directory durable. Does nothing on file systems that can't sync a directory.
    package func sync() throws(CapsuleError) {
        try Syscall.announce(.sync(raw), "sync", path)
        while capsule_sync(raw) != 0 {
            switch errno {
            case EINVAL, ENOTSUP: return
            // The name exists already, so it is too late to stop.
            case EINTR: continue
            case let number: throw CapsuleError(errno: number, "sync", path)
            }
        }
    }
}
