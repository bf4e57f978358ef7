package import CapsuleCore

/// The place of an entry in one of the directories that are written together.
package struct TargetPath: Hashable, Comparable, Sendable {
    /// The number of the directory. Each may be on a file system of its own.
    package let root: Int
    package let path: RelativePath

    package init(root: Int, path: RelativePath) {
        self.root = root
        self.path = path
    }

    package static func < (lhs: TargetPath, rhs: TargetPath) -> Bool {
        lhs.root != rhs.root ? lhs.root < rhs.root : lhs.path < rhs.path
    }
}
