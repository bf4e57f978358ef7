import CapsuleCore
import CapsuleSystem

/// Finds the directories that the places of a transaction are in, each beneath its root, through no link, on the same device.
final class EntryPlaces {
    /// A directory and a name in it.
    struct Spot {
        let directory: RootDirectory
        let name: [UInt8]

        /// Where it is, for messages.
        var path: HostPath { directory.path.appending(name) }
    }

    private let rooms: [TransactionRoom]
    /// The directory that was used last: steps come in order, so the next is mostly in the same.
    private var last: (place: ApplyPlan.Place, directory: RootDirectory)?

    init(_ rooms: [TransactionRoom]) {
        self.rooms = rooms
    }

    /// Forgets what was opened: a directory gets another place.
    func forget() {
        last = nil
    }

    /// Where the root of a place is.
    func root(of place: ApplyPlan.Place) -> RootDirectory { rooms[place.root].root }

    /// Where a place is, for messages.
    func path(of place: ApplyPlan.Place) -> HostPath { root(of: place).hostPath(of: place.path) }

    /// The directory that holds an entry, and the entry's name there; not for a tree's own directory.
    func spot(_ place: ApplyPlan.Place) throws(FileSystemError) -> Spot {
        guard let parent = place.path.parent else { return Spot(directory: root(of: place), name: [UInt8(ascii: ".")]) }
        return Spot(directory: try directory(ApplyPlan.Place(root: place.root, path: parent)), name: Array(place.path.name))
    }

    func spot(_ place: JournalPlace) throws(FileSystemError) -> Spot {
        switch place {
        case .tree(let place): return try spot(place)
        case .new(let root, let number): return try staged(rooms[root].new, number, rooms[root])
        case .old(let root, let number): return try staged(rooms[root].old, number, rooms[root])
        }
    }

    private func staged(_ directory: RootDirectory?, _ number: Int, _ room: TransactionRoom) throws(FileSystemError) -> Spot {
        let name = Array(String(number).utf8)
        guard let directory else { throw .missing(room.top.path.appending(name)) }
        return Spot(directory: directory, name: name)
    }

    private func directory(_ place: ApplyPlan.Place) throws(FileSystemError) -> RootDirectory {
        if place.path.isRoot { return root(of: place) }
        if let last, last.place == place { return last.directory }
        let opened = try root(of: place).subdirectoryOnDevice(place.path)
        last = (place, opened)
        return opened
    }

    /// The path of the entry that is found at a place, where the file system takes the name for another one; nil where the entry has
    /// the very name.
    func otherSpelling(of place: ApplyPlan.Place, inode: UInt64) throws(FileSystemError) -> RelativePath? {
        let spot = try spot(place)
        let names = try spot.directory.entries().map(\.name)
        guard let parent = place.path.parent, !names.contains(spot.name) else { return nil }
        for name in names where NameProbe.mightBeOne(name, spot.name) {
            guard try spot.directory.statusIfThere(name)?.inode == inode else { continue }
            return try? parent.appending(name)
        }
        return nil
    }

    /// What is at a place; nil where nothing is, or where the way there ends.
    func status(_ place: JournalPlace) throws(FileSystemError) -> FileStatus? {
        do throws(FileSystemError) {
            let spot = try spot(place)
            return try spot.directory.statusIfThere(spot.name)
        } catch {
            if error.code == .notFound || error.code == .throughLink { return nil }
            throw error
        }
    }

    func status(_ place: ApplyPlan.Place) throws(FileSystemError) -> FileStatus? {
        place.path.isRoot ? try root(of: place).status() : try status(.tree(place))
    }
}

/// Gives an open file or directory its attributes, times and mode.
struct FactSetter {
    let place: ApplyPlan.Place
    let path: HostPath
    let isDirectory: Bool
    /// What it has now.
    let mode: FileMode

    /// What opening and setting attributes takes.
    private var opened: FileMode { FileMode(mode.rawValue | (isDirectory ? 0o700 : 0o600)) }

    /// Opens the entry, opening it up if it is closed to its owner.
    func open(_ spot: EntryPlaces.Spot) throws(FileSystemError) -> OwnedDescriptor {
        do throws(FileSystemError) {
            return try spot.directory.openEntry(spot.name, isDirectory: isDirectory)
        } catch {
            guard error.code == .notPermitted, !place.path.isRoot else { throw error }
        }
        try spot.directory.setMode(of: spot.name, opened)
        return try spot.directory.openEntry(spot.name, isDirectory: isDirectory)
    }

    /// Sets what `facts` names: the mode last but for the sync, since it may close the entry.
    ///
    /// - Returns: the names of attributes that the file system refuses. Backward none may be refused: they were there.
    func apply(
        _ facts: JournalStep.Facts, to descriptor: Int32, isForward: Bool, syncs: Bool
    ) throws(FileSystemError) -> [[UInt8]] {
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
            do throws(FileSystemError) {
                try Syscall.setTimes(descriptor, modified, path: path)
            } catch {
                // A directory that somebody else owns keeps the time that it has.
                guard isDirectory, error.code == .notPermitted else { throw error }
            }
        }
        let wanted = facts.mode ?? mode
        if try Syscall.status(of: descriptor, path: path).mode != wanted { try Syscall.setMode(descriptor, wanted, path: path) }
        if syncs { try Syscall.sync(descriptor, path: path) }
        return refused
    }
}
