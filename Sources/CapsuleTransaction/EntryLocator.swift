import CapsuleCore
import CapsuleSystem

/// Finds the directories of the places in a transaction. Each is below its root, on the same device, and no link is followed to it.
final class EntryLocator {
    /// A directory and a name in it.
    struct Location {
        let directory: RootDirectory
        let name: [UInt8]
        var path: HostPath { directory.path.appending(name) }
    }

    private let areas: [TransactionDirectory]
    /// The directory that was used last. Steps come in order, so the next one is mostly in the same directory.
    private var last: (place: TargetPath, directory: RootDirectory)?

    init(_ areas: [TransactionDirectory]) {
        self.areas = areas
    }

    func forget() {
        last = nil
    }

    func root(of place: TargetPath) -> RootDirectory { areas[place.root].root }
    func path(of place: TargetPath) -> HostPath { root(of: place).hostPath(of: place.path) }

    /// Returns the directory that holds an entry, and the entry's name in it. For a tree's own directory, the name is `.`.
    func location(_ place: TargetPath) throws(CapsuleError) -> Location {
        guard let parent = place.path.parent else { return Location(directory: root(of: place), name: [UInt8(ascii: ".")]) }
        return Location(
            directory: try directory(TargetPath(root: place.root, path: parent)), name: Array(place.path.name))
    }

    func location(_ place: JournalLocation) throws(CapsuleError) -> Location {
        switch place {
        case .tree(let place): return try location(place)
        case .new(let root, let number): return try staged(areas[root].new, number, areas[root])
        case .old(let root, let number): return try staged(areas[root].old, number, areas[root])
        }
    }

    private func staged(_ directory: RootDirectory?, _ number: Int, _ area: TransactionDirectory) throws(CapsuleError)
        -> Location
    {
        let name = Array(String(number).utf8)
        guard let directory else { throw .missing(area.top.path.appending(name)) }
        return Location(directory: directory, name: name)
    }

    private func directory(_ place: TargetPath) throws(CapsuleError) -> RootDirectory {
        if place.path.isRoot { return root(of: place) }
        if let last, last.place == place { return last.directory }
        let opened = try root(of: place).subdirectoryOnDevice(place.path)
        last = (place, opened)
        return opened
    }

    /// Returns the path of the entry that is found at a place under another spelling of the place's name; nil if the entry has
    /// exactly this name.
    func otherSpelling(of place: TargetPath, inode: UInt64) throws(CapsuleError) -> RelativePath? {
        let location = try location(place)
        let names = try location.directory.entries().map(\.name)
        guard let parent = place.path.parent, !names.contains(location.name) else { return nil }
        for name in names where NameProbe.mightBeOne(name, location.name) {
            guard try location.directory.statusIfThere(name)?.inode == inode else { continue }
            return try? parent.appending(name)
        }
        return nil
    }

    /// Returns the status of the entry at a place; nil if there is none, or if a directory above it is missing or is a link.
    func status(_ place: JournalLocation) throws(CapsuleError) -> FileStatus? {
        do throws(CapsuleError) {
            let location = try location(place)
            return try location.directory.statusIfThere(location.name)
        } catch {
            if error.code == .notFound || error.code == .throughLink { return nil }
            throw error
        }
    }

    func status(_ place: TargetPath) throws(CapsuleError) -> FileStatus? {
        place.path.isRoot ? try root(of: place).status() : try status(.tree(place))
    }
}

/// Sets the attributes, times and mode of an open file or directory.
struct MetadataWriter {
    let place: TargetPath
    let path: HostPath
    let isDirectory: Bool
    let mode: FileMode
    private var opened: FileMode { FileMode(mode.rawValue | (isDirectory ? 0o700 : 0o600)) }

    func open(_ location: EntryLocator.Location) throws(CapsuleError) -> OwnedDescriptor {
        do throws(CapsuleError) {
            return try location.directory.openEntry(location.name, isDirectory: isDirectory)
        } catch {
            guard error.code == .notPermitted, !place.path.isRoot else { throw error }
        }
        try location.directory.setMode(of: location.name, opened)
        return try location.directory.openEntry(location.name, isDirectory: isDirectory)
    }

    /// Sets what `facts` names. The mode is set last, just before the sync, because it may close the entry.
    /// - Returns: the names of attributes that the file system refuses. While undoing, a refusal is an error, because the
    ///   attributes existed before.
    func apply(
        _ facts: JournalStep.Metadata, to descriptor: Int32, isForward: Bool, syncs: Bool
    ) throws(CapsuleError) -> [[UInt8]] {
        var refused: [[UInt8]] = []
        if !facts.attributes.isEmpty || !facts.removed.isEmpty {
            if mode.rawValue & 0o200 == 0 { try Syscall.setMode(descriptor, opened, path: path) }
            for name in facts.removed { try ExtendedAttributes.remove(name, from: descriptor, path: path) }
            for attribute in facts.attributes {
                if !isForward {
                    try ExtendedAttributes.set(attribute, on: descriptor, path: path)
                } else if try !ExtendedAttributes.setIfTaken(attribute, on: descriptor, path: path) {
                    refused.append(attribute.name)
                }
            }
        }
        if let modified = facts.modified {
            do throws(CapsuleError) {
                try Syscall.setTimes(descriptor, modified, path: path)
            } catch {
                // A directory that another user owns keeps its present time.
                guard isDirectory, error.code == .notPermitted else { throw error }
            }
        }
        let wanted = facts.mode ?? mode
        if try Syscall.status(of: descriptor, path: path).mode != wanted { try Syscall.setMode(descriptor, wanted, path: path) }
        if syncs { try Syscall.sync(descriptor, path: path) }
        return refused
    }
}
