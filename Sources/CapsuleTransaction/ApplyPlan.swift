package import CapsuleCore
package import CapsuleSystem

/// The changes to make in live directories, worked out and checked, but not begun.
package struct ApplyPlan: Sendable {
    /// The entry at a path when the plan is made.
    package struct Present: Sendable {
        /// The status of the entry itself, never of the target of a link.
        package let status: FileStatus
        /// The entry's kind, mode, times, attributes and target. The digest of a file is zero if it was not needed.
        package let entry: TreeEntry

        package init(status: FileStatus, entry: TreeEntry) {
            self.status = status
            self.entry = entry
        }
    }

    /// The entry at a path after the changes.
    package struct Wanted: Sendable {
        /// The source of a file's bytes.
        package enum Content: Sendable {
            /// The present bytes stay, in the same inode, and only metadata changes. Also for directories that stay.
            case kept
            /// The file with this number in ``ApplyPlan/source``, whose digest is known and checked.
            case file(Int)
            /// No bytes, for a directory or a link.
            case none
        }

        /// The entry's kind, mode, times, attributes, target, size and digest. The path is ignored.
        package let entry: TreeEntry
        package let content: Content

        package init(entry: TreeEntry, content: Content) {
            self.entry = entry
            self.content = content
        }
    }

    /// A change of the entry at one path.
    package struct Change: Sendable {
        package let place: TargetPath
        package let present: Present?
        package let wanted: Wanted?

        package init(place: TargetPath, present: Present?, wanted: Wanted?) {
            self.place = place
            self.present = present
            self.wanted = wanted
        }
    }

    /// The directories that change. The first one has the journal. No root is inside another.
    package var roots: [RootDirectory]
    /// The changes, one for each place. The contents of a removed directory are listed, too.
    package var changes: [Change]
    package var source: (any PlannedContents)?
    /// The times to give to directories in which something changes, but which have no change themselves. Others keep theirs.
    package var directoryTimes: [TargetPath: Timestamp] = [:]

    package init(roots: [RootDirectory], changes: [Change]) {
        self.roots = roots
        self.changes = changes
    }
}

/// The contents of the files that a plan puts in place.
package protocol PlannedContents: Sendable {
    /// Writes new files, with their modes, times and attributes.
    /// - Parameters:
    ///   - files: the files, in the order of the numbers of their contents.
    /// - Returns: the names of the attributes that the file system refuses, with the numbers of their files.
    /// - Throws: also for a content that does not exist, or that does not have the size and the digest of its file.
    func write(
        _ files: [PlannedFile], in directory: RootDirectory, jobs: Int, progress: (any ProgressObserver)?
    ) throws(CapsuleError) -> [(number: Int, name: [UInt8])]
}

/// A file to write in a staging directory.
package struct PlannedFile: Sendable {
    package let number: Int
    package let name: RelativePath
    package let content: Int
    package let place: RelativePath
    package let entry: TreeEntry

    package init(number: Int, name: RelativePath, content: Int, place: RelativePath, entry: TreeEntry) {
        self.number = number
        self.name = name
        self.content = content
        self.place = place
        self.entry = entry
    }
}
