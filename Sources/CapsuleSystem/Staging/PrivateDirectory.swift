package import CapsuleCore

/// A directory that only this user can write to, for files that can be made again. Its content is trusted because nobody else can have
/// written it.
package struct PrivateDirectory: Sendable {
    private let root: RootDirectory

    /// The path, without links.
    package var path: HostPath { root.path }

    /// Opens a directory.
    ///
    /// - Returns: nil unless it exists, belongs to this user, nobody else may write to it, and nobody else decides where its path leads.
    package init?(_ path: HostPath) {
        guard ForeignAccess.decidesNothing(about: path), let real = try? RealPath.resolve(path),
            let root = try? RootDirectory(real),
            let access = try? ForeignAccess.to(root), access == .none
        else { return nil }
        self.root = root
    }

    /// Makes the directory and its parent where they are missing, and opens it.
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

        /// Returns true if `buffer` could be filled from `offset` on.
        package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
            (try? Syscall.read(descriptor.raw, at: offset, into: buffer, path: HostPath([]))) == buffer.count
        }

        /// Sets the file's time to now.
        package func touch() {
            try? Syscall.setTimes(descriptor.raw, Timestamp(seconds: Host.now), path: HostPath([]))
        }
    }

    /// Opens a plain file of this user's; returns nil if there is none.
    package func open(_ name: [UInt8]) -> File? {
        guard let descriptor = try? root.openFile(named: name[...]),
            let status = try? Syscall.status(of: descriptor.raw, path: root.path), status.kind == .file,
            ForeignAccess.to(descriptor.raw, status) == .none
        else { return nil }
        return File(adopting: descriptor, size: status.size)
    }

    /// Replaces the file of a name in one step, readable only by this user. The new file is not synced, so a power failure may lose it.
    package func replace(_ name: [UInt8], with pieces: [UnsafeRawBufferPointer]) throws(FileSystemError) {
        let staged = try StagedFile(for: root.path.appending(name))
        var offset: UInt64 = 0
        for piece in pieces {
            try staged.write(piece, at: offset)
            offset += UInt64(piece.count)
        }
        try staged.commitUnsynced()
    }

    /// Gives a file another name, replacing a file that has it.
    package func rename(_ name: [UInt8], to new: [UInt8]) {
        try? Rename.move(name, in: root, to: new, in: root, replacing: true, path: root.path)
    }

    /// Returns the plain files in the directory.
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
