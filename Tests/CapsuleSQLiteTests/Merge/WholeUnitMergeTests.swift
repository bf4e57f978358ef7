import CapsuleCore
import CapsuleDatabases
import CapsuleMerge
import CapsulePropertyList
import CapsuleRules
import CapsuleSQLite
import CapsuleSystem
import TestSupport
import Testing

/// Databases that can only be merged as a whole, and rows that are kept together.
@Suite("what is not merged by rows")
struct WholeUnitMergeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let base: String
        let ours: String
        let theirs: String
        let reason: String
    }

    static let family = """
        CREATE TABLE p(id INTEGER PRIMARY KEY, v); CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p(id), v);
        INSERT INTO p VALUES (1, 0), (2, 0); INSERT INTO c VALUES (1, 1, 0);
        """
    /// A table without row IDs, with a row that refers to a missing one.
    private static let lone = """
        CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(k TEXT PRIMARY KEY, p REFERENCES p) WITHOUT ROWID;
        INSERT INTO p VALUES (1), (2); INSERT INTO c VALUES ('x', 7);
        """
    private static let plain = "CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 1), (2, 2);"

    static let cases = [
        Case(
            testDescription: "a column more", base: plain, ours: "ALTER TABLE t ADD COLUMN w", theirs: "UPDATE t SET v = 3",
            reason: "the schemas differ: table t"),
        Case(
            testDescription: "an index more", base: plain, ours: "UPDATE t SET v = 3", theirs: "CREATE INDEX i ON t(v)",
            reason: "the schemas differ: index i"),
        Case(
            testDescription: "a table more", base: plain, ours: "UPDATE t SET v = 3", theirs: "CREATE TABLE u(x)",
            reason: "the schemas differ"),
        Case(
            testDescription: "a new schema on both sides", base: plain, ours: "ALTER TABLE t ADD COLUMN w; UPDATE t SET w = 1",
            theirs: "ALTER TABLE t ADD COLUMN w; UPDATE t SET w = 2", reason: "the schemas differ: table t"),
        Case(
            testDescription: "no key", base: "CREATE TABLE t(v);", ours: "INSERT INTO t VALUES (1)",
            theirs: "INSERT INTO t VALUES (2)",
            reason: "both sides changed table t, whose rows have no key"),
        Case(
            testDescription: "a key with NULL in it", base: "CREATE TABLE t(k PRIMARY KEY, v); INSERT INTO t VALUES (NULL, 1);",
            ours: "INSERT INTO t VALUES ('a', 1)", theirs: "INSERT INTO t VALUES ('b', 1)",
            reason: "both sides changed table t, whose rows have no key"),
        Case(
            testDescription: "foreign keys", base: family, ours: "DELETE FROM p WHERE id = 2",
            theirs: "INSERT INTO c VALUES (2, 2, 0)",
            reason: "a row of c would refer to a missing row of p"),
        Case(
            testDescription: "a row that referred to nothing, and refers to what goes",
            base: family + "INSERT INTO c VALUES (2, 7, 0);", ours: "DELETE FROM p WHERE id = 2",
            theirs: "UPDATE c SET p = 2 WHERE id = 2", reason: "a row of c would refer to a missing row of p"),
        Case(
            testDescription: "one breach for another, without row IDs", base: lone, ours: "INSERT INTO c VALUES ('y', 2)",
            theirs: "DELETE FROM c WHERE k = 'x'; DELETE FROM p WHERE id = 2",
            reason: "a row of c would refer to a missing row of p"),
        Case(
            testDescription: "one breach for another, without a key",
            base: "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p); INSERT INTO p VALUES (1), (2);",
            ours: "DELETE FROM p WHERE id = 2", theirs: "INSERT INTO c VALUES (2), (3)",
            reason: "a row of c would refer to a missing row of p"),
        Case(
            testDescription: "what is unique, twice", base: "CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE);",
            ours: "INSERT INTO t VALUES (1, 'x')", theirs: "INSERT INTO t VALUES (2, 'x')",
            reason: "UNIQUE constraint failed: t.u"),
        Case(
            testDescription: "unique, and a schema that would rather replace",
            base: "CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE ON CONFLICT REPLACE);", ours: "INSERT INTO t VALUES (1, 'x')",
            theirs: "INSERT INTO t VALUES (2, 'x')", reason: "UNIQUE constraint failed: t.u"),
        Case(
            testDescription: "one key by its order", base: "CREATE TABLE t(k TEXT COLLATE NOCASE PRIMARY KEY) WITHOUT ROWID;",
            ours: "INSERT INTO t VALUES ('a')", theirs: "INSERT INTO t VALUES ('A')", reason: "UNIQUE constraint failed: t.k"),
        Case(
            testDescription: "a check",
            base: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, CHECK (a + b < 10)); INSERT INTO t VALUES (1, 1, 1);",
            ours: "UPDATE t SET a = 6", theirs: "UPDATE t SET b = 6", reason: "CHECK constraint failed: a + b < 10"),
        Case(
            testDescription: "an order that only the app knows",
            base: "CREATE TABLE t(k TEXT COLLATE backwards PRIMARY KEY, v); INSERT INTO t VALUES ('a', 1), ('b', 1);",
            ours: "UPDATE t SET v = 2 WHERE k = 'a'", theirs: "UPDATE t SET v = 2 WHERE k = 'b'",
            reason: "no such collation sequence: backwards"),
        Case(
            testDescription: "an index of texts", base: "CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES ('one');",
            ours: "INSERT INTO f VALUES ('two')", theirs: "INSERT INTO f VALUES ('three')",
            reason: "both sides changed the virtual table f"),
        Case(
            testDescription: "foreign keys that can't be checked",
            base:
                "CREATE TABLE p(id INTEGER PRIMARY KEY, v); CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p(v)); INSERT INTO c VALUES (1, 1);",
            ours: "INSERT INTO p VALUES (1, 1)", theirs: "INSERT INTO p VALUES (2, 2)",
            reason: "its foreign keys can't be checked: foreign key mismatch - \"c\" referencing \"p\""),
    ]

    @Test(arguments: cases, [false, true])
    func comesTo(_ test: Case, _ isSwapped: Bool) throws {
        let merged = try merge(
            test.base, ours: test.ours, theirs: test.theirs, resolutions: ["1": .theirs],
            preferences: [MergePreference(.theirs, text: "theirs")], isSwapped: isSwapped)
        #expect(merged.reason == test.reason)
        #expect(merged.conflicts.isEmpty)
    }

    @Test func encodingsDiffer() throws {
        let directory = try TemporaryDirectory()
        for (name, encoding) in [("base", "UTF-8"), ("ours", "UTF-8"), ("theirs", "UTF-16le")] {
            _ = try LiveDatabase(directory[name], "PRAGMA encoding='\(encoding)'; CREATE TABLE t(id INTEGER PRIMARY KEY)")
        }
        let merged = try merge(directory["base"], directory["ours"], directory["theirs"])
        #expect(merged.reason == "the schemas differ: pragma encoding")
    }

    @Test func tooManyConflicts() throws {
        let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)"
        let merged = try merge(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t \(rows) SELECT i, 0 FROM n;", ours: "UPDATE t SET v = 1",
            theirs: "UPDATE t SET v = 2")
        #expect(merged.reason == "more than 10000 row conflicts")
        #expect(merged.conflicts.isEmpty)
    }

    // MARK: Consistency

    @Test func triggersDoNotRun() throws {
        let schema = """
            CREATE TABLE t(id INTEGER PRIMARY KEY, v); CREATE TABLE log(id INTEGER PRIMARY KEY, what);
            CREATE TRIGGER i AFTER INSERT ON t BEGIN INSERT INTO log(what) VALUES ('i' || new.id); END;
            CREATE TRIGGER d BEFORE DELETE ON t BEGIN SELECT RAISE(ABORT, 'no'); END;
            CREATE TRIGGER u AFTER UPDATE ON t BEGIN UPDATE t SET v = v || '!' WHERE id = new.id; END;
            INSERT INTO t VALUES (1, 'a'), (2, 'b');
            """
        let merged = try merge(
            schema, ours: "UPDATE t SET v = 'o' WHERE id = 1",
            theirs: "UPDATE t SET v = 't' WHERE id = 2; INSERT INTO t VALUES (3, 'c')")
        #expect(try merged.rows("SELECT * FROM t ORDER BY 1") == ["1|o!", "2|t!", "3|c"])
        #expect(try merged.rows("SELECT * FROM log ORDER BY 1") == ["1|i1", "2|i2", "3|i3"])
        #expect(try merged.rows("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'") == ["3"])
    }

    @Test func cascadesDoNotRun() throws {
        let merged = try merge(
            "CREATE TABLE p(id INTEGER PRIMARY KEY, v); CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p(id) ON DELETE CASCADE);"
                + "INSERT INTO p VALUES (1, 0); INSERT INTO c VALUES (1, 1);", ours: "INSERT INTO c VALUES (2, 1)",
            theirs: "UPDATE p SET v = 1")
        #expect(try merged.rows("SELECT * FROM c") == ["1|1", "2|1"])
    }

    @Test(arguments: [false, true])
    func aTextIndexThatOneSideChanged(_ isSwapped: Bool) throws {
        let merged = try merge(
            "CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES ('one'), ('two'); CREATE TABLE t(id INTEGER PRIMARY KEY);",
            ours: "INSERT INTO t VALUES (1)", theirs: "DELETE FROM f WHERE f MATCH 'one'; INSERT INTO f VALUES ('three four')",
            isSwapped: isSwapped)
        #expect(merged.lines.isEmpty)
        #expect(try merged.rows("SELECT x FROM f WHERE f MATCH 'four'") == ["three four"])
        #expect(try merged.rows("SELECT x FROM f WHERE f MATCH 'one'") == [])
        #expect(try merged.rows("SELECT * FROM t") == ["1"])
        #expect(try merged.rows("PRAGMA integrity_check") == ["ok"])
    }

    @Test func breachesThatWereThereDoNotCount() throws {
        let base = Self.family + "INSERT INTO c VALUES (8, 80, 0);"
        let merged = try merge(
            base, ours: "INSERT INTO c VALUES (9, 90, 0)",
            theirs: "INSERT INTO c VALUES (10, 91, 0); UPDATE c SET v = 1 WHERE id = 8")
        #expect(merged.lines.isEmpty)
        #expect(try merged.rows("SELECT id FROM c ORDER BY 1") == ["1", "8", "9", "10"])
    }

    @Test(arguments: [false, true])
    func breachesOfBothSides(_ isSwapped: Bool) throws {
        // Row IDs are internal to SQLite here: one of the two rows gets another.
        let hidden = Self.lone.replacing(" WITHOUT ROWID", with: "")
        for base in [Self.lone, hidden, "PRAGMA encoding='UTF-16le';" + Self.lone] {
            let merged = try merge(
                base, ours: "INSERT INTO c VALUES ('y', 8)", theirs: "INSERT INTO c VALUES ('z', 9)", isSwapped: isSwapped)
            #expect(merged.lines.isEmpty)
            #expect(try merged.rows("SELECT * FROM c ORDER BY k") == ["x|7", "y|8", "z|9"])
        }
    }

    /// The parent decides how a child's value is compared. SQLite's check of foreign keys is the oracle.
    @Test(arguments: [
        "CREATE TABLE p(a TEXT COLLATE NOCASE UNIQUE, b, UNIQUE(a, b)); CREATE TABLE c(x, y, FOREIGN KEY(x, y) REFERENCES p(a, b));",
        "CREATE TABLE p(a INTEGER PRIMARY KEY); CREATE TABLE c(x TEXT REFERENCES p, y);",
        "CREATE TABLE p(a BLOB PRIMARY KEY, b); CREATE TABLE c(x INTEGER REFERENCES P, y TEXT REFERENCES p(A));",
        "CREATE TABLE p(a TEXT PRIMARY KEY, b); CREATE TABLE c(x REFERENCES p, y AS (x || 'b') REFERENCES p);",
        "CREATE TABLE p(a PRIMARY KEY, b REFERENCES p); CREATE TABLE c(x REFERENCES p, y REFERENCES \"not \"\"there\");",
    ])
    func breachesAreTold(_ schema: String) throws {
        let values = ["NULL", "1", "1.0", "'1'", "x'31'", "'a'", "'A'", "''", "2", "'2.0'", "'ab'"]
        var rows = "INSERT INTO p(a) VALUES (1);"
        for value in values {
            let isKey = value != "2" && !schema.contains("INTEGER PRIMARY KEY")
            if isKey { rows += "INSERT OR IGNORE INTO p(a, b) VALUES (\(value), 'b'), (7 || \(value), \(value));" }
            rows += "INSERT INTO c(x) VALUES (\(value));"
            for other in values where !schema.contains(" AS (") { rows += "INSERT INTO c(x, y) VALUES (\(value), \(other));" }
        }
        let merged = try merge(
            schema + rows + "CREATE TABLE t(id INTEGER PRIMARY KEY);", ours: "", theirs: "INSERT INTO t VALUES (1)")
        #expect(merged.lines.isEmpty)
        #expect(try merged.rows("SELECT count(*) > 0 FROM pragma_foreign_key_check") == ["1"])
    }

    // MARK: Decisions that violate the schema

    /// Ours deletes a parent that theirs changes and adds a child to.
    private static let parting = (
        ours: "DELETE FROM p WHERE id = 2", theirs: "UPDATE p SET v = 1 WHERE id = 2; INSERT INTO c VALUES (2, 2, 0)"
    )

    @Test func anOpenConflictLeavesOursAsAWhole() throws {
        let merged = try merge(Self.family, ours: Self.parting.ours, theirs: Self.parting.theirs)
        #expect(merged.lines == ["row p {id=2}: {v=0} | - | {v=1} ours deleted it"])
        #expect(try merged.rows("SELECT id FROM p UNION ALL SELECT id FROM c") == ["1", "1"])
        #expect(
            merged.notes == [
                "not merged while conflicts are open: a row of c would refer to a missing row of p"
            ])
        // With swapped sides, ours has the parent, and everything else is merged.
        let swapped = try merge(Self.family, ours: Self.parting.ours, theirs: Self.parting.theirs, isSwapped: true)
        #expect(swapped.lines == ["row p {id=2}: {v=0} | {v=1} | - theirs deleted it"])
        #expect(swapped.notes.isEmpty)
        #expect(try swapped.rows("SELECT id FROM c ORDER BY 1") == ["1", "2"])
    }

    @Test func aDecisionThatFits() throws {
        let merged = try merge(Self.family, ours: Self.parting.ours, theirs: Self.parting.theirs, resolutions: ["1": .theirs])
        #expect(merged.notes.isEmpty)
        #expect(try merged.rows("SELECT id, v FROM p ORDER BY 1") == ["1|0", "2|1"])
        #expect(try merged.rows("SELECT id FROM c ORDER BY 1") == ["1", "2"])
    }

    @Test(arguments: [Resolution.ours, .absent])
    func aDecisionThatDoesNot(_ take: Resolution) throws {
        let error = try #require(throws: CapsuleError.self) {
            try merge(Self.family, ours: Self.parting.ours, theirs: Self.parting.theirs, resolutions: ["1": take])
        }
        #expect(error.code == .resolution)
        #expect(error.message.contains("a row of c would refer to a missing row of p"))
    }

    @Test func aValueThatIsUsed() throws {
        let base = "CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE); INSERT INTO t VALUES (1, 'a'), (2, 'b');"
        let error = try #require(throws: CapsuleError.self) {
            try merge(
                base, ours: "UPDATE t SET u = 'o' WHERE id = 1", theirs: "UPDATE t SET u = 't' WHERE id = 1",
                resolutions: ["1": .value("b")])
        }
        #expect(error.code == .resolution)
        #expect(error.message == "the resolutions contradict the schema: UNIQUE constraint failed: t.u")
    }

    // MARK: Sides that can't be read

    @Test(arguments: ["base", "ours", "theirs"])
    func aDamagedSide(_ side: String) throws {
        let directory = try TemporaryDirectory()
        for name in ["base", "ours", "theirs"] { _ = try LiveDatabase(directory[name], Self.plain) }
        var bytes = try Files.read(directory[side])
        // The type of the second page.
        bytes[4096] = 99
        try Files.write(bytes, to: directory[side])
        let error = try #require(throws: CapsuleError.self) {
            try merge(directory["base"], directory["ours"], directory["theirs"])
        }
        #expect(error.code == .damaged)
        #expect(error.message.hasPrefix("\(side): "), "\(error.message)")
    }

    @Test func noDatabase() throws {
        let directory = try TemporaryDirectory()
        for name in ["base", "ours"] { _ = try LiveDatabase(directory[name], Self.plain) }
        try Files.write(
            Array("not a database, and longer than a header would be: ".utf8) + [UInt8](repeating: 7, count: 2000),
            to: directory["theirs"])
        let error = try #require(throws: CapsuleError.self) {
            try merge(directory["base"], directory["ours"], directory["theirs"])
        }
        #expect(error.code == .notDatabase)
    }

    @Test func logsAreRecovered() throws {
        let directory = try TemporaryDirectory()
        for (name, sql) in [("base", ""), ("ours", "INSERT INTO t VALUES (3, 3)"), ("theirs", "UPDATE t SET v = 9 WHERE id = 1")]
        {
            let live = try LiveDatabase(directory[name], Self.plain + "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;")
            try live.run(sql)
            // The files are copied while the database is open: the change is only in the log.
            try Files.write(Files.read(directory[name]), to: directory["\(name)-copy"])
            guard name != "base" else { continue }
            try Files.write(Files.read(directory["\(name)-wal"]), to: directory["\(name)-copy-wal"])
        }
        let merged = try merge(directory["base-copy"], directory["ours-copy"], directory["theirs-copy"])
        #expect(try merged.rows("SELECT * FROM t ORDER BY 1") == ["1|9", "2|2", "3|3"])
        // As in ours.
        #expect(try merged.rows("PRAGMA journal_mode") == ["wal"])
    }

    @Test func thereIsAnEnd() throws {
        let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)"
        let error = try #require(throws: CapsuleError.self) {
            try merge(
                "CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t \(rows) SELECT i, 0 FROM n;",
                ours: "UPDATE t SET v = 1",
                theirs: "INSERT INTO t VALUES (60000, 1)", limits: WorkLimits(time: nil, steps: 20_000))
        }
        #expect(error.code == .time)
    }

    /// The caller makes one conflict of a database whose merge failed. The conflicts of its rows must not be added to it.
    @Test(arguments: [false, true])
    func whatEndsTooEarlySettlesNothing(_ isBroken: Bool) throws {
        let directory = try TemporaryDirectory()
        let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
        let columns = (1...8).map { "ZB\($0) BLOB" }.joined(separator: ", ")
        // A Core Data store, whose blobs are searched at the end.
        let schema =
            Self.family + """
                CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
                INSERT INTO Z_PRIMARYKEY VALUES (1, 'Note', 0, 3000); INSERT INTO Z_METADATA VALUES (1, 'U', x'00');
                CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \(columns));
                INSERT INTO ZNOTE(Z_PK, Z_ENT, Z_OPT) \(rows) SELECT i, 1, 1 FROM n;
                """
        let changes =
            isBroken ? Self.parting : (ours: "UPDATE p SET v = 1 WHERE id = 1", theirs: "UPDATE p SET v = 2 WHERE id = 1")
        _ = try LiveDatabase(directory["base"], schema)
        _ = try LiveDatabase(directory["ours"], schema + changes.ours)
        _ = try LiveDatabase(directory["theirs"], schema + changes.theirs)
        var failures = 0
        var conflicts: [Conflict] = []
        for strides in UInt64(0)..<1_000 where conflicts.isEmpty {
            var decisions = MergeDecisions()
            do {
                _ = try DatabaseMerge.merge(
                    base: copy(directory["base"]), ours: copy(directory["ours"]), theirs: copy(directory["theirs"]), path: nil,
                    limits: WorkLimits(time: nil, steps: strides * 4096), &decisions)
                conflicts = decisions.conflicts
                try #require(conflicts.count == 1)
            } catch let error as CapsuleError {
                #expect(error.code == .time)
                #expect(decisions.conflicts.isEmpty)
                failures += 1
            }
        }
        #expect(failures > 5)
        #expect(conflicts.count == 1)
    }

    @Test func aLargeTable() throws {
        // 64 MiB of rows, half of which change on each side.
        let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 16000)"
        let merged = try merge(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, k TEXT, v BLOB); INSERT INTO t \(rows) SELECT i, 'k' || i, zeroblob(4000) FROM n;",
            ours: "UPDATE t SET k = 'o' || i FROM (SELECT 1 AS i) WHERE id % 2 = 0",
            theirs: "UPDATE t SET v = zeroblob(4001) WHERE id % 2 = 1")
        #expect(merged.lines.isEmpty)
        #expect(try merged.rows("SELECT count(*), sum(length(v)), sum(k = 'o1') FROM t") == ["16000|64008000|8000"])
    }
}
