extension RandomAccessCollection where Element == TreeEntry, Index == Int {
    /// Where the entry with a path is; nil if there is none. The entries are in the order of the index.
    public func place(of path: RelativePath, in root: TreeRoot) -> Int? {
        let place = firstPlace(notBefore: path, in: root)
        return place < endIndex && self[place].root == root && self[place].path == path ? place : nil
    }

    /// Where the first entry is that does not come before a path; the end if all do.
    package func firstPlace(notBefore path: RelativePath, in root: TreeRoot) -> Int {
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
