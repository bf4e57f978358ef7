package import CapsuleCore
import CapsuleSystem

/// A private copy of a database and its logs, being put together.
///
/// It stands in a directory of its own that only this user can look into. Opened, its files lose their names; dropped, they go.
package struct DatabaseCopy: ~Copyable {
    /// One of the files that are one database.
    package enum Part: Hashable, Sendable, CaseIterable {
        /// The file itself.
        case database
        /// The write-ahead log, `-wal`.
        case wal
        /// The rollback journal, `-journal`.
        case journal

        var suffix: [UInt8] {
            switch self {
            case .database: []
            case .wal: Array("-wal".utf8)
            case .journal: Array("-journal".utf8)
            }
        }
    }

    private static let name = Array("database".utf8)

    private let directory: ScratchDirectory
    private let database: ScratchFile
    private var logs: [Part: ScratchFile]

    /// An empty copy, which is an empty database.
    ///
    /// - Parameter directory: where its directory is made; `$TMPDIR`, else `/tmp`.
    package init(in directory: HostPath? = nil) throws(DatabaseError) {
        let made = try DatabaseError.wrapping { () throws(FileSystemError) in
            let directory = try ScratchDirectory(in: directory)
            return (directory, try directory.createFile(Self.name))
        }
        self.directory = made.0
        database = made.1
        // Not where it is declared: Swift 6.2 would destroy it twice when this throws.
        logs = [:]
    }

    /// Puts bytes into a part, which is made if it is not there yet.
    package mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, to part: Part) throws(DatabaseError) {
        let file = try file(part)
        try DatabaseError.wrapping { () throws(FileSystemError) in try file.write(bytes, at: offset) }
    }

    /// Sets a part's length: what is missing is zeros. The part is made if it is not there yet.
    package mutating func setLength(_ length: UInt64, of part: Part) throws(DatabaseError) {
        let file = try file(part)
        try DatabaseError.wrapping { () throws(FileSystemError) in try file.setLength(length) }
    }

    private mutating func file(_ part: Part) throws(DatabaseError) -> ScratchFile {
        if part == .database { return database }
        if let file = logs[part] { return file }
        let directory = directory
        let file = try DatabaseError.wrapping { () throws(FileSystemError) in try directory.createFile(Self.name + part.suffix) }
        logs[part] = file
        return file
    }

    /// Opens the copy for reading: its logs are recovered in it, as SQLite would have done in the app.
    ///
    /// - Parameter limits: for the recovery, and for reading the schema.
    /// - Throws: `damaged` also for a write-ahead log of which SQLite would leave out what was committed.
    package consuming func open(limits: WorkLimits = WorkLimits()) throws(DatabaseError) -> Database {
        let connection = try connect(limits)
        try connection.run("PRAGMA query_only=ON")
        // One transaction as long as it is open: no journal or log is looked for by its name again.
        try connection.run("BEGIN")
        _ = try connection.integer("SELECT count(*) FROM sqlite_master")
        directory.remove()
        return try Database(connection)
    }

    /// Moves what is in the logs into the database file, and says what that holds then.
    ///
    /// - Throws: `damaged` also for a database whose pages contradict each other after it, which hides the same before it.
    package consuming func fold(limits: WorkLimits = WorkLimits()) throws(DatabaseError) -> FoldedDatabase {
        var bound = try Self.length(of: database)
        for file in logs.values { bound += try Self.length(of: file) }
        do {
            let connection = try connect(limits)
            try connection.checkPages()
            try connection.checkpoint()
        }
        directory.remove()
        let length = try Self.length(of: database)
        // A log can claim any length for the database; what it brings, it has to hold.
        guard length <= bound else { throw DatabaseError(.damaged, "its log makes it larger than both files together") }
        return FoldedDatabase(database, length: length)
    }

    /// Opens the copy for reading, its pages checked and all that is in its logs moved into the file itself.
    ///
    /// - Throws: `damaged` as ``fold(limits:)``.
    consuming func openFolded(limits: WorkLimits) throws(DatabaseError) -> FoldedReading {
        var bound = try Self.length(of: database)
        for file in logs.values { bound += try Self.length(of: file) }
        let connection = try connect(limits)
        try connection.checkPages()
        try connection.checkpoint()
        let length = try Self.length(of: database)
        guard length <= bound else { throw DatabaseError(.damaged, "its log makes it larger than both files together") }
        try connection.run("PRAGMA query_only=ON")
        try connection.run("BEGIN")
        _ = try connection.integer("SELECT count(*) FROM sqlite_master")
        directory.remove()
        return FoldedReading(database: try Database(connection), file: database, length: length)
    }

    private func connect(_ limits: WorkLimits) throws(DatabaseError) -> Connection {
        let budget = WorkBudget(limits)
        if let journal = logs[.journal] { try JournalTail.check(journal) }
        if let log = logs[.wal] { try LogFrames.check(log, budget) }
        let connection = try Connection(directory.path.appending(Self.name).bytes, budget: budget)
        try connection.makePrivate()
        // The first page that is read brings the recovery.
        _ = try connection.integer("PRAGMA schema_version")
        return connection
    }

    private static func length(of file: ScratchFile) throws(DatabaseError) -> UInt64 {
        try DatabaseError.wrapping { () throws(FileSystemError) in try file.length() }
    }
}

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

extension Connection {
    /// Sets what is right for a file that nobody else has.
    func makePrivate() throws(DatabaseError) {
        // Exclusive, so that the log's index is in memory and not in a file beside it. Temporary files have no names either,
        // and sorting what is large must not fill the memory.
        for setting in ["locking_mode=EXCLUSIVE", "mmap_size=0", "cell_size_check=ON", "temp_store=FILE", "foreign_keys=OFF"] {
            try run("PRAGMA \(setting)")
        }
    }

    /// Looks whether the pages that tables and indexes are made of agree.
    func checkPages() throws(DatabaseError) {
        try run("PRAGMA ignore_check_constraints=ON")
        let statement = try prepare("PRAGMA quick_check(1)")
        guard try statement.step(), let finding = statement.string(0) else {
            throw DatabaseError(.damaged, "can't check its pages")
        }
        let text = String(decoding: finding.prefix(500), as: UTF8.self)
        if text == "ok" { return }
        // A heading that names the database comes first.
        let line = text.split(separator: "\n").first { !$0.hasPrefix("***") } ?? "its pages contradict each other"
        throw DatabaseError(.damaged, line.asMessage)
    }

    /// Writes the log's pages into the database file and empties the log; nothing to do without one.
    func checkpoint() throws(DatabaseError) {
        let statement = try prepare("PRAGMA wal_checkpoint(TRUNCATE)")
        guard try statement.step(), statement.integer(0) == 0 else {
            throw DatabaseError(.busy, "can't write its WAL into it")
        }
    }
}
