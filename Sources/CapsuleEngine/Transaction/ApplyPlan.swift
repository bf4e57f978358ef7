import CapsuleCore
import CapsuleSystem

/// The changes to make in live directories, worked out and checked, but not begun.
struct ApplyPlan: Sendable {
    /// A path in one of the directories.
    struct TargetPath: Hashable, Sendable, Comparable {
        /// The position of the directory in ``ApplyPlan/roots``.
        let root: Int
        let path: RelativePath

        static func < (lhs: TargetPath, rhs: TargetPath) -> Bool {
            lhs.root != rhs.root ? lhs.root < rhs.root : lhs.path < rhs.path
        }
    }

    /// The entry at a path when the plan is made.
    struct Present: Sendable {
        /// The status of the entry itself, never of the target of a link.
        let status: FileStatus
        /// The entry's kind, mode, times, attributes and target. The digest of a file is zero if it was not needed.
        let entry: TreeEntry
    }

    /// The entry at a path after the changes.
    struct Wanted: Sendable {
        /// The source of a file's bytes.
        enum Content: Sendable {
            /// The present bytes stay, in the same inode, and only metadata changes. Also for directories that stay.
            case kept
            /// The file with this number in ``ApplyPlan/source``, whose digest is known and checked.
            case file(Int)
            /// No bytes, for a directory or a link.
            case none
        }

        /// The entry's kind, mode, times, attributes, target, size and digest. The path is ignored.
        let entry: TreeEntry
        let content: Content
    }

    /// A change of the entry at one path.
    struct Change: Sendable {
        let place: TargetPath
        /// The entry before the change; nil for none.
        let present: Present?
        /// The entry after the change; nil for none.
        let wanted: Wanted?
    }

    /// The directories that change. The first one has the journal. No root is inside another.
    var roots: [RootDirectory]
    /// The changes, one for each place. The contents of a removed directory are listed, too.
    var changes: [Change]
    /// The container with the files whose bytes are put in place; nil if there are none.
    var source: OpenedContainer?
    /// The times to give to directories in which something changes, but which have no change themselves. Others keep theirs.
    var directoryTimes: [TargetPath: Timestamp] = [:]
}
