import CapsuleCore
import CapsuleDatabases
import CapsuleSQLite
import TestSupport
import Testing

@Suite("damaged databases and logs")
struct DamageTests {
    /// Small pages, so that a few rows need a tree. No page is free, and each is needed.
    private static let sql = """
        PRAGMA page_size=512; CREATE TABLE a(id INTEGER PRIMARY KEY, v); CREATE TABLE b(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
        CREATE TABLE c(x, y);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
        INSERT INTO a SELECT i, 'value ' || (i * 7919) FROM n;
        INSERT INTO b SELECT 'key ' || id, v FROM a; INSERT INTO c SELECT v, zeroblob(id * 20) FROM a;
        """
    private static let limits = WorkLimits(time: .seconds(60), steps: 2_000_000)

    private static func made() throws -> (bytes: [UInt8], directory: TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        _ = try LiveDatabase(directory["a"], sql)
        return (try Files.read(directory["a"]), directory)
    }

    /// Returns the difference; nil for a database that could not be opened.
    private static func compare(
        _ old: [UInt8], _ new: [UInt8], wal: [UInt8]? = nil, journal: [UInt8]? = nil
    ) throws -> FoundDifference? {
        let whole = try copy(old).open(limits: limits)
        do {
            return try FoundDifference(
                whole, copy(new, wal: wal, journal: journal).open(limits: limits), options: DatabaseDiffOptions(work: limits))
        } catch is CapsuleError {
            return nil
        }
    }

    @Test func cutAtAnyLength() throws {
        let (bytes, _) = try Self.made()
        for length in Set(stride(from: 0, to: bytes.count, by: 509)).union(stride(from: 512, to: bytes.count, by: 512)).union(
            0...120)
        {
            let found = try Self.compare(bytes, Array(bytes.prefix(length)))
            // SQLite reads missing bytes of the last page as zeros.
            let isPadding = bytes.count - length < 512 && bytes.suffix(bytes.count - length).allSatisfy { $0 == 0 }
            #expect(found?.isSame != true || isPadding, "cut after \(length) bytes")
        }
        #expect(try Self.compare(bytes, bytes)?.isSame == true)
    }

    /// If SQLite reads other rows, or can't read them, the comparison must not report that both are the same.
    @Test(arguments: SeededGenerator.seeds)
    func flippedBytes(_ seed: UInt64) throws {
        let (bytes, directory) = try Self.made()
        let whole = try Self.contents(directory["a"])
        var random = SeededGenerator(seed: seed)
        var outcomes: [String: Int] = [:]
        for round in 0..<(runsLongTests ? 10_000 : 700) {
            var broken = bytes
            for _ in 0..<random.number(1...3) {
                // Half of them are in the first pages or at the beginnings of pages, where the structure is.
                var place = random.number(0...bytes.count - 1)
                if random.isLucky(oneIn: 2) { place = place / 512 * 512 + random.number(0...40) }
                broken[min(place, bytes.count - 1)] ^= UInt8(random.number(1...255))
            }
            let found = try Self.compare(bytes, broken)
            outcomes[
                found == nil ? "error" : found?.isSame == true ? "same" : found?.damage.isEmpty == true ? "rows" : "damage",
                default: 0] += 1
            guard found?.isSame == true else { continue }
            try Files.write(broken, to: directory["b"])
            let contents = try? Self.contents(directory["b"])
            #expect(contents == whole, "round \(round) of seed \(seed)")
        }
        // Each kind of result occurred.
        #expect(outcomes.keys.sorted() == ["damage", "error", "rows", "same"])
    }

    private static func contents(_ path: String) throws -> [[[String]]] {
        let database = try LiveDatabase(path)
        return try ["a", "b", "c"].map { table in
            try database.rows("SELECT count(*) FROM \(table) NOT INDEXED")
                + database.rows(
                    "SELECT quote(\(table == "a" ? "id" : table == "b" ? "k" : "x")), "
                        + "quote(\(table == "c" ? "y" : "v")) FROM \(table) NOT INDEXED")
        }
    }

