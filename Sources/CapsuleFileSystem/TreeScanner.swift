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
        /// By name, directories as `name/`; without what no tree can hold and what is excluded.
        package var directory: DirectoryListing
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
        directory.sortForTar()
        var listing = Listing(directory: directory, attributes: attributes)
        var isKept: [Bool] = []
        isKept.reserveCapacity(directory.items.count)
        for item in directory.items {
            let name = directory.name(of: item)
            let child: RelativePath
            do throws(PathError) {
                child = try path.appending(listed: name)
            } catch {
                throw FileSystemError(errno: ENAMETOOLONG, "take", place.appending(name))
            }
            let isReserved = name == ContainerNames.transaction && isTop(path)
            isKept.append(listing.takes(item, at: child, isReserved: isReserved, isExcluded))
        }
        if isKept.contains(false) {
            var number = -1
            listing.directory.keep { _ in
                number += 1
                return isKept[number]
            }
        }
        return listing
    }
}

extension TreeScanner.Listing {
    /// Notes what is to be known of an item beforehand; whether it is an entry of the tree.
    fileprivate mutating func takes(
        _ item: DirectoryListing.Item, at path: RelativePath, isReserved: Bool, _ isExcluded: (@Sendable (RelativePath) -> Bool)?
    ) -> Bool {
        if let isExcluded, isExcluded(path) {
            excluded.append(path)
            return false
        }
        if isReserved {
            transactions.append(path)
            return false
        }
        switch item.kind {
        case .directory: subdirectories.append(path)
        case .file, .link: break
        case .socket, .pipe, .device:
            special.append((path, item.kind))
            return false
        }
        return true
    }
}
