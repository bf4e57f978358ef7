import CapsuleCore
import CapsuleFileSystem

/// Directories that are deleted and not renamed: ``JournalStep/delete(_:inode:spare:spareInode:)``.
extension StepRunner {
    /// Deletes an empty directory, if it is there.
    ///
    /// - Parameter spare: the place of the directory that takes its place in an undoing.
    func delete(
        _ place: ApplyPlan.Place, _ inode: UInt64, _ spare: JournalPlace, isLive: Bool
    ) throws(CapsuleError) {
        let found = try status(place)
        if let found, !isLive, found.inode == spares[place] {
            // An undoing was cut short: the directory is deleted already, and the spare one stands in its place.
            try checkEmpty(.tree(place), shownAs: place)
            return try move(.tree(place), spare, found.inode, true)
        }
        guard let found, found.inode == inode, found.kind == .directory else {
            if isLive { throw .changedMeanwhile(places.path(of: place)) }
            return
        }
        try checkEmpty(.tree(place), shownAs: place)
        places.forget()
        do throws(FileSystemError) {
            let spot = try places.spot(place)
            try spot.directory.remove(spot.name, isDirectory: true)
        } catch {
            throw Self.explained(error)
        }
    }

    /// Puts the spare directory in the place of one that was deleted.
    func putBack(
        _ place: ApplyPlan.Place, _ inode: UInt64, _ spare: JournalPlace, _ spareInode: UInt64
    ) throws(CapsuleError) {
        guard let found = try status(spare), found.inode == spareInode else { return }
        if let present = try status(place), present.inode == inode, present.kind == .directory { return }
        try move(spare, .tree(place), spareInode, true)
    }
}