    /// A table that can't be read is named. All other tables are compared as usual.
    @Test func otherTablesAreWhole() throws {
        let directory = try TemporaryDirectory()
        let live = try LiveDatabase(directory["a"], Self.sql)
        let root = try #require(Int(live.rows("SELECT rootpage FROM sqlite_master WHERE name = 'b'")[0][0]))
        try live.run("UPDATE a SET v = 1 WHERE id = 5; DELETE FROM c WHERE rowid = 9")
        var broken = try Files.read(directory["a"])
        for place in (root - 1) * 512..<root * 512 { broken[place] = 0xFF }
        let (bytes, _) = try Self.made()
        let found = try #require(try Self.compare(bytes, broken))
        #expect(found.damage.map(\.side) == [.new])
        #expect(found.damage.map(\.table) == ["b"])
        #expect(found.damage.map(\.message) == ["table b: database disk image is malformed"])
        #expect(lines(found).prefix(2).map { $0.prefix(12) } == ["~ a {id=5} v", "- c {rowid=9"])
        #expect(!found.isComplete)
        #expect(!found.isSame)
    }

    // MARK: Logs

    /// Returns a database and its log of ten transactions, each of which increments a number, and the end of each transaction.
    private static func logged() throws -> (database: [UInt8], wal: [UInt8], ends: [Int]) {
        let directory = try TemporaryDirectory()
        let live = try LiveDatabase(
            directory["a"],
            "PRAGMA page_size=512; PRAGMA journal_mode=WAL;"
                + "CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 0)")
        try live.run("PRAGMA wal_checkpoint(TRUNCATE)")
        var ends: [Int] = []
        for number in 1...10 {
            try live.run("UPDATE t SET v = \(number)")
            ends.append(try Files.read(directory["a-wal"]).count)
        }
        return (try Files.read(directory["a"]), try Files.read(directory["a-wal"]), ends)
    }

    private static func value(_ wal: [UInt8]?, _ database: [UInt8]) throws -> String? {
        let found = try compare(database, database, wal: wal)
        guard let found else { return nil }
        return found.isSame ? "0" : lines(found).first.map { String($0.split(separator: " ").last ?? "") }
    }

    /// All transactions that were committed before the cut are there, and nothing else.
    @Test func logCutAtAnyLength() throws {
        let (database, wal, ends) = try Self.logged()
        for length in Set(stride(from: 0, to: wal.count, by: 37)).union(ends).union(ends.map { $0 - 1 }) {
            let commits = ends.filter { $0 <= length }.count
            #expect(try Self.value(Array(wal.prefix(length)), database) == "\(commits)", "cut after \(length) bytes")
        }
    }

    /// A log in which committed data was changed can't be read.
    @Test(arguments: SeededGenerator.seeds)
    func logWithFlippedBytes(_ seed: UInt64) throws {
        let (database, wal, _) = try Self.logged()
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let place = random.number(0...wal.count - 1)
            var broken = wal
            broken[place] ^= UInt8(random.number(1...255))
            let value = try Self.value(broken, database)
            // Without its salts or its commit, the last frame looks like the rest of another transaction.
            let last = place - (wal.count - 24 - 512)
            if (4..<16).contains(last) { #expect(value == "9" || value == nil) } else { #expect(value == nil, "byte \(place)") }
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func logOfRandomBytes(_ seed: UInt64) throws {
        let (database, wal, _) = try Self.logged()
        var random = SeededGenerator(seed: seed)
        for length in [0, 1, 31, 32, 33, 600, 5000] {
            let bytes = random.bytes(length)
            #expect(try Self.value(bytes, database) == (bytes.allSatisfy { $0 == 0 } ? "0" : nil))
            #expect(try Self.value(Array(wal.prefix(32)) + random.bytes(length), database) == "0")
        }
    }

    /// A journal that is cut or has flipped bits is rolled back as far as possible. Nothing hangs, and unreadable data is an error.
    @Test(arguments: SeededGenerator.seeds)
    func brokenJournals(_ seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        let live = try LiveDatabase(directory["a"], Self.sql)
        let before = try Files.read(directory["a"])
        try live.run("PRAGMA cache_size=1; BEGIN; UPDATE a SET v = 'undone ' || id; UPDATE c SET x = 'undone'; DELETE FROM b")
        let hot = try Files.read(directory["a"])
        let journal = try Files.read(directory["a-journal"])
        #expect(hot != before)
        #expect(try Self.compare(before, hot, journal: journal)?.isSame == true)
        var random = SeededGenerator(seed: seed)
        var different = 0
        for _ in 0..<100 {
            var broken = Array(journal.prefix(random.number(0...journal.count)))
            for _ in 0..<random.number(0...2) where !broken.isEmpty {
                broken[random.number(0...broken.count - 1)] ^= UInt8(random.number(1...255))
            }
            if try Self.compare(before, hot, journal: broken)?.isSame != true { different += 1 }
        }
        #expect(different > 0)
    }
}
