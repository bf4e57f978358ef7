import CapsuleCore
import CapsuleDatabases
import CapsuleSQLite
import CapsuleSystem
import Foundation
import TestSupport
import Testing

@Suite("private copies of databases")
struct DatabaseCopyTests {
    /// Copies the files of an open database in their current state.
    private static func capture(_ path: String, to directory: TemporaryDirectory, as name: String) throws -> String {
        for suffix in ["", "-wal", "-journal"] where Files.exists(path + suffix) {
            try Files.write(Files.read(path + suffix), to: directory[name + suffix])
        }
        return directory[name]
    }

    private static let table = "CREATE TABLE t(id INTEGER PRIMARY KEY, a);"

    private static func fill(_ count: Int) -> String {
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) INSERT INTO t SELECT i, 'row ' || i FROM n;"
    }

    @Test func logIsRead() throws {
        let directory = try TemporaryDirectory()
        let live = try LiveDatabase(directory["live"], "PRAGMA journal_mode=WAL;" + Self.table + Self.fill(500))
        try live.run("PRAGMA wal_checkpoint(TRUNCATE)")
        let before = try Self.capture(live.path, to: directory, as: "before")
        try live.run("UPDATE t SET a = 'new' WHERE id = 77")
        let after = try Self.capture(live.path, to: directory, as: "after")
        #expect(Files.exists(after + "-wal"))
        let found = try FoundDifference(copy(before).open(), copy(after).open())
        #expect(lines(found) == ["~ t {id=77} a: 'row 77' -> 'new'"])
        let folded = try FoundDifference(copy(after).open(), copy(Self.checkpoint(copy(after))).open())
        #expect(folded.isSame)
    }

    /// The journal of an unfinished transaction is rolled back in the copy.
    @Test func journalIsRolledBack() throws {
        let directory = try TemporaryDirectory()
        let live = try LiveDatabase(directory["live"], Self.table + Self.fill(5000))
        let before = try Self.capture(live.path, to: directory, as: "before")
        try live.run("PRAGMA cache_size=2; BEGIN; UPDATE t SET a = 'undone ' || id")
        let hot = try Self.capture(live.path, to: directory, as: "hot")
        #expect(try Files.read(hot) != Files.read(before))
        #expect(try Files.read(hot + "-journal").count > 1000)
        let found = try FoundDifference(copy(before).open(), copy(hot).open())
        #expect(lines(found) == [])
        #expect(found.isSame)
        // Without its journal, it is a different database, or a broken one.
        let torn = try Files.read(hot)
        let alone = try? FoundDifference(copy(before).open(), copy(torn).open())
        #expect(alone?.isSame != true)
        #expect(try Self.checkpoint(copy(hot)) == Files.read(before))
    }

    /// The copy has no name in the file system as soon as it is open, and no other user can read it before.
    @Test(arguments: [true, false])
    func nothingIsLeft(_ isFolded: Bool) throws {
        let directory = try TemporaryDirectory()
        let place = try TemporaryDirectory()
        let live = try LiveDatabase(directory["live"], "PRAGMA journal_mode=WAL;" + Self.table + Self.fill(100))
        let names = try directory.names
        let made = try copy(live.path, in: place)
        let hidden = try #require(try place.names.first)
        #expect(try Self.mode(place[hidden]) == 0o700)
        for name in ["database", "database-wal"] { #expect(try Self.mode(place["\(hidden)/\(name)"]) == 0o600) }
        if isFolded {
            let folded = try made.checkpoint()
            #expect(try place.names == [])
            #expect(folded.length > 0)
        } else {
            let open = try made.open()
            #expect(try place.names == [])
            let same = try FoundDifference(open, copy(live.path).open())
            #expect(same.isSame)
        }
        #expect(try place.names == [])
        #expect(try directory.names == names)
        _ = consume live
    }

    @Test func nothingIsLeftOfWhatFails() throws {
        let place = try TemporaryDirectory()
        do {
            var made = try DatabaseCopy(in: HostPath(place.path))
            try made.put([UInt8](repeating: 7, count: 5000), .database)
            #expect(try place.names.count == 1)
            _ = try made.open()
            Issue.record("random bytes were opened")
        } catch let error as CapsuleError {
            #expect(error.code == .notDatabase)
            #expect(error.message == "file is not a database")
        }
        #expect(try place.names == [])
        do { _ = try DatabaseCopy(in: HostPath(place.path)) }
        #expect(try place.names == [])
        do {
            _ = try DatabaseCopy(in: HostPath(place["missing"]))
            Issue.record("made in a directory that is not there")
        } catch {
            #expect(error.code == .notFound)
        }
    }

    private static func mode(_ path: String) throws -> UInt16 {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.uint16Value ?? 0
    }

    /// A journal can name a file for SQLite to delete. Such a journal is refused.
    @Test func journalThatNamesAnotherFileIsRefused() throws {
        let directory = try TemporaryDirectory()
        let live = try LiveDatabase(directory["live"], Self.table + Self.fill(5000))
        try live.run("PRAGMA cache_size=2; BEGIN; UPDATE t SET a = 'undone ' || id")
        let hot = try Self.capture(live.path, to: directory, as: "hot")
        let victim = directory["victim"]
        try Files.write("precious", to: victim)
        // The end of a journal that belongs to several databases: name, length, sum of its bytes, the magic.
        var tail: [UInt8] = [0, 0, 0, 0] + Array(victim.utf8)
        func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
        tail += number(victim.utf8.count) + number(victim.utf8.reduce(0) { $0 + Int($1) })
        tail += [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        let journal = try Files.read(hot + "-journal") + tail
        for isFolded in [false, true] {
            let made = try copy(Files.read(hot), journal: journal)
            do {
                if isFolded { _ = try made.checkpoint() } else { _ = try made.open() }
                Issue.record("a journal that names another file was followed")
            } catch {
                #expect(error.code == .unsupported)
            }
        }
        #expect(try Files.read(victim) == Array("precious".utf8))
    }

    // MARK: Checkpoints

    private static func checkpoint(_ copy: consuming DatabaseCopy) throws -> [UInt8] {
        let folded = try copy.checkpoint()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(folded.length) + 10, alignment: 1)
        defer { buffer.deallocate() }
        let count = try folded.read(at: 0, into: buffer)
        #expect(UInt64(count) == folded.length)
        return Array(buffer[..<count])
    }

    @Test(arguments: ["DELETE", "WAL"])
    func foldingKeepsAll(_ mode: String) throws {
        let directory = try TemporaryDirectory()
        let sql = "PRAGMA journal_mode=\(mode); PRAGMA user_version=4;" + Self.table + Self.fill(3000)
        let live = try LiveDatabase(directory["live"], sql)
        try live.run("DELETE FROM t WHERE id > 2000; CREATE INDEX i ON t(a)")
        let bytes = try Self.checkpoint(copy(live.path))
        let folded = directory["folded"]
        try Files.write(bytes, to: folded)
        let again = try LiveDatabase(folded)
        #expect(try again.rows("PRAGMA integrity_check") == [["ok"]])
        #expect(try again.rows("SELECT count(*), max(id) FROM t") == [["2000", "2000"]])
        #expect(try again.rows("PRAGMA journal_mode") == [[mode.lowercased()]])
        if mode == "DELETE" { #expect(try bytes == Files.read(live.path)) }
    }

    @Test func foldingAnEmptyDatabase() throws {
        #expect(try Self.checkpoint(copy([])) == [])
    }

    static let damages = ["cut", "page", "text", "other"]

    @Test(arguments: damages)
    func foldingFailsOnDamage(_ damage: String) throws {
        let directory = try TemporaryDirectory()
        let live = try LiveDatabase(directory["live"], Self.table + Self.fill(3000))
        var bytes = try Files.read(live.path)
        switch damage {
        case "cut": bytes.removeLast(bytes.count / 2)
        case "page": for place in 8192..<8292 { bytes[place] = 0xFF }
        case "text": bytes = Array("SQLite format 3\0 and no more".utf8)
        default: bytes = (0..<20000).map { UInt8(truncatingIfNeeded: $0 &* 167) }
        }
        do {
            _ = try copy(bytes).checkpoint()
            Issue.record("\(damage) was folded")
        } catch let error as CapsuleError {
            #expect(error.code == .damaged || error.code == .notDatabase)
            #expect(error.message.first?.isLowercase == true)
        }
    }
}
