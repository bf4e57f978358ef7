package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lists the directories of a tree and says what is in each, without reading content. Any thread may use it.
package struct TreeScanner: Sendable {
    /// What one directory holds.
    package struct Listing: Sendable {
        /// In the order of the index; without what no tree can hold and what is excluded. Digests, and attributes, are not known.
        package var entries: [TreeEntry] = []
        /// For each of ``entries`` what was known of it, as `mark` says; none where nobody was asked.
        package var marks: [UInt32] = []
        /// Files with several names, by their places in ``entries``, in order.
        package var hardLinks: [(entry: Int, file: DirectoryListing.FileIdentity)] = []
        /// The directory's own attributes.
        package var attributes = ExtendedAttributes.Reading()
        /// The paths of the directories in it, in order.
        package var subdirectories: [RelativePath] = []
        /// What no tree can hold.
        package var special: [(path: RelativePath, kind: FileStatus.Kind)] = []
        /// What `isExcluded` kept out.
        package var excluded: [RelativePath] = []
        /// What an unfinished transaction keeps, left out with all below.
        package var transactions: [RelativePath] = []
    }

    private let root: RootDirectory
    private let isTop: @Sendable (RelativePath) -> Bool
    private let isExcluded: (@Sendable (RelativePath) -> Bool)?
    private let mark: (@Sendable (FileStatus) -> UInt32)?

    /// - Parameters:
    ///   - isExcluded: asked for each path; what it takes is left out with all below. nil takes nothing.
    ///   - isTop: whether a directory is one in which a transaction may work: in it ``ContainerNames/transaction`` is no entry.
    ///   - mark: asked what is known of each file, by any thread.
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
    /// What an item is in a tree; nil for what none can hold. Notes that, and directories.
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
