package import CapsuleCore
package import CapsuleSystem

/// A private copy of a database and its logs that is being assembled.
///
/// The copy is in a directory of its own that only this user can access. When the copy is opened, its files lose their names. When
/// it is dropped, they are deleted.
package struct DatabaseCopy: ~Copyable {
    package enum Part: Hashable, Sendable, CaseIterable {
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
    package init(in directory: HostPath? = nil) throws(CapsuleError) {
        let made = try ScratchDirectory(in: directory)
        let file = try made.createFile(Self.name)
        self.directory = made
        database = file
        // Not initialized at its declaration: Swift 6.2 would destroy it twice if this throws.
        logs = [:]
    }

    package mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, to part: Part) throws(CapsuleError) {
        let file = try file(part)
        try file.write(bytes, at: offset)
    }

    /// Sets the length of a part. It is padded with zeros, and created if it doesn't exist yet.
    package mutating func setLength(_ length: UInt64, of part: Part) throws(CapsuleError) {
        let file = try file(part)
        try file.setLength(length)
    }

    private mutating func file(_ part: Part) throws(CapsuleError) -> ScratchFile {
        if part == .database { return database }
        if let file = logs[part] { return file }
        let directory = directory
        let file = try directory.createFile(Self.name + part.suffix)
        logs[part] = file
        return file
    }

    /// Opens the copy for reading. SQLite recovers the logs in the copy as it would have done in the app.
    ///
    /// - Throws: `damaged`, also for a write-ahead log from which SQLite would drop committed content.
    package consuming func open(limits: WorkLimits = WorkLimits()) throws(CapsuleError) -> Database {
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
    package consuming func checkpoint(limits: WorkLimits = WorkLimits()) throws(CapsuleError) -> CheckpointedDatabase {
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
        guard length <= bound else { throw CapsuleError(.damaged, "its log makes it larger than both files together") }
        return CheckpointedDatabase(database, length: length)
    }

    /// Opens the copy for reading after checking its pages and moving the content of its logs into the database file.
    ///
    /// - Throws: `damaged` in the same cases as ``checkpoint(limits:)``.
    package consuming func openCheckpointed(limits: WorkLimits) throws(CapsuleError) -> OpenCheckpointedDatabase {
        var bound = try Self.length(of: database)
        for file in logs.values { bound += try Self.length(of: file) }
        let connection = try connect(limits)
        try connection.checkPages()
        try connection.checkpoint()
        let length = try Self.length(of: database)
        guard length <= bound else { throw CapsuleError(.damaged, "its log makes it larger than both files together") }
        try connection.run("PRAGMA query_only=ON")
        try connection.run("BEGIN")
        _ = try connection.integer("SELECT count(*) FROM sqlite_master")
        directory.remove()
        return OpenCheckpointedDatabase(database: try Database(connection), file: database, length: length)
    }

    /// Moves the content of the logs into the database, changes it, and writes all that it has now to a new file. So the new file has no
    /// free page and no deleted row.
    ///
    /// - Throws: `damaged` in the same cases as ``checkpoint(limits:)``.
    package consuming func rewrite(
        limits: WorkLimits, _ change: (Connection, DatabaseSchema) throws(CapsuleError) -> Void
    ) throws(CapsuleError) -> CheckpointedDatabase {
        let result = try directory.createFile(Self.rewritten)
        do {
            let connection = try connect(limits, rewrites: true)
            try connection.checkPages()
            try connection.checkpoint()
            try connection.prepareForRewriting()
            try change(connection, try DatabaseSchema(connection))
            let path = directory.path.appending(Self.rewritten).bytes.flatMap { $0 == UInt8(ascii: "'") ? [$0, $0] : [$0] }
            try connection.prepare(Array("VACUUM INTO '".utf8) + path + [UInt8(ascii: "'")]).execute()
        }
        directory.remove()
        return CheckpointedDatabase(result, length: try result.length())
    }

    private static let rewritten = Array("rewritten".utf8)

    private func connect(_ limits: WorkLimits, rewrites: Bool = false) throws(CapsuleError) -> Connection {
        let budget = WorkBudget(limits)
        if let journal = logs[.journal] { try JournalTail.check(journal) }
        if let log = logs[.wal] { try WALFrames.check(log, budget) }
        let connection = try Connection(
            directory.path.appending(Self.name).bytes, budget: budget, writesRows: rewrites, rebuildsIndexes: rewrites)
        try connection.makePrivate()
        // Reading the first page starts the recovery.
        _ = try connection.integer("PRAGMA schema_version")
        return connection
    }

    private static func length(of file: ScratchFile) throws(CapsuleError) -> UInt64 {
        try file.length()
    }
}

/// A database file that includes the content of its logs, and needs no files beside it.
package struct CheckpointedDatabase: ~Copyable {
    private let file: ScratchFile
    package let length: UInt64

    package init(_ file: ScratchFile, length: UInt64) {
        self.file = file
        self.length = length
    }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        try file.read(at: offset, into: buffer)
    }
}

