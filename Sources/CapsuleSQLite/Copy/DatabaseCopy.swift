package import CapsuleCore
import CapsuleSystem

/// A private copy of a database and its logs that is being assembled.
///
/// The copy is in a directory of its own that only this user can access. When the copy is opened, its files lose their names. When
/// it is dropped, they are deleted.
package struct DatabaseCopy: ~Copyable {
    /// One of the files of a database.
    package enum Part: Hashable, Sendable, CaseIterable {
        /// The database file itself.
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

    /// Creates an empty copy, which is an empty database.
    ///
    /// - Parameter directory: where the copy's directory is created; `$TMPDIR` if nil, or else `/tmp`.
    package init(in directory: HostPath? = nil) throws(DatabaseError) {
        let made = try DatabaseError.wrapping { () throws(FileSystemError) in
            let directory = try ScratchDirectory(in: directory)
            return (directory, try directory.createFile(Self.name))
        }
        self.directory = made.0
        database = made.1
        // Not initialized at its declaration: Swift 6.2 would destroy it twice if this throws.
        logs = [:]
    }

    /// Writes bytes to a part, which is created if it doesn't exist yet.
    package mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, to part: Part) throws(DatabaseError) {
        let file = try file(part)
        try DatabaseError.wrapping { () throws(FileSystemError) in try file.write(bytes, at: offset) }
    }

    /// Sets the length of a part. It is padded with zeros, and created if it doesn't exist yet.
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

    /// Opens the copy for reading. SQLite recovers the logs in the copy as it would have done in the app.
    ///
    /// - Parameter limits: the limits for the recovery and for reading the schema.
    /// - Throws: `damaged`, also for a write-ahead log from which SQLite would drop committed content.
    package consuming func open(limits: WorkLimits = WorkLimits()) throws(DatabaseError) -> Database {
        let connection = try connect(limits)
        try connection.run("PRAGMA query_only=ON")
        // One transaction for as long as the copy is open: SQLite never looks for a journal or log by name again.
        try connection.run("BEGIN")
        _ = try connection.integer("SELECT count(*) FROM sqlite_master")
        directory.remove()
        return try Database(connection)
    }

    /// Moves the content of the logs into the database file and returns that file.
    ///
    /// - Throws: `damaged`, also for a database whose pages are inconsistent. The check comes before the checkpoint, which would
    ///   hide the damage.
    package consuming func checkpoint(limits: WorkLimits = WorkLimits()) throws(DatabaseError) -> CheckpointedDatabase {
        var bound = try Self.length(of: database)
        for file in logs.values { bound += try Self.length(of: file) }
        do {
            let connection = try connect(limits)
            try connection.checkPages()
            try connection.checkpoint()
        }
        directory.remove()
        let length = try Self.length(of: database)
        // A log can claim any length for the database, but it must contain the pages that it adds.
        guard length <= bound else { throw DatabaseError(.damaged, "its log makes it larger than both files together") }
        return CheckpointedDatabase(database, length: length)
    }

    /// Opens the copy for reading after checking its pages and moving the content of its logs into the database file.
    ///
    /// - Throws: `damaged` in the same cases as ``checkpoint(limits:)``.
    consuming func openCheckpointed(limits: WorkLimits) throws(DatabaseError) -> OpenCheckpointedDatabase {
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
        return OpenCheckpointedDatabase(database: try Database(connection), file: database, length: length)
    }

    private func connect(_ limits: WorkLimits) throws(DatabaseError) -> Connection {
        let budget = WorkBudget(limits)
        if let journal = logs[.journal] { try JournalTail.check(journal) }
        if let log = logs[.wal] { try WALFrames.check(log, budget) }
        let connection = try Connection(directory.path.appending(Self.name).bytes, budget: budget)
        try connection.makePrivate()
        // Reading the first page starts the recovery.
        _ = try connection.integer("PRAGMA schema_version")
        return connection
    }

    private static func length(of file: ScratchFile) throws(DatabaseError) -> UInt64 {
        try DatabaseError.wrapping { () throws(FileSystemError) in try file.length() }
    }
}

/// A database file that includes the content of its logs, and needs no files beside it.
package struct CheckpointedDatabase: ~Copyable {
    private let file: ScratchFile
    /// The length of the file in bytes.
    package let length: UInt64

    init(_ file: ScratchFile, length: UInt64) {
        self.file = file
        self.length = length
    }

    /// Reads bytes into `buffer` up to the end of the file. Returns the number of bytes read.
    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(DatabaseError) -> Int {
        try DatabaseError.wrapping { () throws(FileSystemError) in try file.read(at: offset, into: buffer) }
    }
}

/// A copy that is open for reading, with its file, which holds the entire content.
struct OpenCheckpointedDatabase {
    let database: Database
    let file: ScratchFile
    let length: UInt64
}

extension Connection {
    /// Applies the settings for a file that no one else uses.
    func makePrivate() throws(DatabaseError) {
        // Exclusive, so that the log's index is in memory and not in a file beside it. Temporary tables use files, which have no
        // names either, so that sorting large data doesn't fill the memory.
        for setting in ["locking_mode=EXCLUSIVE", "mmap_size=0", "cell_size_check=ON", "temp_store=FILE", "foreign_keys=OFF"] {
            try run("PRAGMA \(setting)")
        }
    }

    /// Checks that the pages of tables and indexes are consistent.
    func checkPages() throws(DatabaseError) {
        try run("PRAGMA ignore_check_constraints=ON")
        let statement = try prepare("PRAGMA quick_check(1)")
        guard try statement.step(), let finding = statement.string(0) else {
            throw DatabaseError(.damaged, "can't check its pages")
        }
        let text = String(decoding: finding.prefix(500), as: UTF8.self)
        if text == "ok" { return }
        // The first line can be a heading with the database's name.
        let line = text.split(separator: "\n").first { !$0.hasPrefix("***") } ?? "its pages contradict each other"
        throw DatabaseError(.damaged, line.asMessage)
    }

    /// Writes the pages of the log into the database file and truncates the log. Does nothing without a log.
    func checkpoint() throws(DatabaseError) {
        let statement = try prepare("PRAGMA wal_checkpoint(TRUNCATE)")
        guard try statement.step(), statement.integer(0) == 0 else {
            throw DatabaseError(.busy, "can't write its WAL into it")
        }
    }
}
