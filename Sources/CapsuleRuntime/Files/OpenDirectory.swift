import Foundation

/// An open directory. Its entries are accessed only by name, never through a link.
final class OpenDirectory {
    /// The path, for messages.
    let path: String
    let descriptor: Int32

    private init(adopting descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    private static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

    /// Opens the root of a tree. Links in its path are followed.
    static func top(_ url: URL) throws(AppDataError) -> OpenDirectory {
        let descriptor = open(url.path, flags)
        guard descriptor >= 0 else { throw AppDataError.system(errno, "open", url.path) }
        return OpenDirectory(adopting: descriptor, path: url.path)
    }

    func path(of name: EntryName) -> String { "\(path)/\(name.text)" }

    /// Opens a directory in this one: openat(2) with O_NOFOLLOW.
    func directory(_ name: EntryName) throws(AppDataError) -> OpenDirectory {
        let descriptor = name.withCString { openat(self.descriptor, $0, Self.flags | O_NOFOLLOW) }
        guard descriptor < 0 else { return OpenDirectory(adopting: descriptor, path: path(of: name)) }
        let number = errno
        switch try status(of: name)?.kind {
        case .link:
            throw AppDataError(.throughLink, path(of: name), "must be a directory; symbolic links are not followed")
        case .file, .other: throw AppDataError(.occupied, path(of: name), "is a file, but must be a directory")
        case .directory, nil: throw AppDataError.system(number, "open", path(of: name))
        }
    }

    /// Opens the directory of that name; returns nil if nothing has the name.
    func directoryIfThere(_ name: EntryName) throws(AppDataError) -> OpenDirectory? {
        try status(of: name) == nil ? nil : try directory(name)
    }

    /// Opens the directory of that name, and makes it, accessible only to this user, if nothing has the name.
    func directoryMade(_ name: EntryName) throws(AppDataError) -> (directory: OpenDirectory, isNew: Bool) {
        let made = name.withCString { mkdirat(descriptor, $0, 0o700) }
        if made != 0, errno != EEXIST { throw AppDataError.system(errno, "create", path(of: name)) }
        return (try directory(name), made == 0)
    }

    /// Returns the status of an entry (fstatat(2)), or nil if nothing has that name.
    func status(of name: EntryName) throws(AppDataError) -> EntryStatus? {
        var status = stat()
        if name.withCString({ fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) }) == 0 { return EntryStatus(status) }
        guard errno == ENOENT else { throw AppDataError.system(errno, "read its attributes", path(of: name)) }
        return nil
    }

