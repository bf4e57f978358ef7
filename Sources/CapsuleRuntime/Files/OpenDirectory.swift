import Foundation

/// A directory that is open: what is in it is reached by its name alone, and never through a link.
final class OpenDirectory {
    /// For messages.
    let path: String
    let descriptor: Int32

    private init(adopting descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    private static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

    /// Opens where a tree begins; links on the way there are followed.
    static func top(_ url: URL) throws(AppDataError) -> OpenDirectory {
        let descriptor = open(url.path, flags)
        guard descriptor >= 0 else { throw AppDataError.system(errno, "open", url.path) }
        return OpenDirectory(adopting: descriptor, path: url.path)
    }

    func path(of name: EntryName) -> String { "\(path)/\(name.text)" }

    /// openat(2) with O_NOFOLLOW: a directory in this one.
    func directory(_ name: EntryName) throws(AppDataError) -> OpenDirectory {
        let descriptor = name.withCString { openat(self.descriptor, $0, Self.flags | O_NOFOLLOW) }
        guard descriptor < 0 else { return OpenDirectory(adopting: descriptor, path: path(of: name)) }
        let number = errno
        switch try status(of: name)?.kind {
        case .link:
            throw AppDataError(
                .throughLink, path(of: name), "must be a directory; symbolic links are not followed")
        case .file, .other: throw AppDataError(.occupied, path(of: name), "is a file, but must be a directory")
        case .directory, nil: throw AppDataError.system(number, "open", path(of: name))
        }
    }

    /// The directory of that name; nil if nothing has it.
    func directoryIfThere(_ name: EntryName) throws(AppDataError) -> OpenDirectory? {
        try status(of: name) == nil ? nil : try directory(name)
    }

    /// The directory of that name, made for this user alone if nothing has it.
    func directoryMade(_ name: EntryName) throws(AppDataError) -> (directory: OpenDirectory, isNew: Bool) {
        let made = name.withCString { mkdirat(descriptor, $0, 0o700) }
        if made != 0, errno != EEXIST { throw AppDataError.system(errno, "create", path(of: name)) }
        return (try directory(name), made == 0)
    }

    /// fstatat(2); nil if nothing has that name.
    func status(of name: EntryName) throws(AppDataError) -> EntryStatus? {
        var status = stat()
        if name.withCString({ fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) }) == 0 { return EntryStatus(status) }
        guard errno == ENOENT else { throw AppDataError.system(errno, "read its attributes", path(of: name)) }
        return nil
    }

    /// Of the directory itself.
    func status() throws(AppDataError) -> EntryStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw AppDataError.system(errno, "read its attributes", path) }
        return EntryStatus(status)
    }

    /// What is in it, by bytes.
    func names() throws(AppDataError) -> [EntryName] {
        // A descriptor of its own: the stream closes it, and the position is not shared.
        let own = openat(descriptor, ".", Self.flags)
        guard own >= 0 else { throw AppDataError.system(errno, "read", path) }
        guard let stream = fdopendir(own) else {
            let number = errno
            close(own)
            throw AppDataError.system(number, "read", path)
        }
        defer { closedir(stream) }
        var names: [EntryName] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { EntryName(bytes: Array($0.prefix { $0 != 0 })) }
            if name.bytes != [0x2E], name.bytes != [0x2E, 0x2E] { names.append(name) }
        }
        guard errno == 0 else { throw AppDataError.system(errno, "read", path) }
        return names.sorted()
    }

    /// renameat(2): what has the new name is replaced; a link there is replaced itself.
    func move(_ name: EntryName, to directory: OpenDirectory, as new: EntryName) throws(AppDataError) {
        let moved = name.withCString { old in new.withCString { renameat(descriptor, old, directory.descriptor, $0) } }
        guard moved == 0 else { throw AppDataError.system(errno, "move it into place", directory.path(of: new)) }
    }

    /// fchmod(2); the owner can always read and write: an app owns its data.
    func setMode(_ mode: mode_t) throws(AppDataError) {
        guard fchmod(descriptor, mode | 0o700) == 0 else { throw AppDataError.system(errno, "set its mode", path) }
    }
}

extension AppDataError {
    /// A system call that failed.
    static func system(_ number: Int32, _ operation: String, _ path: String) -> AppDataError {
        let text = String(cString: strerror(number))
        return AppDataError(
            .system, path, "cannot \(operation): \(text.prefix(1).lowercased())\(text.dropFirst())", number: number)
    }
}
