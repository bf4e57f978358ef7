import CapsuleCore
import CapsuleFileSystem
import CapsuleSQLite

/// Makes a private copy of a database with its logs, all of one state.
struct UnitReader {
    private let side: ComparedSide
    /// The logs, then the database: a checkpoint moves from them into it, so what was read first never lacks what the database
    /// already has (SQLite documentation, "Write-Ahead Logging").
    private let parts: [(part: DatabaseCopy.Part, place: Int)]

    /// How often a unit that changes is copied.
    private static let tries = 5
    private static let pieceLength = 1 << 20

    init(_ side: ComparedSide, _ place: Int) throws(CapsuleError) {
        self.side = side
        let database = side.tree.entries[place]
        var parts: [(part: DatabaseCopy.Part, place: Int)] = []
        for (part, suffix) in [(DatabaseCopy.Part.journal, "-journal"), (.wal, "-wal")] {
            if let log = side.file(at: database.path.bytes + Array(suffix.utf8), in: database.root) { parts.append((part, log)) }
        }
        self.parts = parts + [(.database, place)]
        if let failure = self.parts.lazy.compactMap({ side.failures[$0.place] }).first { throw failure }
    }

    /// A copy that nothing changed while it was made.
    func copy() throws(DatabaseError) -> DatabaseCopy {
        var tries = 0
        while true {
            tries += 1
            let before = try statuses()
            var copy = try DatabaseCopy()
            for (part, place) in parts { try add(place, as: part, to: &copy) }
            let after = try statuses()
            if zip(before, after).allSatisfy({ $0.isSameState(as: $1) }) { return copy }
            guard tries < Self.tries else {
                throw DatabaseError(.busy, "changes all the time")
            }
        }
    }

    private func add(_ place: Int, as part: DatabaseCopy.Part, to copy: inout DatabaseCopy) throws(DatabaseError) {
        let file = try Self.wrapping { () throws(CapsuleError) in try side.open(place) }
        let size = try Self.wrapping { () throws(CapsuleError) in try file.status().size }
        try copy.setLength(size, of: part)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 64)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while offset < size {
            let start = offset
            let count = try Self.wrapping { () throws(CapsuleError) in
                try CapsuleError.checkInterruption()
                let data = min(size, file.nextData(from: start))
                if data > start { return Int(clamping: data - start) }
                let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(UInt64(buffer.count), size - start))])
                return -(try file.read(at: start, into: room))
            }
            if count == 0 { break }
            // A hole is there by the length that was set.
            if count < 0 { try copy.write(UnsafeRawBufferPointer(rebasing: buffer[..<(-count)]), at: offset, to: part) }
            offset += UInt64(count.magnitude)
        }
    }

    private func statuses() throws(DatabaseError) -> [ContentStatus] {
        var statuses: [ContentStatus] = []
        for (_, place) in parts {
            statuses.append(try Self.wrapping { () throws(CapsuleError) in try side.open(place).status() })
        }
        return statuses
    }

    /// Runs `body`, whose errors are those of a database that can't be read.
    private static func wrapping<Outcome>(_ body: () throws(CapsuleError) -> Outcome) throws(DatabaseError) -> Outcome {
        do throws(CapsuleError) {
            return try body()
        } catch {
            throw DatabaseError(error.code == .interrupted ? .interrupted : .damaged, error.message)
        }
    }
}

extension CapsuleError {
    /// A database's failure that is none of its content.
    init(_ error: DatabaseError) {
        if let underlying = error.underlying {
            self.init(underlying)
        } else if error.code == .interrupted {
            self.init(.interrupted, error.message)
        } else {
            self.init(error.message)
        }
    }
}
