import CapsuleCore
import CapsuleFileSystem

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
