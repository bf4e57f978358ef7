import CapsuleCore
import CapsuleSystem

/// What is to become of live directories, worked out and checked, and not begun.
struct ApplyPlan: Sendable {
    /// A path of one of the directories.
    struct Place: Hashable, Sendable, Comparable {
        /// The directory's place among ``ApplyPlan/roots``.
        let root: Int
        let path: RelativePath

        static func < (lhs: Place, rhs: Place) -> Bool {
            lhs.root != rhs.root ? lhs.root < rhs.root : lhs.path < rhs.path
        }
    }

    /// What is at a path when the plan is made.
    struct Present: Sendable {
        /// Of the entry itself, never of what a link leads to.
        let status: FileStatus
        /// Its kind, mode, times, attributes, target; a file's digest is zero where nobody asked for it.
        let entry: TreeEntry
    }

    /// What is at a path afterwards.
    struct Wanted: Sendable {
        /// Where a file's bytes come from.
        enum Content: Sendable {
            /// Those that are there stay, in the same inode: only mode and attributes change. Also for directories that stay.
            case kept
            /// From the file of this number in ``ApplyPlan/source``, whose digest is known and checked.
            case file(Int)
            /// A directory or a link: there are none.
            case none
        }

        /// Its kind, mode, times, attributes, target, size, digest; its path is not looked at.
        let entry: TreeEntry
        let content: Content
    }

    /// A path that becomes something else.
    struct Change: Sendable {
        let place: Place
        /// nil for nothing.
        let present: Present?
        /// nil for nothing.
        let wanted: Wanted?
    }

    /// The directories that change; the first one has the journal. No root lies in another.
    var roots: [RootDirectory]
    /// By place, each once. What is in a directory that goes is named, too.
    var changes: [Change]
    /// The files whose bytes are put in place; nil where there are none.
    var source: OpenedContainer?
    /// The times that directories get in which something changes, and which are no change themselves; others keep theirs.
    var directoryTimes: [Place: Timestamp] = [:]
}
