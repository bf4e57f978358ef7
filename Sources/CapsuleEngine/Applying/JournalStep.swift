import CapsuleCore
import CapsuleFileSystem

/// A place that an entry can be at while a transaction runs.
enum JournalPlace: Hashable, Sendable {
    /// Of the tree itself.
    case tree(ApplyPlan.Place)
    /// `new/N` of a root's staging: what is to come.
    case new(root: Int, number: Int)
    /// `old/N` of a root's staging: what has gone.
    case old(root: Int, number: Int)

    var root: Int {
        switch self {
        case .tree(let place): place.root
        case .new(let root, _), .old(let root, _): root
        }
    }
}

/// One step of a transaction, told so that it can be done and undone, again and again: whether it is done is seen from names
/// and inode numbers alone.
enum JournalStep: Hashable, Sendable {
    /// What an entry has beside its content; what is nil or not named stays.
    struct Facts: Hashable, Sendable {
        var mode: FileMode?
        var modified: Timestamp?
        /// Those that are set.
        var attributes: [ExtendedAttribute] = []
        /// The names of those that go.
        var removed: [[UInt8]] = []
    }

    /// A directory that is there before, in which something changes: forward it is opened up, backward it gets back what it had.
    case open(ApplyPlan.Place, inode: UInt64, mode: FileMode, temporary: FileMode, modified: Timestamp)
    /// An entry gets another place. Out of the tree it goes to ``JournalPlace/old(root:number:)``, and into it never over
    /// another entry; a directory is empty meanwhile.
    case move(inode: UInt64, isDirectory: Bool, from: JournalPlace, to: JournalPlace)
    /// A directory that is empty by now is deleted; backward, the spare one, `new/N` of its staging, takes its place. For file systems
    /// that don't rename every directory (``SpareDirectories``).
    case delete(ApplyPlan.Place, inode: UInt64, spare: Int, spareInode: UInt64)
    /// An entry that is in its place gets what it is to have; backward, what it had.
    case settle(ApplyPlan.Place, inode: UInt64, kind: EntryKind, before: Facts, after: Facts)
}
