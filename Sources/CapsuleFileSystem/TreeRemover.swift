import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Deletes a directory with all it holds, by descriptor: a link in it goes, never what it leads to.
enum TreeRemover {
    /// Goes on past what can't be deleted, so that as little as possible is left.
    static func remove(_ name: [UInt8], in parent: RootDirectory) {
        if (try? Syscall.remove(at: parent.raw, HostPath(name), directory: false)) != nil { return }
        guard let directory = try? open(name, at: parent.raw, path: parent.path) else { return }
        empty(RootDirectory(adopting: directory, path: parent.path.appending(name)))
        try? Syscall.remove(at: parent.raw, HostPath(name), directory: true)
    }

    /// Depth first with a stack of paths, not of descriptors or calls: depth has no limit that matters.
    private static func empty(_ root: RootDirectory) {
        var pending: [(path: RelativePath, isEmptied: Bool)] = [(.root, false)]
        while let (path, isEmptied) = pending.popLast() {
            if isEmptied {
                guard !path.isRoot, let parent = path.parent, let directory = try? root.openDirectory(parent) else { continue }
                try? Syscall.remove(at: directory.raw, HostPath(Array(path.name)), directory: true)
                continue
            }
            guard let directory = open(path, in: root) else { continue }
            try? Syscall.setMode(directory.raw, FileMode(0o700), path: root.path)
            pending.append((path, true))
            guard let listing = try? DirectoryListing(of: directory, path: root.path) else { continue }
            for item in listing.items {
                let name = listing.name(of: item)
                if item.kind == .directory {
                    // What stood here before us may be deeper than any tree of ours.
                    guard let below = try? RelativePath(validating: name) else { continue }
                    pending.append((path.isRoot ? below : RelativePath(joining: path.bytes, below), false))
                } else {
                    try? Syscall.remove(at: directory.raw, HostPath(name), directory: false)
                }
            }
        }
    }

    /// A directory below that may be closed to us; the one that holds it has been opened up.
    private static func open(_ path: RelativePath, in root: RootDirectory) -> OwnedDescriptor? {
        if let directory = try? root.openDirectory(path) { return directory }
        guard let above = path.parent, let parent = try? root.openDirectory(above) else { return nil }
        return try? open(Array(path.name), at: parent.raw, path: root.path)
    }

    private static func open(_ name: [UInt8], at parent: Int32, path: HostPath) throws(FileSystemError) -> OwnedDescriptor {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        do throws(FileSystemError) {
            return try Syscall.open(at: parent, HostPath(name), flags: flags)
        } catch {
            // A directory that was given its final, closed mode before something else failed.
            try Syscall.withCString(name, "delete") { (text) throws(FileSystemError) in
                try Syscall.announce(.setMode(parent), "delete", path)
                _ = try Syscall.repeating("delete", path) { fchmodat(parent, text, 0o700, 0) }
            }
            return try Syscall.open(at: parent, HostPath(name), flags: flags)
        }
    }
}
