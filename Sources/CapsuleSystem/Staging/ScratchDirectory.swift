package import CapsuleCore
import Synchronization

/// A private directory for files that a library wants to open by path. It is deleted with everything in it when the object is released, or
/// before.
package final class ScratchDirectory: Sendable {
    package let path: HostPath
    private let parent: RootDirectory
    private let root: RootDirectory
    private let name: [UInt8]
    private let isRemoved = Atomic<Bool>(false)

    /// The directories to make it in: `$TMPDIR`, or `/tmp` if that is not set or lets others exchange names.
    private static var places: [HostPath] { [SpoolFile.temporaryDirectory, HostPath("/tmp")] }

    /// Returns true if a path is `$TMPDIR/capsule`, beside which the private files and directories of commands are made.
    package static func isBeside(_ path: HostPath) -> Bool {
        guard path.name == TemporaryName.ofScratch, let own = try? Syscall.status(path.directory, following: true) else {
            return false
        }
        return places.contains { place in (try? Syscall.status(place, following: true))?.isSameFile(as: own) ?? false }
    }

    /// - Parameter directory: the parent directory; nil for the usual place.
    /// - Throws: also if others can exchange names there: they could replace anything that is opened by path.
    package init(in directory: HostPath? = nil) throws(CapsuleError) {
        let places = directory.map { [$0] } ?? Self.places
        guard let place = places.first(where: { (try? RealPath.resolve($0)) == nil || ForeignAccess.decidesNothing(in: $0) })
        else {
            throw CapsuleError.unsafe(places[0])
        }
        let parent = try RootDirectory(place)
        guard let real = try RealPath.resolve(place) else { throw CapsuleError(errno: ENOENT, "open", place) }
        let name = try Self.make(in: parent)
        do throws(CapsuleError) {
            root = RootDirectory(
                adopting: try Syscall.open(at: parent.raw, HostPath(name), flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
                path: real.appending(name))
        } catch {
            // No object exists yet whose deinit would delete the directory.
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

    private static func make(in parent: RootDirectory) throws(CapsuleError) -> [UInt8] {
        while true {
            let name = TemporaryName.make(for: TemporaryName.ofScratch)
            do throws(CapsuleError) {
                try Syscall.makeDirectory(at: parent.raw, HostPath(name), mode: 0o700)
                return name
            } catch {
                guard error.code == .exists else { throw error.at(parent.path) }
            }
        }
    }

    package func createFile(_ name: [UInt8]) throws(CapsuleError) -> ScratchFile {
        let path = path.appending(name)
        do throws(CapsuleError) {
            return ScratchFile(
                adopting: try Syscall.open(
                    at: root.raw, HostPath(name), flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600,
                    as: "create a temporary file"),
                path: path)
        } catch {
            throw error.at(path)
        }
    }

    package func move(_ name: [UInt8], to target: HostPath, replacing: Bool) throws(CapsuleError) {
        let directory = try RootDirectory(target.directory)
        try Rename.move(name, in: root, to: target.name, in: directory, replacing: replacing, path: target)
        try directory.sync()
    }

    /// Deletes the directory and all names in it. Open files can still be read and written.
    package func remove() {
        if isRemoved.exchange(true, ordering: .relaxed) { return }
        TreeRemover.remove(name, in: parent)
    }
}

/// An open file of a ``ScratchDirectory``. Its name may have been removed or changed since.
package final class ScratchFile: Sendable {
    private let descriptor: OwnedDescriptor
    package let path: HostPath

    init(adopting descriptor: consuming OwnedDescriptor, path: HostPath) {
        self.descriptor = descriptor
        self.path = path
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(CapsuleError) {
        try Syscall.write(descriptor.raw, bytes, at: offset, path: path)
    }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        try Syscall.read(descriptor.raw, at: offset, into: buffer, path: path)
    }

    /// Returns the offset of the first data at or after `offset`: past the end of the file if there is none, `offset` itself if the system
    /// can't report it.
    package func nextData(from offset: UInt64) -> UInt64 { Syscall.nextData(descriptor.raw, from: offset) ?? offset }

    package func setLength(_ length: UInt64) throws(CapsuleError) {
        try Syscall.truncate(descriptor.raw, to: length, path: path)
    }

    package func length() throws(CapsuleError) -> UInt64 {
        try Syscall.status(of: descriptor.raw, path: path).size
    }
}

/// A private file without a name, for data from a pipe or an archive. It is deleted when the object is released.
package final class SpoolFile: Sendable {
    private let descriptor: OwnedDescriptor
    package let path: HostPath

    /// - Parameter directory: the directory to create it in; nil for `$TMPDIR`, or else `/tmp`.
    package init(in directory: HostPath? = nil) throws(CapsuleError) {
        path = directory ?? Self.temporaryDirectory
        descriptor = try Self.create(in: path)
    }

    private static func create(in directory: HostPath) throws(CapsuleError) -> OwnedDescriptor {
        while true {
            let name = directory.appending(TemporaryName.make(for: TemporaryName.ofScratch))
            do throws(CapsuleError) {
                let descriptor = try Syscall.open(
                    name, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600, as: "create a temporary file")
                // Until the name is removed, a killed process leaves the file.
                TemporaryMark.set(on: descriptor.raw)
                try Syscall.remove(at: AT_FDCWD, name, directory: false)
                return descriptor
            } catch {
                guard error.code == .exists else { throw error.at(directory) }
            }
        }
    }

    /// The path in `$TMPDIR`, or else `/tmp`.
    package static var temporaryDirectory: HostPath { path(inVariable: "TMPDIR") ?? HostPath("/tmp") }

    /// Returns the path in an environment variable, or nil if it is not set or empty.
    static func path(inVariable name: String) -> HostPath? {
        guard let value = getenv(name), strlen(value) > 0 else { return nil }
        return HostPath([UInt8](UnsafeRawBufferPointer(start: value, count: strlen(value))))
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(CapsuleError) {
        try Syscall.write(descriptor.raw, bytes, at: offset, path: path)
    }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        try Syscall.read(descriptor.raw, at: offset, into: buffer, path: path)
    }

    package func truncate(to length: UInt64) throws(CapsuleError) {
        try Syscall.truncate(descriptor.raw, to: length, path: path)
    }

    package func duplicate() throws(CapsuleError) -> OwnedDescriptor {
        try Syscall.duplicate(descriptor.raw, path: path)
    }
}

/// A directory that only this user can write to, for files that can be made again. Its content is trusted because nobody else can have
/// written it.
package struct PrivateDirectory: Sendable {
    private let root: RootDirectory
    package var path: HostPath { root.path }

    /// - Returns: nil unless it exists, belongs to this user, nobody else may write to it, and nobody else decides where its path leads.
    package init?(_ path: HostPath) {
        guard ForeignAccess.decidesNothing(about: path), let real = try? RealPath.resolve(path),
            let root = try? RootDirectory(real),
            let access = try? ForeignAccess.to(root), access == .none
        else { return nil }
        self.root = root
    }

    package static func make(_ path: HostPath) -> PrivateDirectory? {
        for directory in [path.directory, path] {
            if let existing = try? Syscall.statusIfThere(directory, following: true), existing.kind == .directory { continue }
            guard ForeignAccess.decidesNothing(in: directory.directory) else { return nil }
            try? Syscall.makeDirectory(at: AT_FDCWD, directory, mode: 0o700)
        }
        return PrivateDirectory(path)
    }

    /// A file of the directory, open for reading. It stays the same file even if its name is given to another one.
    package final class File: Sendable {
        private let descriptor: OwnedDescriptor
        package let size: UInt64

        fileprivate init(adopting descriptor: consuming OwnedDescriptor, size: UInt64) {
            self.descriptor = descriptor
            self.size = size
        }

        package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
            (try? Syscall.read(descriptor.raw, at: offset, into: buffer, path: HostPath([]))) == buffer.count
        }

        package func touch() {
            try? Syscall.setTimes(descriptor.raw, Timestamp(seconds: Host.now), path: HostPath([]))
        }
    }

    package func open(_ name: [UInt8]) -> File? {
        guard let descriptor = try? root.openFile(named: name[...]),
            let status = try? Syscall.status(of: descriptor.raw, path: root.path), status.kind == .file,
            ForeignAccess.to(descriptor.raw, status) == .none
        else { return nil }
        return File(adopting: descriptor, size: status.size)
    }

    /// Replaces the file of a name in one step, readable only by this user. The new file is not synced, so a power failure may lose it.
    package func replace(_ name: [UInt8], with pieces: [UnsafeRawBufferPointer]) throws(CapsuleError) {
        let staged = try StagedFile(for: root.path.appending(name))
        var offset: UInt64 = 0
        for piece in pieces {
            try staged.write(piece, at: offset)
            offset += UInt64(piece.count)
        }
        try staged.commitUnsynced()
    }

    package func rename(_ name: [UInt8], to new: [UInt8]) {
        try? Rename.move(name, in: root, to: new, in: root, replacing: true, path: root.path)
    }

    package func files() -> [(name: [UInt8], size: UInt64, modified: Timestamp)] {
        guard let own = try? root.openDirectory(.root), let listing = try? DirectoryListing(of: own, path: root.path) else {
            return []
        }
        return listing.items.filter { $0.kind == .file }.map { (listing.name(of: $0), $0.size, $0.modified) }
    }

    package func remove(_ name: [UInt8]) {
        try? Syscall.remove(at: root.raw, HostPath(name), directory: false)
    }
}
