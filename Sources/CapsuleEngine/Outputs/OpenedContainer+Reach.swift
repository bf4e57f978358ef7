import CapsuleCore
import CapsuleFileSystem

extension OpenedContainer {
    /// The mode of a file that holds what the container holds: who can't list the container's own directory, or read the file that it
    /// comes from, can't read the new file.
    var fileMode: FileMode {
        let reach = entries.lazy.filter(Self.isTop).reduce(UInt16(0o066)) { $0 & $1.mode.rawValue }
        return FileMode(CreationMask.fileMode & (0o600 | reach)).closed(as: inputModes)
    }

    /// Closes the container's own directory, and those of its app groups, to everybody to whom one of other containers has the same
    /// directory closed. What is in it may come from there, with a mode that leaves the guard to the directory.
    mutating func close(as others: [OpenedContainer]) {
        var modes: [RelativePath: FileMode] = [:]
        for entry in others.lazy.flatMap(\.entries) where Self.isTop(entry) {
            // The owner's bits stay, and what is more than reading, writing and searching.
            let mode = FileMode(entry.mode.rawValue | 0o7700)
            modes[entry.path] = modes[entry.path].map { $0.within(mode) } ?? mode
        }
        for number in entries.indices where Self.isTop(entries[number]) {
            guard let mode = modes[entries[number].path] else { continue }
            entries[number].mode = entries[number].mode.within(mode)
        }
    }

    /// Whether an entry is the container's own directory, or an app group's.
    private static func isTop(_ entry: TreeEntry) -> Bool {
        guard entry.kind == .directory else { return false }
        return entry.root == .wrapper || entry.root.groupNumber != nil && entry.path.components.count == groupDepth
    }

    /// The parts of `AppGroups/ID`.
    private static let groupDepth = 2
}

extension HostPath {
    /// The mode of a plain file that is read, which what is made of it has at most; of `-`, that of the file behind it.
    ///
    /// - Returns: nil for anything else.
    var inputMode: FileMode? {
        guard let path = self == .standardStream ? RealPath.ofStandardInput() : self,
            let status = try? Syscall.status(path, following: true), status.kind == .file
        else { return nil }
        return status.mode
    }
}

extension FileMode {
    /// The same mode for a file that is made of others: nobody can read it who can't read all of them. Its owner can.
    func closed(as modes: [FileMode]) -> FileMode { modes.reduce(self) { $0.within(FileMode($1.rawValue | 0o600)) } }

    /// What both modes allow.
    func within(_ other: FileMode) -> FileMode { FileMode(rawValue & other.rawValue) }
}
