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
        /// The directory's own attributes.
        package var attributes = ExtendedAttributes.Reading()
        /// The paths of the directories in it, in order.
        package var subdirectories: [RelativePath] = []
        /// The sockets, pipes and devices, which a tree can't hold.
        package var special: [(path: RelativePath, kind: FileStatus.Kind)] = []
        /// The paths that `isExcluded` selected.
        package var excluded: [RelativePath] = []
        /// The directories of unfinished transactions, left out with everything in them.
        package var transactions: [RelativePath] = []
    }

    private let root: RootDirectory
    private let isTop: @Sendable (RelativePath) -> Bool
    private let isExcluded: (@Sendable (RelativePath) -> Bool)?
    private let mark: (@Sendable (FileStatus) -> UInt32)?

    /// Creates a scanner.
    ///
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

    /// Lists one directory.
    package func list(_ path: RelativePath) throws(FileSystemError) -> Listing {
        try Interruption.check()
        let place = root.hostPath(of: path)
        let opened = try root.openDirectory(path)
        let attributes = try ExtendedAttributes.read(opened.raw, path: place)
        var directory = try DirectoryListing(of: opened, path: place, mark: mark)
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
                throw FileSystemError(errno: ENAMETOOLONG, "read", place.appending(directory.name(of: item)))
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
