package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Makes entries below a directory, each through its parent's descriptor. One for each thread.
package final class TreeWriter {
    private let root: RootDirectory
    /// The directory that was used last: entries come in order, so the next is mostly in the same.
    private var parent: RootDirectory?
    private var parentPath: RelativePath?

    package init(_ root: RootDirectory) {
        self.root = root
    }

    /// Makes a directory that only we can enter; its mode comes last.
    package func makeDirectory(_ path: RelativePath) throws(FileSystemError) {
        let name = HostPath(Array(path.name))
        let directory = try directory(of: path)
        do throws(FileSystemError) {
            try Syscall.makeDirectory(at: directory.raw, name, mode: 0o700)
        } catch {
            throw error.at(root.hostPath(of: path))
        }
    }

    /// Makes a link.
    package func makeLink(_ path: RelativePath, target: [UInt8], modified: Timestamp) throws(FileSystemError) {
        let name = HostPath(Array(path.name))
        let directory = try directory(of: path)
        do throws(FileSystemError) {
            try Syscall.makeLink(at: directory.raw, name, target: target)
            try Syscall.setLinkTimes(at: directory.raw, name, modified)
        } catch {
            throw error.at(root.hostPath(of: path))
        }
    }

    /// Makes an empty file, open for writing.
    ///
    /// - Parameter mode: what it gets at once, less the creation mask.
    package func makeFile(_ path: RelativePath, mode: FileMode) throws(FileSystemError) -> NewFile {
        let name = HostPath(Array(path.name))
        let directory = try directory(of: path)
        do throws(FileSystemError) {
            let descriptor = try Syscall.open(
                at: directory.raw, name, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: UInt32(mode.rawValue),
                as: "create")
            return NewFile(adopting: descriptor, path: root.hostPath(of: path))
        } catch {
            throw error.at(root.hostPath(of: path))
        }
    }

    /// Gives a directory what it had: attributes, mode, times.
    ///
    /// - Returns: the attributes that could not be set.
    package func finishDirectory(
        _ path: RelativePath, mode: FileMode, modified: Timestamp, attributes: [ExtendedAttribute]
    ) throws(FileSystemError) -> [ExtendedAttribute] {
        let directory = try root.openDirectory(path)
        let place = root.hostPath(of: path)
        let refused = try NewFile.set(attributes, on: directory.raw, path: place)
        try Syscall.setMode(directory.raw, mode, path: place)
        try Syscall.setTimes(directory.raw, modified, path: place)
        return refused
    }

    private func directory(of path: RelativePath) throws(FileSystemError) -> RootDirectory {
        guard let wanted = path.parent, !wanted.isRoot else { return root }
        if let parent, parentPath == wanted { return parent }
        let opened = try root.subdirectory(wanted)
        parent = opened
        parentPath = wanted
        return opened
    }
}
