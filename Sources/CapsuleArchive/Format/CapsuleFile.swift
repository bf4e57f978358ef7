package import CapsuleCore
package import CapsuleSystem

/// An open capsule or foreign archive with random access, on this machine or on a server. It is not memory-mapped, because truncating
/// a mapped file would end the process.
package final class CapsuleFile: Sendable {
    package let path: HostPath
    private let backing: Backing
    /// True if the file was opened by its path, so that another program may write to it.
    private let isShared: Bool
    package let length: UInt64

    /// Creates a file that nobody else writes to: our own, or one that we have locked.
    package convenience init(adopting descriptor: consuming OwnedDescriptor, path: HostPath) throws(CapsuleError) {
        try self.init(descriptor, path: path, isShared: false)
    }

    package convenience init(opening path: HostPath) throws(CapsuleError) {
        try self.init(try Syscall.openFile(path), path: path, isShared: true)
    }

    private init(_ descriptor: consuming OwnedDescriptor, path: HostPath, isShared: Bool) throws(CapsuleError) {
        let status = try Syscall.status(of: descriptor.raw, path: path)
        self.path = path
        self.isShared = isShared
        length = status.size
        backing = .descriptor(descriptor)
    }

    package init(_ remote: any RemoteBytes) {
        path = remote.path
        length = remote.length
        isShared = false
        backing = .remote(remote)
    }

    private enum Backing: ~Copyable, Sendable {
        case descriptor(OwnedDescriptor)
        case remote(any RemoteBytes)
    }

    package var remote: (any RemoteBytes)? {
        switch backing {
        case .descriptor: nil
        case .remote(let remote): remote
        }
    }

    package var isRemote: Bool { remote != nil }

    /// Returns the open file for a program that reads it from its start; nil for a remote file.
    package func descriptor() throws(CapsuleError) -> OwnedDescriptor? {
        switch backing {
        case .descriptor(let descriptor): try Syscall.duplicate(descriptor.raw, path: path)
        case .remote: nil
        }
    }

    /// Fetches from the server what will be read soon. A file on this machine needs none of that. What lies outside of the file is left
    /// to the read, which reports it.
    /// - Parameter ranges: computed for a remote file only: the first use of their type would cost every `ls` 4 %.
    package func fetch(_ ranges: @autoclosure () -> [Range<UInt64>]) throws(CapsuleError) {
        try remote?.fetch(ranges().map { $0.clamped(to: 0..<length) }.filter { !$0.isEmpty })
    }

    /// Fetches the footers of all versions, if the server knows where they are.
    func fetchFooters(of codec: MemberCodec) throws(CapsuleError) {
        guard let remote else { return }
        let count = UInt64(codec.footerMemberLength)
        try fetch(remote.footers.keys.map { ($0 - Swift.min($0, count))..<$0 })
    }

    /// Compares a footer with the server's list, if there is one: what is shown of a capsule that was not read comes from there.
    func compareWithList(_ footer: Footer) throws(CapsuleError) {
        guard let listed = remote?.footers, !listed.isEmpty else { return }
        let version = footer.isLabel ? nil : footer.version
        guard let found = listed[footer.end], found.version == version, found.digest == footer.digest, found.codec == footer.codec
        else {
            throw CapsuleError(
                .damaged, "the footer at byte \(footer.offset) is not the one that the server lists", path: path)
        }
    }

    /// Compares the manifest that a footer leads to with the server's list.
    func compareWithList(_ manifest: Manifest, of footer: Footer) throws(CapsuleError) {
        guard let tree = remote?.footers[footer.end]?.tree, tree != manifest.treeDigest else { return }
        throw CapsuleError(
            .damaged, "version \(footer.version) has another tree digest than the one that the server lists", path: path)
    }

    /// Runs `body` under a shared lock, so that the file's content does not change meanwhile.
    /// If the file system has no locks, `body` runs without one.
    /// - Parameter body: receives the file with its current length.
    /// - Returns: nil if another program is writing to the file. Then `body` is not called.
    func whileNobodyWrites<Result>(_ body: (CapsuleFile) throws(CapsuleError) -> Result) throws(CapsuleError) -> Result? {
        switch backing {
        case .descriptor(let descriptor) where isShared:
            if let isLocked = try? Syscall.tryLock(descriptor.raw, exclusive: false, path: path), !isLocked { return nil }
            // The lock is released soon, because a writer may be waiting for it.
            defer { try? Syscall.unlock(descriptor.raw, path: path) }
            let now = try CapsuleFile(try Syscall.duplicate(descriptor.raw, path: path), path: path, isShared: true)
            return try body(now)
        default: return try body(self)
        }
    }

    /// Reads up to `count` bytes. Returns fewer only at the end of the file.
    package func read(at offset: UInt64, count: Int) throws(CapsuleError) -> [UInt8] {
        let buffer = ByteBuffer(capacity: count)
        try read(at: offset, count: count, into: buffer)
        return Array(buffer.bytes)
    }

    package func read(at offset: UInt64, count: Int, into buffer: ByteBuffer) throws(CapsuleError) {
        guard offset < length else { return }
        let available = Int(min(UInt64(count), length - offset))
        try buffer.append(capacity: available) { (room) throws(CapsuleError) in
            switch backing {
            case .descriptor(let descriptor): return try Syscall.read(descriptor.raw, at: offset, into: room, path: path)
            case .remote(let remote):
                try remote.read(at: offset, into: room)
                return room.count
            }
        }
    }
}

/// The maximum sizes in a capsule (docs/format.md, section 13). Those of paths and values are in CapsuleCore.
package enum CapsuleLimits {
    package static let entries: UInt64 = 10_000_000
    /// The total size of all files of a version in bytes: twice the storage of any device of today. A hole takes no space in a
    /// file, so without a limit a few bytes could cause years of hashing.
    package static let versionLength: UInt64 = 4 << 40
    /// The length of all blocks of a version's index together, in bytes as ``IndexBlock/length`` counts them.
    package static let indexLength: UInt64 = 2 << 30
    /// The length of one index block, both raw and as ``IndexBlock/length`` counts it. It is enough for 2,048 entries with the
    /// longest paths and targets and as many attributes as an entry may have.
    package static let indexBlockLength: UInt64 = 256 << 20
    /// The length of a raw index root. It is enough for the blocks of 10 million entries with the longest paths.
    static let indexRootLength: UInt64 = 128 << 20
    /// The length of the shortest run of zeros that is not stored, in bytes.
    static let zerosLength: UInt64 = 64 << 10
    static let memberRawLength = 1 << 20
    /// The length of a data member in the file. Incompressible bytes grow a little.
    package static let memberStoredLength = memberRawLength + (memberRawLength >> 6) + 1_024
    static let pieceLength = 65_000
}

/// Fixed sizes that the format prescribes.
package enum CapsuleFormat {
    /// The number of zeros in the data member that follows the first version's tar stream: more than any stock tool decodes ahead.
    package static let zeroMemberLength = 262_144
}
