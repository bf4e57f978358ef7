import CapsuleCore
import CapsuleFileSystem

/// A file of git's that is read and replaced whole; where its name is a link, the link stays, and the file behind it is replaced.
struct GitTextFile {
    /// Git itself reads no longer file of attributes.
    private static let longest: UInt64 = 100 << 20
    /// Links behind each other that are followed.
    private static let linkLimit = 40

    /// Where the file is, or is to be.
    let path: HostPath
    private let edited: EditedFile?

    init(_ path: HostPath) throws(CapsuleError) {
        var edited: EditedFile?
        var place = path
        do throws(FileSystemError) {
            place = try Self.behindLinks(path)
            edited = try EditedFile(place, limit: Self.longest)
        } catch {
            guard error.code == .notFound else { throw CapsuleError(error) }
        }
        self.path = edited?.path ?? place
        self.edited = edited
    }

    /// All of it; nil if it is not there.
    var bytes: [UInt8]? { edited?.bytes }

    /// Puts other bytes in its place, at once; a file that is missing is made, with the directories around it.
    func write(_ bytes: [UInt8]) throws(CapsuleError) {
        try CapsuleError.wrapping { () throws(FileSystemError) in
            if let edited { return try edited.replace(with: bytes) }
            let made = try MadeDirectories(path.directory)
            let staged = try StagedFile(for: path)
            let written: Result<Void, FileSystemError> = bytes.withUnsafeBytes { bytes in
                Result { () throws(FileSystemError) in try staged.write(bytes, at: 0) }
            }
            try written.get()
            try staged.commit(replacing: false)
            made.keep()
        }
    }

    /// How many of the directories around it are missing.
    func missingDirectories() throws(CapsuleError) -> Int {
        try CapsuleError.wrapping { () throws(FileSystemError) in
            var count = 0
            var directory = path.directory
            while try Syscall.statusIfThere(directory, following: true) == nil, directory.directory != directory {
                count += 1
                directory = directory.directory
            }
            return count
        }
    }

    /// Deletes the file, and so many of the directories around it as are empty now.
    func remove(directories: Int) throws(CapsuleError) {
        try CapsuleError.wrapping { () throws(FileSystemError) in try Syscall.removeFile(path) }
        var directory = path.directory
        for _ in 0..<directories {
            guard (try? Syscall.removeDirectory(directory)) != nil else { return }
            directory = directory.directory
        }
    }

    /// Where a path leads, be there anything or not.
    private static func behindLinks(_ path: HostPath) throws(FileSystemError) -> HostPath {
        var path = path
        for _ in 0..<linkLimit {
            guard let status = try Syscall.statusIfThere(path), status.kind == .link else { return path }
            // A link that another user made would choose which of this user's files is written.
            guard ForeignAccess.isTrusted(status.owner), ForeignAccess.decidesNothing(in: path.directory) else {
                throw FileSystemError.foreignLink(path)
            }
            let target = try Syscall.linkTarget(path)
            path = target.first == UInt8(ascii: "/") ? HostPath(target) : path.directory.appending(target)
        }
        return path
    }
}
