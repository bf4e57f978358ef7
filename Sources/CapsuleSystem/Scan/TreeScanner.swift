import CSystem
package import CapsuleCore

/// Lists the directories of a tree, without reading content. It can be used from any thread.
package struct TreeScanner: Sendable {
    /// The contents of one directory.
    package struct Listing: Sendable {
        /// The entries in the order of the index, without special files and excluded entries. Digests and attributes are not filled in.
        package var entries: [TreeEntry] = []
        /// The result of `mark` for each of ``entries``; empty if there is no `mark`.
        package var marks: [UInt32] = []
        /// The files with several names, by their positions in ``entries``, in order.
        package var hardLinks: [(entry: Int, file: DirectoryListing.FileIdentity)] = []
        package var attributes = ExtendedAttributes.Reading()
        package var subdirectories: [RelativePath] = []
        /// The sockets, pipes and devices, which a tree can't hold.
        package var special: [(path: RelativePath, kind: FileStatus.Kind)] = []
        package var excluded: [RelativePath] = []
        /// The directories of unfinished transactions, left out with everything in them.
        package var transactions: [RelativePath] = []
    }

    private let root: RootDirectory
    private let isTop: @Sendable (RelativePath) -> Bool
    private let isExcluded: (@Sendable (RelativePath) -> Bool)?
    private let mark: (@Sendable (FileStatus) -> UInt32)?

    /// - Parameters:
    ///   - isExcluded: returns true for each path to leave out, with everything below it; nil leaves nothing out.
    ///   - isTop: returns true for a directory in which a transaction may work: there, ``ContainerNames/transaction`` is not an entry.
    ///   - mark: returns a number for the status of each file, on any thread.
    package init(
        _ root: RootDirectory, isExcluded: (@Sendable (RelativePath) -> Bool)? = nil,
        isTop: @escaping @Sendable (RelativePath) -> Bool = { $0.isRoot }, mark: (@Sendable (FileStatus) -> UInt32)? = nil
    ) {
        self.root = root
        self.isTop = isTop
        self.isExcluded = isExcluded
        self.mark = mark
    }

    /// - Parameter whenLong: called, on Linux, while a directory is listed that is so long that other threads should list others.
    package func list(_ path: RelativePath, whenLong: () -> Void = {}) throws(CapsuleError) -> Listing {
        try Interruption.check()
        let place = root.hostPath(of: path)
        let opened = try root.openDirectory(path)
        let attributes = try ExtendedAttributes.read(opened.raw, path: place)
        var directory = try DirectoryListing(of: opened, path: place, mark: mark, whenLong: whenLong)
        directory.sortByName()
        var listing = Listing(attributes: attributes)
        listing.entries.reserveCapacity(directory.items.count)
        if mark != nil { listing.marks.reserveCapacity(directory.items.count) }
        let hasReserved = isTop(path)
        for item in directory.items {
            let child: RelativePath
            do throws(PathError) {
                child = try directory.path(of: item, in: path)
            } catch {
                throw CapsuleError(errno: ENAMETOOLONG, "read", place.appending(directory.name(of: item)))
            }
            if let isExcluded, isExcluded(child) {
                listing.excluded.append(child)
            } else if hasReserved, directory.withName(of: item, { $0.elementsEqual(ContainerNames.transaction) }) {
                listing.transactions.append(child)
            } else if let kind = listing.kind(of: item, at: child) {
                if let file = directory.identity(of: item) { listing.hardLinks.append((listing.entries.count, file)) }
                listing.entries.append(
                    TreeEntry(
                        path: child, kind: kind, mode: item.mode, modified: item.modified, size: kind == .file ? item.size : 0,
                        target: directory.target(of: item)))
                if mark != nil { listing.marks.append(item.mark) }
            }
        }
        return listing
    }
}

extension TreeScanner.Listing {
    /// Returns the kind of an item in a tree, or nil for a special file. Records directories and special files in the listing.
    fileprivate mutating func kind(of item: DirectoryListing.Item, at path: RelativePath) -> EntryKind? {
        switch item.kind {
        case .directory:
            subdirectories.append(path)
            return .directory
        case .file: return .file
        case .link: return .link
        case .socket, .pipe, .device:
            special.append((path, item.kind))
            return nil
        }
    }
}

