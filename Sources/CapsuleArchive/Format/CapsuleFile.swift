package import CapsuleCore
package import CapsuleFileSystem

/// An open capsule file, read by place: no map, since a file cut short under one would end the process.
package final class CapsuleFile: Sendable {
    package let path: HostPath
    private let descriptor: OwnedDescriptor
    /// Whether the file was opened by its path, so that another program may write to it meanwhile.
    private let isShared: Bool
    /// The file's length when it was opened.
    package let length: UInt64

    /// A file that nobody else writes to: our own, or one whose lock we have.
    package convenience init(adopting descriptor: consuming OwnedDescriptor, path: HostPath) throws(FileSystemError) {
        try self.init(descriptor, path: path, isShared: false)
    }

    /// Opens a file of the user's.
    ///
    /// - Throws: also for what is no plain file.
    package convenience init(opening path: HostPath) throws(FileSystemError) {
        try self.init(try Syscall.openFile(path), path: path, isShared: true)
    }

    private init(_ descriptor: consuming OwnedDescriptor, path: HostPath, isShared: Bool) throws(FileSystemError) {
        let status = try Syscall.status(of: descriptor.raw, path: path)
        self.path = path
        self.isShared = isShared
        length = status.size
        self.descriptor = descriptor
    }

    /// Runs `body` under a shared lock: what the file holds stays as it is meanwhile.
    ///
    /// A file whose system has no locks is taken as it is.
    ///
    /// - Parameter body: is handed the file with the length that it has then.
    /// - Returns: nil if somebody writes to it just now; then `body` has not been run.
    func whileNobodyWrites<Result>(
        _ body: (CapsuleFile) throws(ArchiveError) -> Result
    ) throws(ArchiveError) -> Result? {
        guard isShared else { return try body(self) }
        if let isLocked = try? Syscall.tryLock(descriptor.raw, exclusive: false, path: path), !isLocked { return nil }
        // Who waits to write must not wait for more than a glance.
        defer { try? Syscall.unlock(descriptor.raw, path: path) }
        let now = try ArchiveError.wrapping { () throws(FileSystemError) in
            try CapsuleFile(try Syscall.duplicate(descriptor.raw, path: path), path: path, isShared: true)
        }
        return try body(now)
    }

    /// Reads up to `count` bytes, fewer only at the end of the file.
    package func read(at offset: UInt64, count: Int) throws(FileSystemError) -> [UInt8] {
        let buffer = ByteBuffer(capacity: count)
        try read(at: offset, count: count, into: buffer)
        return Array(buffer.bytes)
    }

    /// Appends up to `count` bytes, fewer only at the end of the file.
    package func read(at offset: UInt64, count: Int, into buffer: ByteBuffer) throws(FileSystemError) {
        guard offset < length else { return }
        let available = Int(min(UInt64(count), length - offset))
        try buffer.append(room: available) { (room) throws(FileSystemError) in
            try Syscall.read(descriptor.raw, at: offset, into: room, path: path)
        }
    }
}

/// What a capsule may hold at most (docs/format.md, section 13); paths and values have theirs in CapsuleCore.
package enum CapsuleLimits {
    package static let entries: UInt64 = 10_000_000
    /// The sizes of all files of a version together, in bytes: twice what any device of today stores. A hole takes no room in a
    /// file, so without a limit a few bytes could ask for years of digesting.
    package static let versionLength: UInt64 = 4 << 40
    /// All blocks of a version's index together, in bytes as ``IndexBlock/length`` counts them.
    package static let indexLength: UInt64 = 2 << 30
    /// One index block, raw and as ``IndexBlock/length`` counts it: room for 2,048 entries of which each has the longest path
    /// and target, and all the attributes that an entry may have.
    package static let indexBlockLength: UInt64 = 256 << 20
    /// A raw index root: room for the blocks of 10 million entries with the longest paths.
    static let indexRootLength: UInt64 = 128 << 20
    /// The shortest run of zeros that is stored nowhere, in bytes.
    static let zerosLength: UInt64 = 64 << 10
    /// What a data member holds once it is decompressed.
    static let memberRawLength = 1 << 20
    /// What a data member takes in the file: incompressible bytes grow a little.
    package static let memberStoredLength = memberRawLength + (memberRawLength >> 6) + 1_024
    /// What one metadata member carries of its payload.
    static let pieceLength = 65_000
}

/// Numbers of the format that are no limits.
package enum CapsuleFormat {
    /// Behind the first version's tar stream stands a data member of so many zeros: more than any stock tool decodes ahead.
    package static let zeroMemberLength = 262_144
}

/// An archive that can't be read or written.
package struct ArchiveError: Error, Sendable {
    /// What callers tell apart.
    package struct Code: Hashable, Sendable {
        private enum Value {
            case notCapsule, newerFormat, damaged, torn, noSuchVersion, limit, refused, unreadable, fileSystem, trailing
        }
        private let value: Value

        /// The file is something else.
        package static let notCapsule = Code(value: .notCapsule)
        /// A major format that this code doesn't know.
        package static let newerFormat = Code(value: .newerFormat)
        /// Bytes that don't agree with their digest, or are not of the format.
        package static let damaged = Code(value: .damaged)
        /// The file ends before its last version is whole.
        package static let torn = Code(value: .torn)
        /// A version that was asked for and that the file has not.
        package static let noSuchVersion = Code(value: .noSuchVersion)
        /// More than a limit of the format allows.
        package static let limit = Code(value: .limit)
        /// A foreign archive's entry that no tree may hold.
        package static let refused = Code(value: .refused)
        /// A foreign archive that libarchive can't read.
        package static let unreadable = Code(value: .unreadable)
        /// A system call failed; see ``ArchiveError/underlying``.
        package static let fileSystem = Code(value: .fileSystem)
        /// A compressed stream is whole, and something else follows it.
        static let trailing = Code(value: .trailing)
    }

    /// What callers tell apart.
    package let code: Code
    /// What is wrong and where, lower case, no period.
    package let message: String
    /// The archive.
    package let path: HostPath
    /// The system call that failed, where one did.
    package let underlying: FileSystemError?

    package init(_ code: Code, _ message: String, path: HostPath) {
        self.code = code
        self.message = message
        self.path = path
        underlying = nil
    }

    package init(_ error: FileSystemError) {
        code = .fileSystem
        message = error.message
        path = error.path
        underlying = error
    }

    /// Runs `body`, whose system calls' errors become errors of the archive.
    package static func wrapping<Result: ~Copyable>(
        _ body: () throws(FileSystemError) -> Result
    ) throws(ArchiveError) -> Result {
        do {
            return try body()
        } catch {
            throw ArchiveError(error)
        }
    }
}
