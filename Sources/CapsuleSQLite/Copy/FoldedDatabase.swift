import CapsuleFileSystem

/// A database file that holds what was in its logs too; it needs none beside it.
package struct FoldedDatabase: ~Copyable {
    private let file: ScratchFile
    /// Its length in bytes.
    package let length: UInt64

    init(_ file: ScratchFile, length: UInt64) {
        self.file = file
        self.length = length
    }

    /// Fills `buffer` as far as the file reaches; the count that was read.
    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(DatabaseError) -> Int {
        try DatabaseError.wrapping { () throws(FileSystemError) in try file.read(at: offset, into: buffer) }
    }
}

/// A copy that is open for reading, and its file, which holds all that it has.
struct FoldedReading {
    let database: Database
    let file: ScratchFile
    let length: UInt64
}