/// The entries of one directory with their metadata, stored without an allocation for each: there may be millions.
package struct DirectoryListing: Sendable {
    /// The metadata of an entry. Its name is stored in the listing.
    package struct Item: Sendable {
        /// Seconds since 1970; with ``nanoseconds``, the time of the last change.
        private let seconds: Int64
        package let size: UInt64
        private let nanoseconds: UInt32
        fileprivate let place: UInt32
        fileprivate let nameLength: UInt16
        fileprivate let targetLength: UInt16
        package let mode: FileMode
        package let kind: FileStatus.Kind
        package let mark: UInt32

        fileprivate init(_ status: FileStatus, place: Int, nameLength: Int, targetLength: Int, mark: UInt32) {
            seconds = status.modified.seconds
            nanoseconds = status.modified.nanoseconds
            size = status.size
            self.place = UInt32(truncatingIfNeeded: place)
            self.nameLength = UInt16(truncatingIfNeeded: nameLength)
            self.targetLength = UInt16(truncatingIfNeeded: targetLength)
            mode = status.mode
            kind = status.kind
            self.mark = mark
        }

        package var modified: Timestamp { Timestamp(seconds: seconds, nanoseconds: nanoseconds) ?? Timestamp(seconds: seconds) }

        fileprivate func name(in text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: text[Int(place)..<Int(place) + Int(nameLength)])
        }
    }

    /// The entries that the directory had while it was read, in no order until ``sortByName()``. An entry that disappeared meanwhile is
    /// left out.
    package private(set) var items: [Item] = []
    private var identities: [UInt32: FileIdentity] = [:]
    /// All names, each link's target after its name.
    private var text: [UInt8] = []

    /// Identifies a file, whichever of its names leads to it.
    package struct FileIdentity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64

        package init(device: UInt64, inode: UInt64) {
            self.device = device
            self.inode = inode
        }
    }

    func withName<Outcome>(of item: Item, _ body: (UnsafeRawBufferPointer) -> Outcome) -> Outcome {
        text.withUnsafeBytes { body(item.name(in: $0)) }
    }

    package func name(of item: Item) -> [UInt8] { withName(of: item) { Array($0) } }

    package func path(of item: Item, in directory: RelativePath) throws(PathError) -> RelativePath {
        let path = withName(of: item) { name in
            Result { () throws(PathError) in try directory.appending(listed: name) }
        }
        return try path.get()
    }

    package func target(of item: Item) -> [UInt8] {
        if item.targetLength == 0 { return [] }
        let start = Int(item.place) + Int(item.nameLength)
        return Array(text[start..<start + Int(item.targetLength)])
    }

    package func identity(of item: Item) -> FileIdentity? {
        identities.isEmpty ? nil : identities[item.place]
    }

    mutating func sortByName() {
        text.withUnsafeBytes { text in
            items.sort { left, right in
                let (left, right) = (left.name(in: text), right.name(in: text))
                guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else { return false }
                let order = memcmp(leftBase, rightBase, min(left.count, right.count))
                return order != 0 ? order < 0 : left.count < right.count
            }
        }
    }

    package init(
        of directory: borrowing OwnedDescriptor, path: HostPath, mark: ((FileStatus) -> UInt32)? = nil, whenLong: () -> Void = {}
    ) throws(CapsuleError) {
        #if os(Linux)
        try appendRecords(of: directory, path, mark, whenLong)
        #else
        try appendStream(of: directory, path, mark)
        #endif
    }

    #if os(Linux)
    /// Reads raw records (getdents64(2)). Their names are C strings already, so reading a status copies nothing.
    private mutating func appendRecords(
        of directory: borrowing OwnedDescriptor, _ path: HostPath, _ mark: ((FileStatus) -> UInt32)?, _ whenLong: () -> Void
    ) throws(CapsuleError) {
        let raw = directory.raw
        var buffer = [UInt64](repeating: 0, count: Self.bufferLength / 8)
        while true {
            let length = try Syscall.repeating("list", path) {
                buffer.withUnsafeMutableBytes { capsule_getdents(raw, $0.baseAddress, $0.count) }
            }
            if length == 0 { break }
            if items.isEmpty, length > Self.bufferLength / 2 { whenLong() }
            let failure: CapsuleError? = buffer.withUnsafeBytes { bytes in
                do throws(CapsuleError) {
                    try append(UnsafeRawBufferPointer(rebasing: bytes[..<length]), in: raw, path, mark)
                    return nil
                } catch {
                    return error
                }
            }
            if let failure { throw failure }
        }
    }

    private mutating func append(
        _ records: UnsafeRawBufferPointer, in directory: Int32, _ path: HostPath, _ mark: ((FileStatus) -> UInt32)?
    ) throws(CapsuleError) {
        // struct linux_dirent64: inode u64, offset u64, record length u16, type u8, name.
        var at = 0
        while at + Self.nameOffset < records.count, let base = records.baseAddress {
            let record = base + at
            at += Int(record.loadUnaligned(fromByteOffset: 16, as: UInt16.self))
            try append((record + Self.nameOffset).assumingMemoryBound(to: CChar.self), in: directory, path, mark)
        }
    }

    private static let nameOffset = 19
    /// Small enough that the processor's caches still hold the records when the status of each entry is read.
    private static let bufferLength = 1 << 14
    #endif

    init(
        streaming directory: borrowing OwnedDescriptor, path: HostPath, mark: ((FileStatus) -> UInt32)? = nil
    ) throws(CapsuleError) {
        try appendStream(of: directory, path, mark)
    }

    private mutating func appendStream(
        of directory: borrowing OwnedDescriptor, _ path: HostPath, _ mark: ((FileStatus) -> UInt32)?
    ) throws(CapsuleError) {
        let stream = try Syscall.openStream(of: directory, path: path)
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let record = readdir(stream) else {
                let number = errno
                if number != 0 { throw CapsuleError(errno: number, "list", path) }
                break
            }
            let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let name = UnsafeRawPointer(record).advanced(by: nameOffset).assumingMemoryBound(to: CChar.self)
            try append(name, in: directory.raw, path, mark)
        }
    }

    private mutating func append(
        _ name: UnsafePointer<CChar>, in directory: Int32, _ path: HostPath, _ mark: ((FileStatus) -> UInt32)?
    ) throws(CapsuleError) {
        let length = strlen(name)
        if name[0] == 0x2E, length == 1 || (length == 2 && name[1] == 0x2E) { return }
        let bytes = UnsafeRawBufferPointer(start: name, count: length)
        var status = stat()
        if fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 {
            let number = errno
            if number == ENOENT { return }
            throw CapsuleError(errno: number, "stat", path.appending([UInt8](bytes)))
        }
        let found = FileStatus(status)
        let place = text.count
        // Only a hostile file system comes near this limit. The positions of names are 32 bits wide.
        guard place < Int(UInt32.max) - (1 << 17), length <= Int(UInt16.max) else {
            throw CapsuleError(errno: EOVERFLOW, "list", path)
        }
        text.append(contentsOf: bytes)
        var targetLength = 0
        if found.kind == .link {
            let target = try Syscall.linkTarget(at: directory, HostPath([UInt8](bytes)))
            text.append(contentsOf: target)
            targetLength = target.count
        }
        if found.kind == .file, found.links > 1 {
            identities[UInt32(place)] = FileIdentity(device: found.device, inode: found.inode)
        }
        let known = found.kind == .file ? mark?(found) ?? 0 : 0
        items.append(Item(found, place: place, nameLength: length, targetLength: targetLength, mark: known))
    }
}

extension RootDirectory {
    package func entries() throws(CapsuleError) -> [(name: [UInt8], kind: FileStatus.Kind)] {
        let listing = try DirectoryListing(of: try openDirectory(.root), path: path)
        return listing.items.map { (listing.name(of: $0), $0.kind) }
    }

    package func names() throws(CapsuleError) -> (directories: Set<[UInt8]>, files: Set<[UInt8]>) {
        var directories: Set<[UInt8]> = []
        var files: Set<[UInt8]> = []
        let listing = try DirectoryListing(of: try openDirectory(.root), path: path)
        for item in listing.items {
            switch item.kind {
            case .directory: directories.insert(listing.name(of: item))
            case .file: files.insert(listing.name(of: item))
            case .link, .socket, .pipe, .device: break
            }
        }
        return (directories, files)
    }
}
