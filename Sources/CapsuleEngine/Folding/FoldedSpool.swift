import CapsuleCore
import CapsuleFileSystem
import CapsuleHashing
import CapsuleSQLite

/// The private file in which databases lie that were folded: one for all of a container, however many they are.
final class FoldedSpool: Sendable {
    private let file: SpoolFile
    private let monitor = Monitor()
    nonisolated(unsafe) private var end: UInt64 = 0

    private static let pieceLength = 1 << 20

    init() throws(CapsuleError) {
        file = try CapsuleError.wrapping { () throws(FileSystemError) in try SpoolFile() }
    }

    /// Takes in a database; any thread may.
    ///
    /// - Returns: where it lies, and its digest.
    func add(_ database: consuming FoldedDatabase) throws(DatabaseError) -> (start: UInt64, digest: ContentDigest) {
        let length = database.length
        let start = monitor.locked {
            defer { end += length }
            return end
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 64)
        defer { buffer.deallocate() }
        var hasher = SHA256Hasher()
        var offset: UInt64 = 0
        while offset < length {
            try DatabaseError.wrapping { () throws(FileSystemError) in try Interruption.check() }
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(UInt64(buffer.count), length - offset))])
            guard try database.read(at: offset, into: room) == room.count else {
                throw DatabaseError(.damaged, "the private copy is shorter than it was")
            }
            hasher.update(UnsafeRawBufferPointer(room))
            let place = start + offset
            try DatabaseError.wrapping { () throws(FileSystemError) in
                try file.write(UnsafeRawBufferPointer(room), at: place)
            }
            offset += UInt64(room.count)
        }
        return (start, hasher.finish())
    }

    /// Fills `buffer`, which must lie within what was written; the count that was read.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        try CapsuleError.wrapping { () throws(FileSystemError) in try file.read(at: offset, into: buffer) }
    }
}
