package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lists the directories of a tree and says what is in each, without reading content. Any thread may use it.
package struct TreeScanner: Sendable {
    /// Directly below the root, never part of a tree: where apply stages what it is about to do.
    package static let reservedName = Array(".capsule-transaction".utf8)

    /// What one directory holds.
    package struct Listing: Sendable {
        /// By name, directories as `name/`: the order of a tar stream. Files' digests and attributes are not read yet.
        package var entries: [TreeEntry] = []
        /// The directory's own attributes.
        package var attributes = ExtendedAttributes.Reading()
        /// Files with several names, as (place in ``entries``, the file they share).
        package var hardLinks: [(entry: Int, file: FileIdentity)] = []
        /// What no tree can hold.
        package var special: [(path: RelativePath, kind: FileStatus.Kind)] = []
        /// What `isExcluded` kept out.
        package var excluded: [RelativePath] = []

        package init() {}
    }

    /// Which file a name leads to.
    package struct FileIdentity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64

        package init(device: UInt64, inode: UInt64) {
            self.device = device
            self.inode = inode
        }
    }

    private let root: RootDirectory
    private let isExcluded: (@Sendable (RelativePath) -> Bool)?

    /// - Parameter isExcluded: asked for each path; what it takes is left out with all below. nil takes nothing.
    package init(_ root: RootDirectory, isExcluded: (@Sendable (RelativePath) -> Bool)? = nil) {
        self.root = root
        self.isExcluded = isExcluded
    }

    /// Lists one directory.
    package func list(_ path: RelativePath) throws(FileSystemError) -> Listing {
        try Interruption.check()
        let place = root.hostPath(of: path)
        let directory = try root.openDirectory(path)
        var listing = Listing()
        listing.attributes = try ExtendedAttributes.read(directory.raw, path: place)
        var items = try DirectoryListing(of: directory, path: place).items
        items.sort { TarOrder.isOrdered($0.name, $0.status.kind == .directory, before: $1.name, $1.status.kind == .directory) }
        listing.entries.reserveCapacity(items.count)
        for item in items {
            if path.isRoot, item.name == Self.reservedName { continue }
            let child: RelativePath
            do throws(PathError) {
                child = try path.appending(listed: item.name)
            } catch {
                throw FileSystemError(errno: ENAMETOOLONG, "take", place.appending(item.name))
            }
            if let isExcluded, isExcluded(child) {
                listing.excluded.append(child)
            } else {
                listing.add(item, at: child)
            }
        }
        return listing
    }
}

extension TreeScanner.Listing {
    fileprivate mutating func add(_ item: DirectoryListing.Item, at path: RelativePath) {
        let status = item.status
        let kind: EntryKind
        switch status.kind {
        case .directory:
            kind = .directory
        case .file:
            kind = .file
            if status.links > 1 {
                hardLinks.append((entries.count, TreeScanner.FileIdentity(device: status.device, inode: status.inode)))
            }
        case .link:
            kind = .link
        case .socket, .pipe, .device:
            special.append((path, status.kind))
            return
        }
        entries.append(
            TreeEntry(
                path: path, kind: kind, mode: status.mode, modified: status.modified, size: kind == .file ? status.size : 0,
                target: item.target))
    }
}
