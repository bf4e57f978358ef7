import CapsuleCore
import CapsuleFileSystem

/// The result of a merge while it is made: a copy of ours, open for writing in one transaction.
///
/// Triggers do not run: each side's have, and their changes are merged as any. Nor do the actions of foreign keys.
final class MergeWriter {
    let connection: Connection
    private let directory: ScratchDirectory
    private let file: ScratchFile

    private static let pieceLength = 1 << 20
    private static let name = Array("database".utf8)

    /// Copies a database, all of which is in its file.
    init(_ ours: FoldedReading, in directory: HostPath?, limits: WorkLimits) throws(DatabaseError) {
        let made = try DatabaseError.wrapping { () throws(FileSystemError) in
            let scratch = try ScratchDirectory(in: directory)
            let file = try scratch.createFile(Self.name)
            try Self.copy(ours, to: file)
            return (scratch, file)
        }
        self.directory = made.0
        file = made.1
        connection = try Connection(
            made.0.path.appending(Self.name).bytes, budget: WorkBudget(limits), writesRows: true)
        try connection.makePrivate()
        // If this ends too early there is no result.
        try connection.run("PRAGMA synchronous=OFF")
        try connection.run("BEGIN IMMEDIATE")
    }

    private static func copy(_ ours: FoldedReading, to file: ScratchFile) throws(FileSystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceLength, alignment: 64)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while offset < ours.length {
            try Interruption.check()
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(UInt64(buffer.count), ours.length - offset))])
            let count = try ours.file.read(at: offset, into: room)
            if count == 0 { break }
            try file.write(UnsafeRawBufferPointer(rebasing: room[..<count]), at: offset)
            offset += UInt64(count)
        }
        try file.setLength(ours.length)
    }

    /// Looks whether the result is whole: its pages, its indexes and constraints. All statements must be gone.
    func commit() throws(MergeStop) {
        try MergeStop.writing { () throws(DatabaseError) in
            try connection.run("COMMIT")
            let statement = try connection.prepare("PRAGMA integrity_check(1)")
            guard try statement.step(), let finding = statement.string(0) else {
                throw DatabaseError(.damaged, "can't check the merged database")
            }
            let text = String(decoding: finding.prefix(500), as: UTF8.self)
            if text == "ok" { return }
            // A heading that names the database comes first.
            let line = text.split(separator: "\n").first { !$0.hasPrefix("***") } ?? "its pages contradict each other"
            throw DatabaseError(.damaged, "the merged database is damaged: \(line)")
        }
    }

    /// The file, with nothing beside it.
    func finish() throws(DatabaseError) -> FoldedDatabase {
        try connection.checkpoint()
        directory.remove()
        let length = try DatabaseError.wrapping { () throws(FileSystemError) in try file.length() }
        return FoldedDatabase(file, length: length)
    }
}
