import CSystem
import CapsuleCore

/// Overwrites a file in a directory that accepts no other names. Xcode's script sandbox (`ENABLE_USER_SCRIPT_SANDBOXING`) lets a build phase
/// write its declared outputs, and nothing beside them.
///
/// Readers may see a part of the new content. After a failure, the file is as it was before: a file that was created is deleted, and one
/// that was there gets its old content back from a copy that was made first.
struct InPlaceFile {
    let target: HostPath
    /// The directory of the new content, in which the copy of the old content is made, too.
    let directory: RootDirectory

    /// Returns the directory for temporary files of a build phase: `$DERIVED_FILE_DIR`, or else `$TMPDIR`; nil if neither can be opened.
    static func temporaryDirectory() -> RootDirectory? {
        for name in ["DERIVED_FILE_DIR", "TMPDIR"] {
            if let path = SpoolFile.path(inVariable: name), let directory = try? RootDirectory(path) { return directory }
        }
        return nil
    }

    /// Creates the file, or overwrites it under its lock.
    /// - Parameter mode: the mode of a file that is created. A file that is there keeps its own.
    func write(contentOf staged: StagedFile, replacing: Bool, mode: FileMode) throws(CapsuleError) {
        if let made = try create() {
            do throws(CapsuleError) {
                try copy(from: staged, 0..<(try staged.length()), to: made.raw)
                try Syscall.setMode(made.raw, mode, path: target)
                try Syscall.sync(made.raw, path: target)
            } catch {
                try? Syscall.removeFile(target)
                throw error
            }
            return
        }
        guard replacing else { throw CapsuleError(errno: EEXIST, "create", target) }
        let file = try LockWait(timeout: Self.lockTimeout).openLocked(target, Self.open)
        try overwrite(file.raw, with: staged)
    }

    /// Overwrites a file that is open for reading, and whose lock the caller has.
    func overwrite(locked: Int32, with staged: StagedFile) throws(CapsuleError) {
        let file = try Self.open(target)
        // Another file may have got the name since the other one was opened, and nobody has locked that.
        guard try Syscall.status(of: file.raw, path: target).isSameFile(as: try Syscall.status(of: locked, path: target)) else {
            throw .changed(target)
        }
        try overwrite(file.raw, with: staged)
    }

    private static let lockTimeout = 10.0

    private func create() throws(CapsuleError) -> OwnedDescriptor? {
        do throws(CapsuleError) {
            return try Syscall.open(target, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600, as: "create")
        } catch {
            guard error.code == .exists else { throw error.creating(target) }
            return nil
        }
    }

    private static func open(_ path: HostPath) throws(CapsuleError) -> OwnedDescriptor {
        let descriptor = try Syscall.open(path, flags: O_RDWR | O_NOFOLLOW | O_NONBLOCK, as: "open for writing")
        guard try Syscall.status(of: descriptor.raw, path: path).kind == .file else { throw .notAFile(path) }
        return descriptor
    }

    private func overwrite(_ file: Int32, with staged: StagedFile) throws(CapsuleError) {
        let (old, new) = (try Syscall.status(of: file, path: target).size, try staged.length())
        let saved = try StagedFile(for: target, in: directory)
        try Self.copy(0..<old, from: file, target) { (bytes, offset) throws(CapsuleError) in try saved.write(bytes, at: offset) }
        do throws(CapsuleError) {
            // What needs more space comes first: if there is none, all old bytes are still there.
            if new > old { try copy(from: staged, old..<new, to: file) }
            try copy(from: staged, 0..<min(old, new), to: file)
            try Syscall.truncate(file, to: new, path: target)
            try Syscall.sync(file, path: target)
        } catch {
            do throws(CapsuleError) {
                try copy(from: saved, 0..<old, to: file)
                try Syscall.truncate(file, to: old, path: target)
                try Syscall.sync(file, path: target)
            } catch let second {
                throw CapsuleError(
                    "\(error.message), and its old content could not be written back: \(second.message)", path: target,
                    hint: "its old content is in \(saved.keep())")
            }
            throw error
        }
    }

    private func copy(from staged: StagedFile, _ range: Range<UInt64>, to file: Int32) throws(CapsuleError) {
        let content = try staged.duplicate()
        try Self.copy(range, from: content.raw, target) { (bytes, offset) throws(CapsuleError) in
            try Syscall.write(file, bytes, at: offset, path: target)
        }
    }

    private static func copy(
        _ range: Range<UInt64>, from source: Int32, _ path: HostPath,
        _ write: (UnsafeRawBufferPointer, UInt64) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var at = range.lowerBound
        while at < range.upperBound {
            let room = UnsafeMutableRawBufferPointer(
                rebasing: buffer.prefix(Int(min(range.upperBound - at, UInt64(buffer.count)))))
            guard try Syscall.read(source, at: at, into: room, path: path) == room.count else { throw .changed(path) }
            try write(UnsafeRawBufferPointer(room), at)
            at += UInt64(room.count)
        }
    }
}
