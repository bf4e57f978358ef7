import CapsuleCore
import CapsuleSystem
import CapsuleSQLite

/// Makes a private copy of a database with its logs, all of one state.
struct UnitReader {
    private let content: any ContentProvider
    private let entries: [TreeEntry]
    /// The logs, then the database: a checkpoint moves from them into it, so what was read first never lacks what the database
    /// already has (SQLite documentation, "Write-Ahead Logging").
    private let parts: [(part: DatabaseCopy.Part, place: Int)]
    /// Names of logs that the container does not have.
    private let missing: [[UInt8]]

    /// How often a unit that changes is copied.
    private static let tries = 5
    private static let pieceLength = 1 << 20

    /// - Parameters:
    ///   - entries: what `content` gives the bytes of, in the order of the index.
    ///   - place: the database's among them.
    init(_ content: any ContentProvider, _ entries: [TreeEntry], database place: Int) {
        self.content = content
        self.entries = entries
        let database = entries[place]
        var parts: [(part: DatabaseCopy.Part, place: Int)] = []
        var missing: [[UInt8]] = []
        for (part, suffix) in [(DatabaseCopy.Part.journal, "-journal"), (.wal, "-wal")] {
            let log = (try? RelativePath(validating: database.path.bytes + Array(suffix.utf8))).flatMap {
                entries.place(of: $0, in: database.root)
            }
            if let log, entries[log].kind == .file { parts.append((part, log)) }
            if log == nil { missing.append(Array(suffix.utf8)) }
        }
        self.parts = parts + [(.database, place)]
        self.missing = missing
    }

    /// Where the database and its logs are among the entries.
    var places: [Int] { parts.map(\.place) }

    /// A copy that nothing changed while it was made.
    ///
    /// - Parameter noting: told what the logs, and then the database, were by their status.
    /// - Throws: `busy` for a unit that changes all the time.
    func copy(noting: ([ContentStatus]) -> Void = { _ in }) throws(DatabaseError) -> DatabaseCopy {
        for _ in 0..<Self.tries {
            let before = try statuses()
            var copy = try DatabaseCopy()
            for (part, place) in parts { try add(place, as: part, to: &copy) }
            let after = try statuses()
            if zip(before, after).allSatisfy({ $0.isSameState(as: $1) }), try !hasNewLog() {
                noting(before)
                return copy
            }
        }
        throw DatabaseError(.busy, "keeps changing")
    }

    /// Whether there is a log by now that the container does not have: what was read without it may be half a transaction.
    private func hasNewLog() throws(DatabaseError) -> Bool {
        guard content.isLive, !missing.isEmpty, let database = parts.last else { return false }
        let file = try Self.wrapping { () throws(CapsuleError) in try open(database.place) }
        return missing.contains { file.hasSibling(withSuffix: $0) }
    }

    private func add(_ place: Int, as part: DatabaseCopy.Part, to copy: inout DatabaseCopy) throws(DatabaseError) {
        let file = try Self.wrapping { () throws(CapsuleError) in try open(place) }
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
        try Self.wrapping { () throws(CapsuleError) in try file.compare() }
    }

    private func statuses() throws(DatabaseError) -> [ContentStatus] {
        var statuses: [ContentStatus] = []
        for (_, place) in parts {
            statuses.append(try Self.wrapping { () throws(CapsuleError) in try open(place).status() })
        }
        return statuses
    }

    private func open(_ place: Int) throws(CapsuleError) -> any OpenContent {
        try content.open(entries[place], number: place)
    }

    /// Runs `body`, whose errors say that bytes can't be read.
    private static func wrapping<Outcome>(_ body: () throws(CapsuleError) -> Outcome) throws(DatabaseError) -> Outcome {
        do throws(CapsuleError) {
            return try body()
        } catch {
            throw DatabaseError(error.code == .interrupted ? .interrupted : .unread, error.message)
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
