package import CapsuleCore

/// Creates entries below a directory, each through its parent's descriptor. Each thread has its own.
package final class TreeWriter {
    private let root: RootDirectory
    /// The directory that was used last. Entries come in order, so the next one is usually in the same directory.
    private var parent: RootDirectory?
    private var parentPath: RelativePath?

    package init(_ root: RootDirectory) {
        self.root = root
    }

    /// Makes a directory that only this user can enter. Its final mode is set last.
    package func makeDirectory(_ path: RelativePath) throws(CapsuleError) {
        let name = HostPath(Array(path.name))
        let directory = try directory(of: path)
        do throws(CapsuleError) {
            try Syscall.makeDirectory(at: directory.raw, name, mode: 0o700)
        } catch {
            throw error.at(root.hostPath(of: path))
        }
    }

    package func makeLink(_ path: RelativePath, target: [UInt8], modified: Timestamp) throws(CapsuleError) {
        let name = HostPath(Array(path.name))
        let directory = try directory(of: path)
        do throws(CapsuleError) {
            try Syscall.makeLink(at: directory.raw, name, target: target)
            try Syscall.setLinkTimes(at: directory.raw, name, modified)
        } catch {
            throw error.at(root.hostPath(of: path))
        }
    }

    /// - Parameter mode: the mode to create it with; the creation mask applies.
    package func makeFile(_ path: RelativePath, mode: FileMode) throws(CapsuleError) -> NewFile {
        let name = HostPath(Array(path.name))
        let directory = try directory(of: path)
        do throws(CapsuleError) {
            let descriptor = try Syscall.open(
                at: directory.raw, name, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: UInt32(mode.rawValue),
                as: "create")
            return NewFile(adopting: descriptor, path: root.hostPath(of: path))
        } catch {
            throw error.at(root.hostPath(of: path))
        }
    }

    package func finishDirectory(
        _ path: RelativePath, mode: FileMode, modified: Timestamp, attributes: [ExtendedAttribute]
    ) throws(CapsuleError) -> [ExtendedAttribute] {
        let directory = try root.openDirectory(path)
        let place = root.hostPath(of: path)
        let refused = try NewFile.set(attributes, on: directory.raw, path: place)
        try Syscall.setMode(directory.raw, mode, path: place)
        try Syscall.setTimes(directory.raw, modified, path: place)
        return refused
    }

    private func directory(of path: RelativePath) throws(CapsuleError) -> RootDirectory {
        guard let wanted = path.parent, !wanted.isRoot else { return root }
        if let parent, parentPath == wanted { return parent }
        let opened = try root.subdirectory(wanted)
        parent = opened
        parentPath = wanted
        return opened
    }
}

/// A file that was just created and is being filled.
package final class NewFile: Sendable {
    private let descriptor: OwnedDescriptor
    private let path: HostPath

    init(adopting descriptor: consuming OwnedDescriptor, path: HostPath) {
        self.descriptor = descriptor
        self.path = path
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(CapsuleError) {
        try Syscall.write(descriptor.raw, bytes, at: offset, path: path)
    }

    /// Sets the final length of the file. Ranges that were not written are holes.
    package func setLength(_ length: UInt64) throws(CapsuleError) {
        try Syscall.truncate(descriptor.raw, to: length, path: path)
    }

    /// Sets the file's attributes, mode and times. Times come last, since everything else changes them.
    /// - Parameter mode: nil if it has its mode already.
    /// - Returns: the attributes that could not be set.
    package func finish(mode: FileMode?, modified: Timestamp, attributes: [ExtendedAttribute]) throws(CapsuleError)
        -> [ExtendedAttribute]
    {
        let refused = try attributes.isEmpty ? [] : Self.set(attributes, on: descriptor.raw, path: path)
        if let mode { try Syscall.setMode(descriptor.raw, mode, path: path) }
        try Syscall.setTimes(descriptor.raw, modified, path: path)
        return refused
    }

    static func set(
        _ attributes: [ExtendedAttribute], on descriptor: Int32, path: HostPath
    ) throws(CapsuleError) -> [ExtendedAttribute] {
        var refused: [ExtendedAttribute] = []
        for attribute in attributes where try !ExtendedAttributes.setIfTaken(attribute, on: descriptor, path: path) {
            refused.append(attribute)
        }
        return refused
    }
}