/// A copy that is open for reading, with its file, which holds the entire content.
package struct OpenCheckpointedDatabase {
    package let database: Database
    package let file: ScratchFile
    package let length: UInt64
}

extension Connection {
    /// Applies the settings for a file that no one else uses.
    package func makePrivate() throws(CapsuleError) {
        // Exclusive, so that the log's index is in memory and not in a file beside it. Temporary tables use files, which have no
        // names either, so that sorting large data doesn't fill the memory.
        for setting in ["locking_mode=EXCLUSIVE", "mmap_size=0", "cell_size_check=ON", "temp_store=FILE", "foreign_keys=OFF"] {
            try run("PRAGMA \(setting)")
        }
    }

    func checkPages() throws(CapsuleError) {
        try run("PRAGMA ignore_check_constraints=ON")
        let statement = try prepare("PRAGMA quick_check(1)")
        guard try statement.step(), let finding = statement.string(0) else {
            throw CapsuleError(.damaged, "can't check its pages")
        }
        let text = String(decoding: finding.prefix(500), as: UTF8.self)
        if text == "ok" { return }
        // The first line can be a heading with the database's name.
        let line = text.split(separator: "\n").first { !$0.hasPrefix("***") } ?? "its pages contradict each other"
        throw CapsuleError(.damaged, line.asMessage)
    }

    /// Writes the pages of the log into the database file and truncates the log. Does nothing without a log.
    package func checkpoint() throws(CapsuleError) {
        let statement = try prepare("PRAGMA wal_checkpoint(TRUNCATE)")
        guard try statement.step(), statement.integer(0) == 0 else {
            throw CapsuleError(.busy, "can't write its WAL into it")
        }
    }
}

/// Checks the frames of a write-ahead log to distinguish its normal end from damage (SQLite file format, section 4).
///
/// SQLite reads a log up to the first invalid frame and treats that as the end. A flipped bit therefore silently discards what was
/// committed in that frame and after it. A log that ends normally has no commit after its end: the remains of a transaction that
/// was rolled back have none, frames from before a checkpoint have other salts, and an interrupted write leaves an incomplete
/// frame.
///
/// A power failure may lose single frames in the middle of commits that were not synced. The log doesn't show the cause, so that
/// counts as damage too.
struct WALFrames {
    private static let headerLength = 32
    private static let frameHeaderLength = 24
    private static let pieceLength = 1 << 20

    private let pageLength: Int
    private let swapsWords: Bool
    private let salts: UInt64
    private var sum: Sum

    /// The running checksum, which consists of two words.
    private struct Sum: Equatable {
        var first: UInt32 = 0
        var second: UInt32 = 0

