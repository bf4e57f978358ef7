import CapsuleCore
import CapsuleFileSystem

/// Gives the files of live directories: the bundle's, the app data's, and those of groups that lie elsewhere.
struct LiveTreeContent: ContentProvider {
    /// A directory, and what stands before its own paths in the paths of entries.
    struct Base: Sendable {
        let directory: RootDirectory
        let prefix: RelativePath
    }

    /// By root; group entries that lie in the bundle are found through the wrapper's.
    private(set) var bases: [TreeRoot: Base] = [:]
    /// Files that are made up.
    private(set) var madeUp: [RelativePath: [UInt8]] = [:]

    var isLive: Bool { true }

    mutating func add(_ root: TreeRoot, _ directory: RootDirectory, prefix: RelativePath = .root) {
        bases[root] = Base(directory: directory, prefix: prefix)
    }

    mutating func addMadeUp(_ bytes: [UInt8], at path: RelativePath) {
        madeUp[path] = bytes
    }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        if entry.root == .wrapper, let bytes = madeUp[entry.path] { return InMemoryContent(bytes, as: entry) }
        guard let base = bases[entry.root], let path = entry.path.relative(to: base.prefix) else {
            throw CapsuleError("is in none of the directories that were opened", path: HostPath(entry.path.bytes))
        }
        let descriptor = try CapsuleError.wrapping { () throws(FileSystemError) in try base.directory.openFile(path) }
        return LiveContent(adopting: descriptor, at: path, in: base.directory)
    }
}
