import CapsuleFileSystem

/// The end of a rollback journal, where one of a transaction over several databases names the file that joins them.
///
/// SQLite would look for that file by the name that stands there, any on this machine, and delete it once all is rolled back
/// (sqlite.org/atomiccommit.html, section 5). Nor could it be known whether the transaction was committed.
enum JournalTail {
    /// What the last eight bytes are then, the same as the first eight of every journal (SQLite file format, section 3).
    private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

    /// - Throws: `unsupported` for a journal that names another file.
    static func check(_ journal: ScratchFile) throws(DatabaseError) {
        let tail = try DatabaseError.wrapping { () throws(FileSystemError) -> [UInt8] in
            let length = try journal.length()
            guard length >= UInt64(magic.count) else { return [] }
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: magic.count, alignment: 1)
            defer { buffer.deallocate() }
            let count = try journal.read(at: length - UInt64(magic.count), into: buffer)
            return Array(buffer[..<count])
        }
        if tail == magic {
            throw DatabaseError(.unsupported, "its journal is part of a transaction across several databases")
        }
    }
}
