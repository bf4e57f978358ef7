import CapsuleCore
import CapsuleFileSystem

/// An entry as an archive has it: nothing of it has been checked but that the numbers are numbers.
struct ForeignEntry {
    enum Kind: Equatable {
        case directory, file, link
        /// Another name of the file that ``ForeignEntry/target`` names.
        case hardLink
        /// What no tree holds.
        case special(FileStatus.Kind)
    }

    var name: [UInt8]
    var kind: Kind
    var mode: FileMode
    var modified: Timestamp
    /// A file's length, holes included.
    var size: UInt64 = 0
    /// What a link or hard link leads to.
    var target: [UInt8] = []
    var attributes = ExtendedAttributes.Reading()

    /// The name for messages.
    var path: HostPath { HostPath(name) }
}

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
                throw ArchiveError(.damaged, "has bytes where the archive says there are none", path: entry.path)
            }
            try body(UInt64(block.offset), block.bytes)
            at = end
        }
    }
}
