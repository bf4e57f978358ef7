package import CapsuleCore
package import CapsuleSystem

/// Provides the files of live directories: the bundle, the app data, and app groups in other directories.
package struct LiveTreeContent: ContentProvider {
    /// A directory, and the prefix that its paths have in the paths of entries.
    package struct Base: Sendable {
        let directory: RootDirectory
        package let prefix: RelativePath
    }

    /// The directories by root. A group that is in the bundle has the directory of the wrapper.
    package private(set) var bases: [TreeRoot: Base] = [:]
    /// The generated files, by their paths in the wrapper.
    private(set) var madeUp: [RelativePath: [UInt8]] = [:]

    package init() {}

    package var isLive: Bool { true }

    package mutating func add(_ root: TreeRoot, _ directory: RootDirectory, prefix: RelativePath = .root) {
        bases[root] = Base(directory: directory, prefix: prefix)
    }

    mutating func addMadeUp(_ bytes: [UInt8], at path: RelativePath) {
        madeUp[path] = bytes
    }

    /// Returns the path of a file on this machine; nil for a generated file.
    func path(of entry: TreeEntry) -> HostPath? {
        if entry.root == .wrapper, madeUp[entry.path] != nil { return nil }
        guard let base = bases[entry.root], let path = entry.path.relative(to: base.prefix) else { return nil }
        return base.directory.hostPath(of: path)
    }

    package func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        try LiveTreeOpener(self).open(entry, number: number)
    }

    package func makeOpener() -> any ContentOpener { LiveTreeOpener(self) }
}

/// Opens files through their directory, which stays open. Files come in order, so the next file is mostly in the same directory.
private final class LiveTreeOpener: ContentOpener {
    private let content: LiveTreeContent
    private var parent: RootDirectory?
    private var parentPath: RelativePath?
    private var parentRoot: TreeRoot?

    init(_ content: LiveTreeContent) { self.content = content }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        if entry.root == .wrapper, let bytes = content.madeUp[entry.path] { return InMemoryContent(bytes, as: entry) }
        guard let base = content.bases[entry.root], let path = entry.path.relative(to: base.prefix) else {
            throw CapsuleError("is not in any opened directory", path: HostPath(entry.path.bytes))
        }
        do throws(FileSystemError) {
            let directory = try directory(of: path, in: base.directory, entry.root)
            return LiveContent(adopting: try directory.openFile(named: path.name), at: path, in: base.directory)
        } catch {
            throw CapsuleError(error.at(base.directory.hostPath(of: path)))
        }
    }

    private func directory(
        of path: RelativePath, in base: RootDirectory, _ root: TreeRoot
    ) throws(FileSystemError) -> RootDirectory {
        guard let wanted = path.parent, !wanted.isRoot else { return base }
        if let parent, parentRoot == root, parentPath == wanted { return parent }
        let opened = try base.subdirectory(wanted)
        (parent, parentPath, parentRoot) = (opened, wanted, root)
        return opened
    }
}

/// A file of a live directory, open for reading.
private final class LiveContent: OpenContent {
    private let descriptor: OwnedDescriptor
    private let directory: RootDirectory
    private let place: RelativePath

    init(adopting descriptor: consuming OwnedDescriptor, at place: RelativePath, in directory: RootDirectory) {
        self.place = place
        self.directory = directory
        self.descriptor = descriptor
    }

    /// The path for messages, built only when needed: most files never need it.
    private var path: HostPath { directory.hostPath(of: place) }

    /// - Throws: also if the entry is no longer a file.
    func status() throws(CapsuleError) -> ContentStatus {
        let status = try CapsuleError.wrapping { () throws(FileSystemError) in try Syscall.status(of: descriptor.raw, path: path)
        }
        guard status.kind == .file else {
            throw CapsuleError("is no longer a file", path: path, hint: "stop the app, then pack again")
        }
        return ContentStatus(size: status.size, mode: status.mode, modified: status.modified, live: status)
    }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        do throws(FileSystemError) {
            return try Syscall.read(descriptor.raw, at: offset, into: buffer, path: path)
        } catch {
            throw CapsuleError(error)
        }
    }

    func nextData(from offset: UInt64) -> UInt64 {
        Syscall.nextData(descriptor.raw, from: offset) ?? offset
    }

    func hasSibling(withSuffix suffix: [UInt8]) -> Bool {
        guard let parent = try? directory.subdirectory(place.parent ?? .root) else { return false }
        guard let status = try? Syscall.status(at: parent.raw, HostPath(Array(place.name) + suffix)) else { return false }
        switch status.kind {
        // An empty log has no content.
        case .file: return status.size > 0
        case .link, .directory: return true
        // A container never holds these, so another attempt would not, either.
        case .pipe, .socket, .device: return false
        }
    }

    func attributes() throws(CapsuleError) -> ExtendedAttributes.Reading? {
        do throws(FileSystemError) {
            return try ExtendedAttributes.read(descriptor.raw, path: path)
        } catch {
            throw CapsuleError(error)
        }
    }
}
