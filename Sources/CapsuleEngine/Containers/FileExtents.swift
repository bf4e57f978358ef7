import CapsuleArchive

/// The extents of one file, in order.
struct FileExtents: RandomAccessCollection, Sendable {
    let table: ExtentTable
    let startIndex: Int
    let endIndex: Int

    subscript(index: Int) -> PlacedExtent { table.placed(index, start: startIndex) }

    /// The extents from the one on that holds `offset`.
    func from(_ offset: UInt64) -> Slice<FileExtents> {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = (low + high) / 2
            if table.end(middle) <= offset { low = middle + 1 } else { high = middle }
        }
        return self[low...]
    }
}
