import CapsuleCore
import CapsuleMerge
import CapsulePropertyList
import CapsuleSQLite
import TestSupport
import Testing

/// Three states of a database, row by row.
@Suite("merged rows")
struct RowMergeTests {
    /// The changes of two sides, and the expected result.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var base = RowMergeTests.base
        let ours: String
        let theirs: String
        var conflicts: [String] = []
        let rows: [String]
        var query = "SELECT id, typeof(a), a, typeof(b), b FROM t ORDER BY id"
    }

    static let base = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);
        INSERT INTO t VALUES (1, 'a1', 'b1'), (2, 'a2', 'b2'), (3, 'a3', 'b3');
        """

    private static func row(_ id: Int, _ a: String? = nil, _ b: String? = nil) -> String {
        "\(id)|text|\(a ?? "a\(id)")|text|\(b ?? "b\(id)")"
    }

    static let cases = [
        Case(testDescription: "nothing", ours: "", theirs: "", rows: [row(1), row(2), row(3)]),
        Case(
            testDescription: "different rows", ours: "UPDATE t SET a = 'o' WHERE id = 1",
            theirs: "UPDATE t SET a = 't' WHERE id = 3", rows: [row(1, "o"), row(2), row(3, "t")]),
        Case(
            testDescription: "one row, different columns", ours: "UPDATE t SET a = 'o' WHERE id = 2",
            theirs: "UPDATE t SET b = 't' WHERE id = 2", rows: [row(1), row(2, "o", "t"), row(3)]),
        Case(
            testDescription: "rows added and deleted", ours: "DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (4, 'a4', 'b4')",
            theirs: "DELETE FROM t WHERE id = 3; INSERT INTO t VALUES (5, 'a5', 'b5')", rows: [row(2), row(4), row(5)]),
        Case(
            testDescription: "both the same", ours: "UPDATE t SET a = 'x' WHERE id = 1; DELETE FROM t WHERE id = 2",
            theirs: "DELETE FROM t WHERE id = 2; UPDATE t SET a = 'x' WHERE id = 1", rows: [row(1, "x"), row(3)]),
        Case(
            testDescription: "both added the same", ours: "INSERT INTO t VALUES (9, 'a9', 'b9')",
            theirs: "INSERT INTO t VALUES (9, 'a9', 'b9')", rows: [row(1), row(2), row(3), row(9)]),
        Case(
            testDescription: "one column, differently", ours: "UPDATE t SET a = 'o' WHERE id = 2",
            theirs: "UPDATE t SET a = 't', b = 'tb' WHERE id = 2",
            conflicts: ["row t {id=2} a: 'a2' | 'o' | 't' both changed"], rows: [row(1), row(2, "o", "tb"), row(3)]),
        Case(
            testDescription: "types count", ours: "UPDATE t SET a = 1 WHERE id = 1; UPDATE t SET a = 1 WHERE id = 2",
            theirs: "UPDATE t SET a = 1.0 WHERE id = 1; UPDATE t SET a = '1' WHERE id = 2",
            conflicts: ["row t {id=1} a: 'a1' | 1 | r1.0 both changed", "row t {id=2} a: 'a2' | 1 | '1' both changed"],
            rows: ["1|integer|1|text|b1", "2|integer|1|text|b2", row(3)]),
        Case(
            testDescription: "NULL and nothing are values",
            ours: "UPDATE t SET a = NULL WHERE id = 1; UPDATE t SET b = x'' WHERE id = 2",
            theirs: "UPDATE t SET a = '' WHERE id = 1; UPDATE t SET a = x'' WHERE id = 2; UPDATE t SET a = NULL WHERE id = 3",
            conflicts: ["row t {id=1} a: 'a1' | NULL | '' both changed"],
            rows: ["1|null|NULL|text|b1", "2|blob||blob|", "3|null|NULL|text|b3"]),
        Case(
            testDescription: "ours deleted, theirs changed", ours: "DELETE FROM t WHERE id = 2",
            theirs: "UPDATE t SET b = 't' WHERE id = 2",
            conflicts: ["row t {id=2}: {a='a2',b='b2'} | - | {a='a2',b='t'} ours deleted it"], rows: [row(1), row(3)]),
        Case(
            testDescription: "theirs deleted, ours changed", ours: "UPDATE t SET b = 'o' WHERE id = 2",
            theirs: "DELETE FROM t WHERE id = 2",
            conflicts: ["row t {id=2}: {a='a2',b='b2'} | {a='a2',b='o'} | - theirs deleted it"],
            rows: [row(1), row(2, nil, "o"), row(3)]),
        Case(
            testDescription: "both added, differently", ours: "INSERT INTO t VALUES (7, 'o', 'same')",
            theirs: "INSERT INTO t VALUES (7, 't', 'same')", conflicts: ["row t {id=7} a: - | 'o' | 't' both added"],
            rows: [row(1), row(2), row(3), row(7, "o", "same")]),
        Case(
            testDescription: "in the order of tables, keys and columns",
            base: base + "CREATE TABLE T0(k INTEGER PRIMARY KEY, v); INSERT INTO T0 VALUES (10, 1), (9, 1);",
            ours: "UPDATE t SET b = 'o', a = 'o'; UPDATE T0 SET v = 2",
            theirs: "UPDATE t SET a = 't', b = 't' WHERE id < 3; UPDATE T0 SET v = 3",
            conflicts: [
                "row T0 {k=9} v: 1 | 2 | 3 both changed", "row T0 {k=10} v: 1 | 2 | 3 both changed",
                "row t {id=1} a: 'a1' | 'o' | 't' both changed", "row t {id=1} b: 'b1' | 'o' | 't' both changed",
                "row t {id=2} a: 'a2' | 'o' | 't' both changed", "row t {id=2} b: 'b2' | 'o' | 't' both changed",
            ], rows: [row(1, "o", "o"), row(2, "o", "o"), row(3, "o", "o")]),
        Case(
            testDescription: "without row IDs, a composite key",
            base:
                "CREATE TABLE t(x, y TEXT, v, PRIMARY KEY(y, x)) WITHOUT ROWID; INSERT INTO t VALUES (1,'a',1),(2,'a',1),(1,'b',1);",
            ours: "UPDATE t SET v = 2 WHERE x = 1; DELETE FROM t WHERE x = 2",
            theirs: "UPDATE t SET v = 3 WHERE y = 'b'; INSERT INTO t VALUES (0,'c',0)",
            conflicts: ["row t {y='b',x=1} v: 1 | 2 | 3 both changed"], rows: ["1|a|2", "1|b|2", "0|c|0"],
            query: "SELECT x, y, v FROM t ORDER BY y, x"),
        Case(
            testDescription: "text keys in an order without case",
            base: "CREATE TABLE t(k TEXT COLLATE NOCASE PRIMARY KEY, v); INSERT INTO t VALUES ('a',1),('B',1),('c',1);",
            ours: "UPDATE t SET v = 2 WHERE k = 'a'",
            theirs: "UPDATE t SET k = 'b', v = 5 WHERE k = 'B'; INSERT INTO t VALUES ('D', 4)",
            rows: ["a|2", "b|5", "c|1", "D|4"], query: "SELECT k, v FROM t ORDER BY k COLLATE NOCASE"),
        Case(
            testDescription: "hidden row IDs of rows of ours stay",
            base: "CREATE TABLE t(k TEXT PRIMARY KEY, v); INSERT INTO t(rowid,k,v) VALUES (10,'a',1),(20,'b',1);",
            ours: "INSERT INTO t(rowid,k,v) VALUES (30,'c',1)",
            theirs: "UPDATE t SET v = 9 WHERE k = 'b'; INSERT INTO t VALUES ('d', 1)",
            rows: ["10|a|1", "20|b|9", "30|c|1", "31|d|1"], query: "SELECT rowid, k, v FROM t ORDER BY rowid"),
        Case(
            testDescription: "a key whose type changes",
            base: "CREATE TABLE t(k PRIMARY KEY NOT NULL, v); INSERT INTO t VALUES (1, 'v');",
            ours: "UPDATE t SET v = 'o'", theirs: "UPDATE t SET k = 1.0", rows: ["real|1.0|o"],
            query: "SELECT typeof(k), k, v FROM t"),
        Case(
            testDescription: "what is unique changes hands",
            base: "CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE, v); INSERT INTO t VALUES (1,'x',0),(2,'y',0),(3,'z',0);",
            ours: "UPDATE t SET v = 1",
            theirs: "UPDATE t SET u = NULL; UPDATE t SET u = 'y' WHERE id = 1; UPDATE t SET u = 'x' WHERE id = 2",
            rows: ["1|y|1", "2|x|1", "3|NULL|1"], query: "SELECT * FROM t ORDER BY id"),
        Case(
            testDescription: "generated columns are computed",
            base:
                "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, s AS (a + b) STORED, v AS (a * b)); INSERT INTO t(id, a, b) VALUES (1, 1, 1);",
            ours: "UPDATE t SET a = 2", theirs: "UPDATE t SET b = 3; INSERT INTO t(id, a, b) VALUES (2, 5, 5)",
            rows: ["1|2|3|5|6", "2|5|5|10|25"], query: "SELECT * FROM t ORDER BY id"),
        Case(
            testDescription: "nothing but a key", base: "CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1),(2);",
            ours: "INSERT INTO t VALUES (3); DELETE FROM t WHERE id = 1", theirs: "INSERT INTO t VALUES (3), (4)",
            rows: ["2", "3", "4"],
            query: "SELECT id FROM t ORDER BY id"),
        Case(
            testDescription: "names that need marks",
            base: "CREATE TABLE \"a \"\"b\"(\"select\" INTEGER PRIMARY KEY, \"x y\"); INSERT INTO \"a \"\"b\" VALUES (1, 1);",
            ours: "", theirs: "UPDATE \"a \"\"b\" SET \"x y\" = 2; INSERT INTO \"a \"\"b\" VALUES (2, 3)", rows: ["1|2", "2|3"],
            query: "SELECT * FROM \"a \"\"b\" ORDER BY 1"),
        Case(
            testDescription: "no key, one side", base: "CREATE TABLE t(v); INSERT INTO t VALUES (1),(2);", ours: "",
            theirs: "DELETE FROM t WHERE v = 1; INSERT INTO t VALUES (3),(3)", rows: ["2|2", "3|3", "4|3"],
            query: "SELECT rowid, v FROM t ORDER BY 1"),
        Case(
            testDescription: "no key, the other side", base: "CREATE TABLE t(v); INSERT INTO t VALUES (1),(2);",
            ours: "DELETE FROM t WHERE v = 1",
            theirs: "", rows: ["2"], query: "SELECT v FROM t"),
        Case(
            testDescription: "no key, both the same", base: "CREATE TABLE t(v); INSERT INTO t VALUES (1),(2);",
            ours: "DELETE FROM t WHERE v = 1",
            theirs: "DELETE FROM t WHERE v = 1", rows: ["2"], query: "SELECT v FROM t"),
        Case(
            testDescription: "numbered anew is not changed",
            base: "CREATE TABLE t(v); INSERT INTO t VALUES (1),(2),(3); DELETE FROM t WHERE v = 1;",
            ours: "VACUUM", theirs: "INSERT INTO t VALUES (4)", rows: ["2", "3", "4"], query: "SELECT v FROM t ORDER BY v"),
        Case(
            testDescription: "a key with NULL in it",
            base: "CREATE TABLE t(k PRIMARY KEY, v); INSERT INTO t VALUES (NULL,1),(NULL,1),('a',1);",
            ours: "", theirs: "UPDATE t SET v = 2 WHERE k = 'a'", rows: ["NULL|1", "NULL|1", "a|2"],
            query: "SELECT * FROM t ORDER BY 1"),
        Case(
            testDescription: "last keys: the larger",
            base:
                "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, v); CREATE TABLE u(id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO t(v) VALUES (1); INSERT INTO u VALUES (1);",
            ours:
                "INSERT INTO t(id, v) VALUES (5, 5); DELETE FROM t WHERE id = 5; DELETE FROM u; DELETE FROM sqlite_sequence WHERE name = 'u'",
            theirs: "INSERT INTO t(id, v) VALUES (9, 9); DELETE FROM t WHERE id = 9; INSERT INTO t(id, v) VALUES (3, 3)",
            rows: ["t|9"], query: "SELECT name, seq FROM sqlite_sequence ORDER BY 1"),
        Case(
            testDescription: "an index and a view", base: base + "CREATE INDEX i ON t(a); CREATE VIEW w AS SELECT a FROM t;",
            ours: "UPDATE t SET a = 'o' WHERE id = 1", theirs: "UPDATE t SET a = 't' WHERE id = 2", rows: ["3|a3", "1|o", "2|t"],
            query: "SELECT id, a FROM t INDEXED BY i WHERE a > '' ORDER BY a"),
        Case(
            testDescription: "UTF-16",
            base: "PRAGMA encoding='UTF-16le'; CREATE TABLE t(k TEXT PRIMARY KEY, v); INSERT INTO t VALUES ('é', '🙂');",
            ours: "INSERT INTO t VALUES ('ﬀ', 'o')", theirs: "UPDATE t SET v = 'ü'", rows: ["ﬀ|o", "é|ü"],
            query: "SELECT * FROM t ORDER BY 1"),
    ]

    @Test(arguments: cases)
    func comesTo(_ test: Case) throws {
        let merged = try merge(test.base, ours: test.ours, theirs: test.theirs)
        #expect(merged.lines == test.conflicts)
        #expect(try merged.rows(test.query) == test.rows)
        #expect(try merged.rows("PRAGMA integrity_check") == ["ok"])
        #expect(merged.decisions.openCount == test.conflicts.count)
        #expect(merged.conflicts.allSatisfy { $0.path?.description == "Library/Model.sqlite" })
        // The conflicts are at the same places with swapped sides.
        let swapped = try merge(test.base, ours: test.ours, theirs: test.theirs, isSwapped: true)
        #expect(swapped.conflicts.map(\.id) == merged.conflicts.map(\.id))
        #expect(swapped.conflicts.map(\.ours) == merged.conflicts.map(\.theirs))
        #expect(swapped.conflicts.map(\.theirs) == merged.conflicts.map(\.ours))
        #expect(swapped.conflicts.map(\.row) == merged.conflicts.map(\.row))
        #expect(swapped.notes == merged.notes)
    }

    // MARK: Decisions

    struct Decision: Sendable, CustomTestStringConvertible {
        let take: Resolution
        let row: String
        var testDescription: String { "\(take)" }
    }

    private static let ours = "UPDATE t SET a = 'o', b = 'o2' WHERE id = 2"
    private static let theirs = "UPDATE t SET a = 't' WHERE id = 2"

    @Test(arguments: [
        Decision(take: .ours, row: "2|text|o|text|o2"), Decision(take: .theirs, row: "2|text|t|text|o2"),
        Decision(take: .base, row: "2|text|a2|text|o2"),
        Decision(take: .value(.string("v")), row: "2|text|v|text|o2"),
        Decision(take: .value(.integer(4)), row: "2|integer|4|text|o2"),
        Decision(take: .value(.real(4)), row: "2|real|4.0|text|o2"),
        Decision(take: .value(.boolean(true)), row: "2|integer|1|text|o2"),
        Decision(take: .value(.data([0x41])), row: "2|blob|A|text|o2"), Decision(take: .value(.data([])), row: "2|blob||text|o2"),
        Decision(take: .value(.string("")), row: "2|text||text|o2"), Decision(take: .value(.null), row: "2|null|NULL|text|o2"),
    ])
    func aColumn(_ decision: Decision) throws {
        let merged = try merge(Self.base, ours: Self.ours, theirs: Self.theirs, resolutions: ["1": decision.take])
        #expect(merged.lines == ["row t {id=2} a: 'a2' | 'o' | 't' both changed"])
        #expect(merged.decisions.openCount == 0)
        #expect(merged.conflicts[0].resolution == decision.take)
        #expect(try merged.rows("SELECT id, typeof(a), a, typeof(b), b FROM t WHERE id = 2") == [decision.row])
        #expect(try merged.rows("SELECT count(*) FROM t") == ["3"])
    }

    @Test(arguments: [
        Decision(take: .ours, row: ""), Decision(take: .absent, row: ""), Decision(take: .theirs, row: "2|a2|t"),
        Decision(take: .base, row: "2|a2|b2"), Decision(take: .value(["a": "v"]), row: "2|v|t"),
        Decision(take: .value(["id": 2, "b": .null]), row: "2|a2|NULL"),
    ])
    func aRowThatOursDeleted(_ decision: Decision) throws {
        let merged = try merge(
            Self.base, ours: "DELETE FROM t WHERE id = 2", theirs: "UPDATE t SET b = 't' WHERE id = 2",
            resolutions: ["1": decision.take])
        #expect(try merged.rows("SELECT * FROM t WHERE id = 2").joined() == decision.row)
        #expect(merged.decisions.openCount == 0)
    }

    @Test(arguments: [
        Decision(take: .theirs, row: ""), Decision(take: .absent, row: ""), Decision(take: .ours, row: "2|a2|o"),
        Decision(take: .base, row: "2|a2|b2"), Decision(take: .value(["a": "v"]), row: "2|v|o"),
    ])
    func aRowThatTheirsDeleted(_ decision: Decision) throws {
        let merged = try merge(
            Self.base, ours: "UPDATE t SET b = 'o' WHERE id = 2", theirs: "DELETE FROM t WHERE id = 2",
            resolutions: ["1": decision.take])
        #expect(try merged.rows("SELECT * FROM t WHERE id = 2").joined() == decision.row)
    }

    @Test(arguments: [
        Decision(take: .theirs, row: "t|t|1"), Decision(take: .ours, row: "o|o|1"), Decision(take: .base, row: ""),
        Decision(take: .absent, row: ""), Decision(take: .value(.null), row: "NULL|NULL|1"),
    ])
    func aRowThatBothAdded(_ decision: Decision) throws {
        let merged = try merge(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c);", ours: "INSERT INTO t VALUES (7, 'o', 'o', 1)",
            theirs: "INSERT INTO t VALUES (7, 't', 't', 1)", resolutions: ["1": decision.take, "2": decision.take])
        #expect(merged.conflicts.map(\.column) == ["a", "b"])
        #expect(merged.decisions.openCount == 0)
        #expect(try merged.rows("SELECT a, b, c FROM t").joined() == decision.row)
    }

    @Test(
        arguments: [
            (["1": .base, "2": .ours], "1"), (["1": .theirs, "2": .absent], "2"), (["2": .base], "2"),
            (["1": .absent, "2": .value(1)], "1"),
        ] as [([String: Resolution], String)])
    func aRowThatIsHalfThere(_ resolutions: [String: Resolution], _ id: String) throws {
        let error = try #require(throws: CapsuleError.self) {
            try merge(
                Self.base, ours: "INSERT INTO t VALUES (7, 'o', 'o')", theirs: "INSERT INTO t VALUES (7, 't', 't')",
                resolutions: resolutions)
        }
        #expect(error.code == .resolution)
        #expect(error.message.contains("conflict '\(id)'") && error.message.contains("for all its conflicts"), "\(error.message)")
    }

    @Test func aPreferenceDecidesAll() throws {
        let merged = try merge(
            Self.base, ours: "UPDATE t SET a = 'o'; DELETE FROM t WHERE id = 1", theirs: "UPDATE t SET a = 't'",
            preferences: [MergePreference(.theirs, text: "theirs")])
        #expect(merged.conflicts.count == 3)
        #expect(merged.conflicts.allSatisfy { $0.decidedBy == "theirs" })
        #expect(try merged.rows("SELECT id, a FROM t ORDER BY 1") == ["1|t", "2|t", "3|t"])
    }

    @Test(
        arguments: [
            (Resolution.absent, "can't be absent: write NULL as null"), (.value(.null), "NOT NULL"),
            (.value(.array([])), "an array"),
            (.value(.uid(1)), "a uid"), (.value(.date(1)), "a date"), (.value(.integer(PlistInteger(UInt64.max))), "an integer"),
            (.value(.real(.nan)), "a real"),
        ] as [(Resolution, String)])
    func whatNoColumnCanHold(_ take: Resolution, _ word: String) throws {
        let error = try #require(throws: CapsuleError.self) {
            try merge(
                "CREATE TABLE t(id INTEGER PRIMARY KEY, a NOT NULL); INSERT INTO t VALUES (1, 'b'), (2, 'b');",
                ours: "UPDATE t SET a = 'o'", theirs: "UPDATE t SET a = 't'", resolutions: ["1": .ours, "2": take])
        }
        #expect(error.code == .resolution)
        #expect(error.message.contains("the conflict '2' does not fit there: table t, row"), "\(error.message)")
        #expect(error.message.contains(word), "\(error.message)")
    }

    @Test(
        arguments: [
            (.string("x"), "dictionary"), (["nope": 1], "no column nope"), (["id": 3], "key"), (["a": ["b"]], "an array"),
        ] as [(PlistValue, String)])
    func whatNoRowCanBe(_ value: PlistValue, _ word: String) throws {
        let error = try #require(throws: CapsuleError.self) {
            try merge(
                Self.base, ours: "DELETE FROM t WHERE id = 2", theirs: "UPDATE t SET b = 't' WHERE id = 2",
                resolutions: ["1": .value(value)])
        }
        #expect(error.code == .resolution)
        #expect(error.message.contains("the conflict '1'") && error.message.contains(word), "\(error.message)")
    }

    @Test func longValuesAreOutlined() throws {
        let merged = try merge(
            Self.base, ours: "UPDATE t SET a = zeroblob(2000000) WHERE id = 1; DELETE FROM t WHERE id = 2",
            theirs: "UPDATE t SET a = hex(zeroblob(2000000)) WHERE id = 1; UPDATE t SET a = zeroblob(2000000) WHERE id = 2",
            resolutions: ["1": .theirs, "2": .value(["b": "kept"])])
        #expect(merged.conflicts[0].ours?.dictionary?["Size"] == 2_000_000)
        #expect(merged.conflicts[0].theirs?.dictionary?["Size"] == 4_000_000)
        #expect(merged.conflicts[0].ours?.dictionary?["Digest"] != nil)
        #expect(
            try merged.rows("SELECT id, typeof(a), length(a), b FROM t WHERE id < 3 ORDER BY id")
                == ["1|text|4000000|b1", "2|blob|2000000|kept"])
    }

    @Test func secretsAreNotShown() throws {
        let base = "CREATE TABLE genp(id INTEGER PRIMARY KEY, acct, data); INSERT INTO genp VALUES (1, 'a', x'00');"
        let merged = try merge(
            base, ours: "UPDATE genp SET data = x'01'", theirs: "UPDATE genp SET data = x'02'", resolutions: ["1": .theirs])
        let hidden = "{Hidden='keychain'}"
        #expect(merged.lines == ["row genp {id=1} data: \(hidden) | \(hidden) | \(hidden) both changed"])
        #expect(try merged.rows("SELECT hex(data) FROM genp") == ["02"])
    }

    // MARK: No base, and the header

    @Test func withoutABase() throws {
        let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE n(v);"
        let merged = try merge(
            nil, ours: schema + "INSERT INTO t VALUES (1, 1), (2, 2), (3, 'o')",
            theirs: schema + "INSERT INTO t VALUES (2, 2), (3, 't'), (4, 4); INSERT INTO n VALUES (5)")
        #expect(merged.lines == ["row t {id=3} a: - | 'o' | 't' both added"])
        #expect(try merged.rows("SELECT * FROM t ORDER BY 1") == ["1|1", "2|2", "3|o", "4|4"])
        #expect(try merged.rows("SELECT * FROM n") == ["5"])
    }

    @Test func numbersOfTheHeader() throws {
        let merged = try merge(
            Self.base + "PRAGMA user_version=1; PRAGMA application_id=1;", ours: "PRAGMA user_version=2",
            theirs: "PRAGMA user_version=3; PRAGMA application_id=7", resolutions: ["1": .theirs])
        #expect(merged.lines == ["metadata user_version: 1 | 2 | 3 both changed"])
        #expect(try merged.rows("PRAGMA user_version") + merged.rows("PRAGMA application_id") == ["3", "7"])
        let open = try merge(
            Self.base + "PRAGMA user_version=1;", ours: "PRAGMA user_version=2", theirs: "PRAGMA user_version=3")
        #expect(try open.rows("PRAGMA user_version") == ["2"])
        #expect(throws: CapsuleError.self) {
            try merge(
                Self.base, ours: "PRAGMA user_version=2", theirs: "PRAGMA user_version=3", resolutions: ["1": .value("4")])
        }
    }
}