        /// Adds bytes, whose count must be a multiple of eight.
        mutating func add(_ bytes: UnsafeRawBufferPointer, swapped: Bool) {
            var (first, second) = (first, second)
            var at = 0
            while at < bytes.count {
                let one = bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)
                let two = bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
                first = first &+ (swapped ? one.byteSwapped : one) &+ second
                second = second &+ (swapped ? two.byteSwapped : two) &+ first
                at += 8
            }
            (self.first, self.second) = (first, second)
        }
    }

    /// Parses a header. Returns nil for one that SQLite would not have written.
    private init?(_ header: UnsafeRawBufferPointer) {
        guard header.count == Self.headerLength else { return nil }
        let magic = Self.word(header, 0)
        let pageLength = Self.word(header, 8)
        guard magic & ~1 == 0x377F_0682, (512...65536).contains(pageLength), pageLength.nonzeroBitCount == 1 else { return nil }
        // The checksum's words are in the byte order of the machine that created the log, which is given by the magic number's last
        // bit.
        swapsWords = (magic & 1 == 1) != (UInt32(bigEndian: 1) == 1)
        self.pageLength = Int(pageLength)
        salts = header.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        sum = Sum()
        sum.add(UnsafeRawBufferPointer(rebasing: header[..<24]), swapped: swapsWords)
        guard sum == Self.sum(header, 24) else { return nil }
    }

    private var frameLength: Int { Self.frameHeaderLength + pageLength }

    /// - Throws: `damaged` for an invalid header, and for an invalid frame if that frame or a later one is a commit.
    static func check(_ log: ScratchFile, _ budget: WorkBudget) throws(CapsuleError) {
        let length = try log.length()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceLength, alignment: 64)
        defer { buffer.deallocate() }
        let header = try read(log, at: 0, upTo: min(length, UInt64(headerLength)), into: buffer)
        if header.allSatisfy({ $0 == 0 }) {
            // The log was never written, unless frames follow.
            try checkZeros(of: log, length, buffer, budget)
        } else if var frames = WALFrames(header) {
            try frames.checkFrames(of: log, length, buffer, budget)
        } else {
            throw CapsuleError(.damaged, "the header of its WAL is damaged")
        }
    }

    private static func checkZeros(
        of log: ScratchFile, _ length: UInt64, _ buffer: UnsafeMutableRawBufferPointer, _ budget: WorkBudget
    ) throws(CapsuleError) {
        var offset = log.nextData(from: 0)
        while offset < length {
            try budget.demand()
            let bytes = try read(log, at: offset, upTo: length - offset, into: buffer)
            guard bytes.allSatisfy({ $0 == 0 }) else {
                throw CapsuleError(.damaged, "the header of its WAL is damaged")
            }
            offset = log.nextData(from: offset + UInt64(bytes.count))
        }
    }

    private mutating func checkFrames(
        of log: ScratchFile, _ length: UInt64, _ buffer: UnsafeMutableRawBufferPointer, _ budget: WorkBudget
    ) throws(CapsuleError) {
        let start = UInt64(Self.headerLength)
        let frameLength = frameLength
        let count = length < start ? 0 : (length - start) / UInt64(frameLength)
        var number: UInt64 = 0
        var wrong: UInt64?
        while number < count {
            try budget.demand()
            var offset = start + number * UInt64(frameLength)
            if wrong != nil {
                // Skip holes, which may be terabytes long and contain no commits.
                number = min(count, (log.nextData(from: offset) - start) / UInt64(frameLength))
                offset = start + number * UInt64(frameLength)
            }
            let wanted = min(count - number, UInt64(buffer.count / frameLength))
            let piece = try Self.read(log, at: offset, upTo: wanted * UInt64(frameLength), into: buffer)
            for at in stride(from: 0, to: piece.count, by: frameLength) {
                let frame = UnsafeRawBufferPointer(rebasing: piece[at..<at + frameLength])
                if wrong == nil, takes(frame) { continue }
                let first = wrong ?? number + UInt64(at / frameLength) + 1
                wrong = first
                guard !isCommit(frame) else {
                    throw CapsuleError(.damaged, "its WAL is damaged in frame \(first), and a commit follows")
                }
            }
            number += wanted
        }
    }

    /// Adds a frame to the checksum if its salts and its checksum show that it is the next valid one. Returns false otherwise.
    private mutating func takes(_ frame: UnsafeRawBufferPointer) -> Bool {
        guard Self.word(frame, 0) != 0, hasSalts(frame) else { return false }
        var next = sum
        next.add(UnsafeRawBufferPointer(rebasing: frame[..<8]), swapped: swapsWords)
        next.add(UnsafeRawBufferPointer(rebasing: frame[Self.frameHeaderLength...]), swapped: swapsWords)
        guard next == Self.sum(frame, 16) else { return false }
        sum = next
        return true
    }

    private func isCommit(_ frame: UnsafeRawBufferPointer) -> Bool { Self.word(frame, 4) != 0 && hasSalts(frame) }

    private func hasSalts(_ frame: UnsafeRawBufferPointer) -> Bool {
        frame.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == salts
    }

    /// Reads a word of the file. All words are big-endian, whatever order the checksums are computed in.
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    private static func sum(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Sum {
        Sum(first: word(bytes, offset), second: word(bytes, offset + 4))
    }

    private static func read(
        _ log: ScratchFile, at offset: UInt64, upTo count: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(CapsuleError) -> UnsafeRawBufferPointer {
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(UInt64(buffer.count), count))])
        let read = try log.read(at: offset, into: room)
        // The copy is private: no one else truncates it.
        guard read == room.count else { throw CapsuleError(.damaged, "the private copy was truncated") }
        return UnsafeRawBufferPointer(room)
    }
}

/// The end of a rollback journal, where the journal of a transaction across several databases names its super-journal.
///
/// SQLite would look for that file by the stored name, which can be any file on this machine, and delete it after the rollback
/// (sqlite.org/atomiccommit.html, section 5). It would also be unknown whether the transaction was committed.
enum JournalTail {
    /// The last eight bytes of such a journal, the same as the first eight of every journal (SQLite file format, section 3).
    private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

    /// Checks that a journal doesn't name another file.
    static func check(_ journal: ScratchFile) throws(CapsuleError) {
        let length = try journal.length()
        guard length >= UInt64(magic.count) else { return }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: magic.count, alignment: 1)
        defer { buffer.deallocate() }
        let count = try journal.read(at: length - UInt64(magic.count), into: buffer)
        if buffer[..<count].elementsEqual(magic) {
            throw CapsuleError(.unsupported, "its journal is part of a transaction across several databases")
        }
    }
}
