/// The place of an entry in a tree: its root, and its path in it. It may be free.
package struct EntryPath: Hashable, Comparable, Sendable {
    package let root: TreeRoot
    /// The path; for an entry of an app group, the whole path, `AppGroups/ID/…`.
    package let path: RelativePath

    package init(root: TreeRoot, path: RelativePath) {
        self.root = root
        self.path = path
    }

    /// Compares in the order of the index: by root, then by the bytes of the path, a prefix first.
    package static func < (lhs: EntryPath, rhs: EntryPath) -> Bool {
        lhs.root != rhs.root ? lhs.root < rhs.root : lhs.path < rhs.path
    }
}

extension TreeEntry {
    package var place: EntryPath { EntryPath(root: root, path: path) }
}

extension RandomAccessCollection where Element == TreeEntry, Index == Int {
    /// Returns the index of the entry at a place, or nil if there is none. The entries must be in the order of the index.
    package func index(at place: EntryPath) -> Int? { index(of: place.path, in: place.root) }

    package func index(of path: RelativePath, in root: TreeRoot) -> Int? {
        let index = firstIndex(notBefore: path, in: root)
        return index < endIndex && self[index].root == root && self[index].path == path ? index : nil
    }

    package func firstIndex(notBefore path: RelativePath, in root: TreeRoot) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = (low + high) / 2
            let isBefore = self[middle].root != root ? self[middle].root < root : self[middle].path < path
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
