package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Walks everything below a directory and says what is there, without reading content.
package struct TreeScanner {
    /// Directly below the root, never part of a tree: where apply stages what it is about to do.
    package static let reservedName = Array(".capsule-transaction".utf8)

    /// What the walk found.
    package struct Result: Sendable {
        /// Depth first, each directory's entries by name with directories as `name/`: the order of a tar stream.
        /// Paths are below the scanned directory; digests and files' attributes are not read yet.
        package var entries: [TreeEntry] = []
        /// Files with several names, as (place in ``entries``, the file they share).
        package var hardLinks: [(entry: Int, file: FileIdentity)] = []
        /// What no tree can hold.
        package var special: [(path: RelativePath, kind: FileStatus.Kind)] = []
        /// Directories that could not be listed, where `skipUnreadable` let them pass.
        package var unreadable: [(path: RelativePath, error: FileSystemError)] = []
        /// Attributes too long to be kept.
        package var longAttributes: [(path: RelativePath, name: [UInt8])] = []
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
    private let skipUnreadable: Bool
    private let isExcluded: (RelativePath) -> Bool
    private var result = Result()

    /// - Parameter isExcluded: asked for each path; what it takes is left out with all below.
    package static func scan(
        _ root: RootDirectory, skipUnreadable: Bool = false, isExcluded: @escaping (RelativePath) -> Bool = { _ in false }
    ) throws(FileSystemError) -> Result {
        var scanner = TreeScanner(root: root, skipUnreadable: skipUnreadable, isExcluded: isExcluded)
        try scanner.run()
        return scanner.result
    }

    private init(root: RootDirectory, skipUnreadable: Bool, isExcluded: @escaping (RelativePath) -> Bool) {
        self.root = root
        self.skipUnreadable = skipUnreadable
        self.isExcluded = isExcluded
    }

    /// A directory whose entries are being gone through.
    private struct Level {
        let path: RelativePath
        let items: [DirectoryListing.Item]
        var next = 0
    }

    private mutating func run() throws(FileSystemError) {
        // A stack of our own: hostile depth must not end the thread's.
        var levels = [Level(path: .root, items: try list(.root, entry: nil))]
        while var level = levels.popLast() {
            guard level.next < level.items.count else { continue }
            let item = level.items[level.next]
            level.next += 1
            let parent = level.path
            levels.append(level)
            if parent.isRoot, item.name == Self.reservedName { continue }
            let path: RelativePath
            do throws(PathError) {
                path = try parent.appending(item.name)
            } catch {
                throw FileSystemError(errno: ENAMETOOLONG, "take", root.hostPath(of: parent).appending(item.name))
            }
            if isExcluded(path) {
                result.excluded.append(path)
                continue
            }
            if let entry = add(item, at: path) {
                try Interruption.check()
                levels.append(Level(path: path, items: try list(path, entry: entry)))
            }
        }
    }

    /// Notes an entry; for a directory, its place in the result.
    private mutating func add(_ item: DirectoryListing.Item, at path: RelativePath) -> Int? {
        let status = item.status
        func entry(_ kind: EntryKind, size: UInt64 = 0) -> TreeEntry {
            TreeEntry(path: path, kind: kind, mode: status.mode, modified: status.modified, size: size, target: item.target)
        }
        switch status.kind {
        case .directory:
            result.entries.append(entry(.directory))
            return result.entries.count - 1
        case .file:
            if status.links > 1 {
                result.hardLinks.append((result.entries.count, FileIdentity(device: status.device, inode: status.inode)))
            }
            result.entries.append(entry(.file, size: status.size))
        case .link:
            result.entries.append(entry(.link))
        case .socket, .pipe, .device:
            result.special.append((path, status.kind))
        }
        return nil
    }

    /// A directory's entries by name, directories as `name/`; its attributes go to `entry`.
    private mutating func list(_ path: RelativePath, entry: Int?) throws(FileSystemError) -> [DirectoryListing.Item] {
        do throws(FileSystemError) {
            let directory = try root.openDirectory(path)
            if let entry {
                let reading = try ExtendedAttributes.read(directory.raw, path: root.hostPath(of: path))
                result.entries[entry].attributes = reading.attributes
                for name in reading.tooLong { result.longAttributes.append((path, name)) }
            }
            var items = try DirectoryListing(of: directory, path: root.hostPath(of: path)).items
            items.sort { TarOrder.isOrdered($0.name, $0.status.kind == .directory, before: $1.name, $1.status.kind == .directory) }
            return items
        } catch {
            guard skipUnreadable, error.code == .notPermitted, entry != nil else { throw error }
            result.unreadable.append((path, error))
            return []
        }
    }
}
