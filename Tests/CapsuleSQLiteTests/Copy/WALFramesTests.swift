import CapsuleCore
import CapsuleSQLite
import CapsuleSystem
import TestSupport
import Testing

@Suite("damage in write-ahead logs")
struct WALFramesTests {
    /// The length of a frame with its page.
    private static let frame = 24 + 512

    /// Returns a database with a log of three transactions.
    private static func made() throws -> (database: [UInt8], log: [UInt8]) {
        let directory = try TemporaryDirectory()
        let live = try LiveDatabase(
            directory["live"],
            "PRAGMA page_size=512; CREATE TABLE t(id INTEGER PRIMARY KEY, a); PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0"
        )
        try live.run("INSERT INTO t VALUES(1, 'one')")
        try live.run("INSERT INTO t VALUES(2, hex(zeroblob(600)))")
        try live.run("INSERT INTO t VALUES(3, 'three')")
        return (try Files.read(live.path), try Files.read(live.path + "-wal"))
    }

    private static func open(_ database: [UInt8], _ log: [UInt8]) throws -> CapsuleError? {
        do {
            _ = try copy(database, wal: log).open()
            return nil
        } catch let error as CapsuleError {
            return error
        }
    }

    @Test func eachFlippedByteOfWhatIsCommittedIsTold() throws {
        let (database, log) = try Self.made()
        let frames = (log.count - 32) / Self.frame
        #expect(frames >= 5 && log.count == 32 + frames * Self.frame)
        #expect(try Self.open(database, log) == nil)
        // Every byte of the header, and one of each field of a frame and of its page.
        let places =
            Array(0..<32) + (0..<frames).flatMap { frame in [0, 16, 20, 24, 200, 535].map { 32 + frame * Self.frame + $0 } }
        for place in places {
            var damaged = log
            damaged[place] ^= 0x10
            let error = try Self.open(database, damaged)
            #expect(error?.code == .damaged, "byte \(place)")
            #expect(error?.message.contains("WAL") == true)
        }
        // Only its salts make a frame a part of this log. Here, those of the first frame are wrong.
        var salted = log
        salted[32 + 8] ^= 1
        #expect(try Self.open(database, salted)?.message.contains("in frame 1,") == true)
    }

    @Test func endsThatSQLiteMakesAreNoDamage() throws {
        let (database, log) = try Self.made()
        let frames = (log.count - 32) / Self.frame
        var stale = log
        for number in 0..<frames { stale[32 + number * Self.frame + 8] ^= 1 }
        // After the committed frames: frames of a transaction without a commit, as if it was rolled back.
        var undone = Array(log[32...])
        for number in 0..<frames {
            for byte in 4..<8 { undone[number * Self.frame + byte] = 0 }
        }
        let ends = [
            [], Array(log[..<32]), Array(log[..<40]), [UInt8](repeating: 0, count: 20), [UInt8](repeating: 0, count: 5000),
            Array(log.dropLast(1)), stale, log + stale[32...], log + undone, log + [UInt8](repeating: 0, count: 3 << 20),
        ]
        for (number, end) in ends.enumerated() { #expect(try Self.open(database, end) == nil, "\(number)") }
        // A commit after such an end is a lost one.
        #expect(try Self.open(database, log + undone + log[32...])?.code == .damaged)
        #expect(try Self.open(database, Array(log[..<20]))?.code == .damaged)
        #expect(try Self.open(database, [UInt8](repeating: 0, count: 32) + log[32...])?.code == .damaged)
    }

    /// A hole is skipped by its length. With a commit after it, it is damage.
    @Test func holesAreNotRead() throws {
        let (database, log) = try Self.made()
        for hasCommit in [false, true] {
            var made = try copy(database, wal: log)
            let frames: UInt64 = 200_000_000
            try made.setLength(32 + frames * UInt64(Self.frame), of: .wal)
            if hasCommit {
                let last = Array(log.suffix(Self.frame))
                let written: Result<Void, CapsuleError> = last.withUnsafeBytes { bytes in
                    Result { () throws(CapsuleError) in
                        try made.write(bytes, at: 32 + (frames - 1) * UInt64(Self.frame), to: .wal)
                    }
                }
                try written.get()
            }
            do {
                _ = try made.open()
                #expect(!hasCommit)
            } catch {
                #expect(hasCommit && error.code == .damaged)
            }
        }
    }
}
