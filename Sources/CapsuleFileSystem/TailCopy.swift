package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A copy of a file's end in a file of its own, for as long as it is needed.
package final class TailCopy: Sendable {
    /// Where it is.
    package let path: HostPath
    /// Whether it was made here: an earlier run that was killed may have left it.
    private let isMade: Bool

    private static let blockLength = 1 << 18

    /// Copies all of `file` from `offset` on, and makes the copy last.
    ///
    /// - Throws: with the code `exists` if anything else than just those bytes has that name; nothing is changed then.
    package init(of file: LockedFile, from offset: UInt64, as path: HostPath) throws(FileSystemError) {
        self.path = path
        let status = try file.status()
        if let there = try Syscall.statusIfThere(path) {
            guard there.kind == .file, there.size == status.size - offset, try Self.isCopy(path, of: file, from: offset) else {
                throw FileSystemError(errno: EEXIST, "create", path)
            }
            isMade = false
        } else {
            try Self.copy(file, from: offset, as: path, mode: status.mode)
            isMade = true
        }
    }

    /// Takes the copy away, if it was made here: it is not needed after all.
    package func discard() {
        if isMade { try? Syscall.removeFile(path) }
    }

    private static func copy(
        _ file: LockedFile, from offset: UInt64, as path: HostPath, mode: FileMode
    ) throws(FileSystemError) {
        let staged = try StagedFile(for: path)
        try blocks(of: file, from: offset) { (bytes, place) throws(FileSystemError) in
            try staged.write(bytes, at: place)
            return true
        }
        do throws(FileSystemError) {
            try staged.commit(replacing: false, mode: mode)
        } catch {
            // It has its name, but maybe not for long: not good enough to cut the original.
            if error.code == .unsynced { try? Syscall.removeFile(path) }
            throw error
        }
    }

    /// Whether the file at `path` holds just those bytes; if so, it is made to last.
    private static func isCopy(_ path: HostPath, of file: LockedFile, from offset: UInt64) throws(FileSystemError) -> Bool {
        let copy = try Syscall.open(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: blockLength, alignment: 16)
        defer { room.deallocate() }
        let isSame = try blocks(of: file, from: offset) { (bytes, place) throws(FileSystemError) in
            let count = try Syscall.read(
                copy.raw, at: place, into: UnsafeMutableRawBufferPointer(rebasing: room[..<bytes.count]), path: path)
            return bytes.elementsEqual(room[..<count])
        }
        guard isSame else { return false }
        try Syscall.sync(copy.raw, path: path)
        try RootDirectory(path.directory).sync()
        return true
    }

    /// Hands over the bytes from `offset` on, block by block, each with its place behind `offset`, until `body` has enough.
    ///
    /// - Returns: whether `body` was content with all of them.
    @discardableResult
    private static func blocks(
        of file: LockedFile, from offset: UInt64,
        _ body: (UnsafeRawBufferPointer, UInt64) throws(FileSystemError) -> Bool
    ) throws(FileSystemError) -> Bool {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: blockLength, alignment: 16)
        defer { room.deallocate() }
        var place: UInt64 = 0
        while true {
            try Interruption.check()
            let count = try file.read(at: offset + place, into: room)
            if count == 0 { return true }
            guard try body(UnsafeRawBufferPointer(rebasing: room[..<count]), place) else { return false }
            place += UInt64(count)
        }
    }
}