    /// Returns the status of the directory itself.
    func status() throws(AppDataError) -> EntryStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw AppDataError.system(errno, "read its attributes", path) }
        return EntryStatus(status)
    }

    /// Returns the names of its entries, sorted by their bytes.
    func names() throws(AppDataError) -> [EntryName] {
        // A separate descriptor: the stream closes it, and the read position is not shared.
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

    /// Renames an entry (renameat(2)). An entry with the new name is replaced; a link is replaced itself, not its target.
    func move(_ name: EntryName, to directory: OpenDirectory, as new: EntryName) throws(AppDataError) {
        let moved = name.withCString { old in new.withCString { renameat(descriptor, old, directory.descriptor, $0) } }
        guard moved == 0 else { throw AppDataError.system(errno, "move it into place", directory.path(of: new)) }
    }

    /// Sets the directory's mode (fchmod(2)). The owner always gets access, since an app owns its data.
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

extension OpenDirectory {
    /// Reads up to `count` bytes from the start of a file.
    func start(of name: EntryName, _ count: Int) throws(AppDataError) -> [UInt8] {
        let file = try openFile(name)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: count)
        let length = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
        guard length >= 0 else { throw AppDataError.system(errno, "read", path(of: name)) }
        return Array(bytes.prefix(length))
    }

    /// Copies a file's content, mode and time to a new file in another directory.
    ///
    /// - Returns: the length in bytes.
    func copyFile(_ name: EntryName, to directory: OpenDirectory, as new: EntryName) throws(AppDataError) -> Int {
        let source = try openFile(name)
        defer { close(source) }
        var status = stat()
        guard fstat(source, &status) == 0 else { throw AppDataError.system(errno, "read its attributes", path(of: name)) }
        let target = new.withCString {
            openat(directory.descriptor, $0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard target >= 0 else { throw AppDataError.system(errno, "copy", path(of: name)) }
        defer { close(target) }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var total = 0
        while true {
            let count = buffer.withUnsafeMutableBytes { read(source, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw AppDataError.system(errno, "read", path(of: name)) }
            if count == 0 { break }
            var done = 0
            while done < count {
                let written = buffer.withUnsafeBytes { write(target, $0.baseAddress?.advanced(by: done), count - done) }
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw AppDataError.system(errno, "copy", path(of: name)) }
                done += written
            }
            total += count
        }
        let facts = EntryStatus(status)
        // An app must be able to write to its own data, even if the files in the product are read-only.
        guard fchmod(target, facts.mode | 0o600) == 0, futimens(target, [facts.modified, facts.modified]) == 0 else {
            throw AppDataError.system(errno, "copy", path(of: name))
        }
        return total
    }

    /// Makes a link with the same target and time as another one. The target is not examined.
    func copyLink(_ name: EntryName, to directory: OpenDirectory, as new: EntryName) throws(AppDataError) {
        var target = [CChar](repeating: 0, count: 1 << 14)
        let length = target.withUnsafeMutableBufferPointer { room -> Int in
            guard let base = room.baseAddress else { return -1 }
            return name.withCString { readlinkat(descriptor, $0, base, room.count - 1) }
        }
        guard length >= 0 else { throw AppDataError.system(errno, "read", path(of: name)) }
        let time = try status(of: name)?.modified ?? timespec()
        let made = new.withCString { link in
            symlinkat(target, directory.descriptor, link) == 0
                && utimensat(directory.descriptor, link, [time, time], AT_SYMLINK_NOFOLLOW) == 0
        }
        guard made else { throw AppDataError.system(errno, "copy", path(of: name)) }
    }

    /// Reads all of a file.
    func content(of name: EntryName) throws(AppDataError) -> Data {
        let file = FileHandle(fileDescriptor: try openFile(name), closeOnDealloc: true)
        do {
            return try file.readToEnd() ?? Data()
        } catch {
            throw AppDataError(.system, path(of: name), "cannot read: \(error.localizedDescription)")
        }
    }

    private func openFile(_ name: EntryName) throws(AppDataError) -> Int32 {
        let file = name.withCString { openat(descriptor, $0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        guard file >= 0 else { throw AppDataError.system(errno, "open", path(of: name)) }
        return file
    }
}

/// The metadata of an entry from fstatat(2). Links are not followed.
struct EntryStatus {
    enum Kind {
        case file, directory, link
        /// A pipe, socket or device.
        case other
    }

    let kind: Kind
    /// The permission bits only.
    let mode: mode_t
    let modified: timespec
    private let device: dev_t
    private let inode: ino_t

    init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .directory
        case S_IFLNK: kind = .link
        default: kind = .other
        }
        mode = status.st_mode & 0o777
        device = status.st_dev
        inode = status.st_ino
        #if canImport(Darwin)
        modified = status.st_mtimespec
        #else
        modified = status.st_mtim
        #endif
    }
    /// Returns true if both belong to the same entry, whatever its names.
    func isSame(as other: EntryStatus) -> Bool { device == other.device && inode == other.inode }
}

/// The name of an entry in a directory, as bytes, since equal strings may be different names.
struct EntryName: Hashable, Sendable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The name for messages. Bytes that are not UTF-8 are replaced.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    func hasSuffix(_ suffix: String) -> Bool {
        bytes.count > suffix.utf8.count && bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    func appending(_ suffix: String) -> EntryName { EntryName(bytes: bytes + suffix.utf8) }

    /// Returns the name without the bytes of a suffix, which it must have.
    func dropping(_ suffix: String) -> EntryName { EntryName(bytes: Array(bytes.dropLast(suffix.utf8.count))) }

    /// The name without its extension.
    var stem: EntryName {
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return self }
        return EntryName(bytes: Array(bytes[..<dot]))
    }

    func withCString<Outcome>(_ body: (UnsafePointer<CChar>) -> Outcome) -> Outcome {
        (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return "".withCString(body) }
            return body(base)
        }
    }
}

extension EntryName: Comparable {
    /// Compares by bytes, so that a database comes before its logs.
    static func < (left: EntryName, right: EntryName) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

extension EntryName {
    /// True if a file in `Library/Preferences` belongs to the system: `.GlobalPreferences`, which on a Mac are those of all apps, or a
    /// domain `com.apple.…`. Seeds don't set these preferences, and a reset doesn't remove them.
    var isSystemPreferences: Bool { bytes.first == UInt8(ascii: ".") || dropping(".plist").text.hasPrefix("com.apple.") }
}
