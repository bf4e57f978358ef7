package import CapsuleCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A private directory for what a library wants to open by path: gone with all it holds when it is dropped, or before.
package final class ScratchDirectory: Sendable {
    /// Where it is, without links in it.
    package let path: HostPath
    private let parent: RootDirectory
    private let root: RootDirectory
    private let name: [UInt8]
    private let isRemoved = Atomic<Bool>(false)

    /// Where they are made: `$TMPDIR`, or `/tmp` where that is not set or lets others exchange names.
    private static var places: [HostPath] { [SpoolFile.temporaryDirectory, HostPath("/tmp")] }

    /// Whether a path is the one beside which the private files and directories of commands have their names: `$TMPDIR/capsule`.
    package static func isBeside(_ path: HostPath) -> Bool {
        guard path.name == TemporaryName.ofScratch, let own = try? Syscall.status(path.directory, following: true) else {
            return false
        }
        return places.contains { place in (try? Syscall.status(place, following: true))?.isSameFile(as: own) ?? false }
    }

    /// - Parameter directory: where to make it; nil is the usual place.
    /// - Throws: where others can exchange names there: what is opened by path would be theirs.
    package init(in directory: HostPath? = nil) throws(FileSystemError) {
        let places = directory.map { [$0] } ?? Self.places
        guard let place = places.first(where: { (try? RealPath.resolve($0)) == nil || ForeignAccess.decidesNothing(in: $0) })
        else {
            throw FileSystemError.unsafe(places[0])
        }
        let parent = try RootDirectory(place)
        guard let real = try RealPath.resolve(place) else { throw FileSystemError(errno: ENOENT, "open", place) }
        let name = try Self.make(in: parent)
        do throws(FileSystemError) {
            root = RootDirectory(
                adopting: try Syscall.open(at: parent.raw, HostPath(name), flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
                path: real.appending(name))
        } catch {
            // There is no object yet that would see to it.
            try? Syscall.remove(at: parent.raw, HostPath(name), directory: true)
            throw error.at(place)
        }
        TemporaryMark.set(on: root.raw)
        self.parent = parent
        self.name = name
        path = root.path
    }

    deinit {
        remove()
    }

    private static func make(in parent: RootDirectory) throws(FileSystemError) -> [UInt8] {
        while true {
            let name = TemporaryName.make(for: TemporaryName.ofScratch)
            do throws(FileSystemError) {
                try Syscall.makeDirectory(at: parent.raw, HostPath(name), mode: 0o700)
                return name
            } catch {
                guard error.code == .exists else { throw error.at(parent.path) }
            }
        }
    }

    /// A new file in it that is this user's alone.
    package func createFile(_ name: [UInt8]) throws(FileSystemError) -> ScratchFile {
        let path = path.appending(name)
        do throws(FileSystemError) {
            return ScratchFile(
                adopting: try Syscall.open(
                    at: root.raw, HostPath(name), flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600,
                    as: "create a temporary file"),
                path: path)
        } catch {
            throw error.at(path)
        }
    }

    /// Moves a file in it to a place of the same file system, where it stays.
    ///
    /// - Throws: with the code `exists` if the place is taken and nothing is to be replaced.
    package func move(_ name: [UInt8], to target: HostPath, replacing: Bool) throws(FileSystemError) {
        let directory = try RootDirectory(target.directory)
        try Rename.move(name, in: root, to: target.name, in: directory, replacing: replacing, path: target)
        try directory.sync()
    }

    /// Deletes the directory and all names in it; what is open can be read and written on.
    package func remove() {
        if isRemoved.exchange(true, ordering: .relaxed) { return }
        TreeRemover.remove(name, in: parent)
    }
}

/// An open file of a ``ScratchDirectory``, which may have lost its name since.
package final class ScratchFile: Sendable {
    private let descriptor: OwnedDescriptor
    /// Where it was made, for messages.
    package let path: HostPath

    init(adopting descriptor: consuming OwnedDescriptor, path: HostPath) {
        self.descriptor = descriptor
        self.path = path
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) {
        try Syscall.write(descriptor.raw, bytes, at: offset, path: path)
    }

    /// Fills `buffer` as far as the file reaches; the count that was read.
    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
        try Syscall.read(descriptor.raw, at: offset, into: buffer, path: path)
    }

    /// Where data begins at or after `offset`, beyond the file's length if nowhere; `offset` where the system can't tell.
    package func nextData(from offset: UInt64) -> UInt64 { Syscall.nextData(descriptor.raw, from: offset) ?? offset }

    /// Cuts the file, or grows it by zeros.
    package func setLength(_ length: UInt64) throws(FileSystemError) {
        try Syscall.truncate(descriptor.raw, to: length, path: path)
    }

    /// Its length in bytes.
    package func length() throws(FileSystemError) -> UInt64 {
        try Syscall.status(of: descriptor.raw, path: path).size
    }
}

/// A private file without a name, for what comes through a pipe or out of an archive: gone when it is dropped.
package final class SpoolFile: Sendable {
    private let descriptor: OwnedDescriptor
    /// The directory it was made in, for messages.
    package let path: HostPath

    /// - Parameter directory: where to make it; `$TMPDIR`, else `/tmp`.
    package init(in directory: HostPath? = nil) throws(FileSystemError) {
        path = directory ?? Self.temporaryDirectory
        descriptor = try Self.create(in: path)
    }

    private static func create(in directory: HostPath) throws(FileSystemError) -> OwnedDescriptor {
        while true {
            let name = directory.appending(TemporaryName.make(for: TemporaryName.ofScratch))
            do throws(FileSystemError) {
                let descriptor = try Syscall.open(
                    name, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600, as: "create a temporary file")
                // Until the name is gone, a kill leaves it.
                TemporaryMark.set(on: descriptor.raw)
                try Syscall.remove(at: AT_FDCWD, name, directory: false)
                return descriptor
            } catch {
                guard error.code == .exists else { throw error.at(directory) }
            }
        }
    }

    /// `$TMPDIR`, else `/tmp`.
    static var temporaryDirectory: HostPath {
        guard let value = getenv("TMPDIR"), strlen(value) > 0 else { return HostPath("/tmp") }
        return HostPath([UInt8](UnsafeRawBufferPointer(start: value, count: strlen(value))))
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) {
        try Syscall.write(descriptor.raw, bytes, at: offset, path: path)
    }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
        try Syscall.read(descriptor.raw, at: offset, into: buffer, path: path)
    }

    package func truncate(to length: UInt64) throws(FileSystemError) {
        try Syscall.truncate(descriptor.raw, to: length, path: path)
    }

    /// Another descriptor of the same file.
    package func duplicate() throws(FileSystemError) -> OwnedDescriptor {
        try Syscall.duplicate(descriptor.raw, path: path)
    }
}
