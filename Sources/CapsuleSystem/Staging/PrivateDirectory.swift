package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A directory of this user's alone, for files that can be made again: what nobody else can have written may be believed.
package struct PrivateDirectory: Sendable {
    private let root: RootDirectory

    /// Where it is, without links.
    package var path: HostPath { root.path }

    /// - Returns: nil unless it is there, belongs to this user, nobody else may write to it, and nobody else decides where its path
    ///   leads.
    package init?(_ path: HostPath) {
        guard ForeignAccess.decidesNothing(about: path), let real = try? RealPath.resolve(path),
            let root = try? RootDirectory(real),
            let access = try? ForeignAccess.to(root), access == .none
        else { return nil }
        self.root = root
    }

    /// Makes the directory, and the one around it, where they are missing.
    package static func make(_ path: HostPath) -> PrivateDirectory? {
        for directory in [path.directory, path] {
            if let existing = try? Syscall.statusIfThere(directory, following: true), existing.kind == .directory { continue }
            guard ForeignAccess.decidesNothing(in: directory.directory) else { return nil }
            try? Syscall.makeDirectory(at: AT_FDCWD, directory, mode: 0o700)
        }
        return PrivateDirectory(path)
    }

    /// A file of the directory, open for reading: the same file, whatever takes its name.
    package final class File: Sendable {
        private let descriptor: OwnedDescriptor
        package let size: UInt64

        fileprivate init(adopting descriptor: consuming OwnedDescriptor, size: UInt64) {
            self.descriptor = descriptor
            self.size = size
        }

        /// Whether `buffer` could be filled from `offset` on.
        package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
            (try? Syscall.read(descriptor.raw, at: offset, into: buffer, path: HostPath([]))) == buffer.count
        }

        /// Makes the file look as if it was written now.
        package func touch() {
            try? Syscall.setTimes(descriptor.raw, Timestamp(seconds: Terminal.now), path: HostPath([]))
        }
    }

    /// Opens a plain file of this user's; nil if there is none.
    package func open(_ name: [UInt8]) -> File? {
        guard let descriptor = try? root.openFile(named: name[...]),
            let status = try? Syscall.status(of: descriptor.raw, path: root.path), status.kind == .file,
            ForeignAccess.to(descriptor.raw, status) == .none
        else { return nil }
        return File(adopting: descriptor, size: status.size)
    }

    /// Puts a file in the place of one of its name, at once, readable for this user alone. It may be lost with the power.
    package func replace(_ name: [UInt8], with pieces: [UnsafeRawBufferPointer]) throws(FileSystemError) {
        let staged = try StagedFile(for: root.path.appending(name))
        var offset: UInt64 = 0
        for piece in pieces {
            try staged.write(piece, at: offset)
            offset += UInt64(piece.count)
        }
        try staged.commitUnsynced()
    }

    /// Gives a file another name.
    package func rename(_ name: [UInt8], to new: [UInt8]) {
        try? Rename.move(name, in: root, to: new, in: root, replacing: true, path: root.path)
    }

    /// The plain files in it.
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
