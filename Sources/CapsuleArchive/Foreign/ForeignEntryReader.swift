import CapsuleCore
import CapsuleFileSystem

/// Goes through an archive's entries in order.
protocol ForeignEntryReader: AnyObject {
    /// The next entry; nil at the archive's end.
    func next() throws(ArchiveError) -> ForeignEntry?
    /// Hands out the bytes of the entry that came last, piece by piece with their offsets; between pieces are holes.
    func readContent(
        of entry: ForeignEntry, _ body: (_ offset: UInt64, _ bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError)
    /// Checks what follows the last entry.
    func finish() throws(ArchiveError)
}

extension ForeignEntryReader {
    /// Hands out an entry's bytes, none of them twice and none behind its end.
    func forEachBlock(
        of entry: ForeignEntry, _ reader: LibarchiveReader,
        _ body: (_ offset: UInt64, _ bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        var at: UInt64 = 0
        while let block = try reader.nextBlock(of: entry.path) {
            if block.bytes.isEmpty { continue }
            let (end, overflow) = UInt64(bitPattern: block.offset).addingReportingOverflow(UInt64(block.bytes.count))
            guard block.offset >= 0, !overflow, UInt64(block.offset) >= at, end <= entry.size else {
                throw ArchiveError(.damaged, "has data where the archive declares a hole", path: entry.path)
            }
            try body(UInt64(block.offset), block.bytes)
            at = end
        }
    }
}
