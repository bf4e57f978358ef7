extension RandomAccessCollection where Element == TreeEntry, Index == Int {
    /// Where the entry with a path is; nil if there is none. The entries are in the order of the index.
    public func place(of path: RelativePath, in root: TreeRoot) -> Int? {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = (low + high) / 2
            let entry = self[middle]
            if entry.root != root ? entry.root < root : entry.path < path { low = middle + 1 } else { high = middle }
        }
        return low < endIndex && self[low].root == root && self[low].path == path ? low : nil
    }
}
