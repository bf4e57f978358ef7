import Foundation

extension OpenDirectory {
    /// Reads up to so many bytes of a file's start; none of what is no file.
    func start(of name: EntryName, _ count: Int) throws(AppDataError) -> [UInt8] {
        let file = try openFile(name)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: count)
        let length = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
        guard length >= 0 else { throw AppDataError.system(errno, "read", path(of: name)) }
        return Array(bytes.prefix(length))
    }

    /// Copies a file's content, mode and time into a new file of another directory.
    ///
    /// - Returns: its length in bytes.
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
        // An app must be able to write to its own data, even if the product's files are read-only.
        guard fchmod(target, facts.mode | 0o600) == 0, futimens(target, [facts.modified, facts.modified]) == 0 else {
            throw AppDataError.system(errno, "copy", path(of: name))
        }
        return total
    }

    /// Makes a link like another one, with its time, whatever it leads to.
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

    /// The whole of a file.
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
