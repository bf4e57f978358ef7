import CapsuleDatabases
import CapsuleSQLite
import Testing

/// The rows of two databases as SQL, and the expected lines.
struct RowCase: CustomTestStringConvertible, Sendable {
    let name: String
    let old: String
    let new: String
    let lines: [String]

    init(_ name: String, _ old: String, _ new: String, _ lines: [String]) {
        self.name = name
        self.old = old
        self.new = new
        self.lines = lines
    }

    var testDescription: String { name }

    /// Creates a case in which both sides have the same tables and different rows.
    init(_ name: String, schema: String, _ old: String, _ new: String, _ lines: [String]) {
        self.init(name, schema + ";" + old, schema + ";" + new, lines)
    }
}

@Suite("rows of two databases")
struct RowDiffTests {
    static let keys: [RowCase] = [
        RowCase(
            "the same", schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)", "INSERT INTO t VALUES (1, 2), (3, 4)",
            "INSERT INTO t VALUES (3, 4), (1, 2)", []),
        RowCase(
            "an integer primary key", schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)",
            "INSERT INTO t VALUES (1, 2, 3), (5, 'x', NULL), (9, 1, 1)",
            "INSERT INTO t VALUES (-7, NULL, 'n'), (1, 2, 4), (9, 1, 1)",
            ["+ t {id=-7} b='n'", "~ t {id=1} b: 3 -> 4", "- t {id=5} a='x'"]),
        RowCase(
            "no key: row IDs", schema: "CREATE TABLE t(a)", "INSERT INTO t(rowid, a) VALUES (1, 'x'), (2, 'y')",
            "INSERT INTO t(rowid, a) VALUES (1, 'z'), (3, 'y')",
            ["~ t {rowid=1} a: 'x' -> 'z'", "- t {rowid=2} a='y'", "+ t {rowid=3} a='y'"]),
        RowCase(
            "the same rows under other row IDs", schema: "CREATE TABLE t(a, b)",
            "INSERT INTO t(rowid, a) VALUES (2, 'x'), (4, 'y'), (5, 'x'), (9, NULL)",
            "INSERT INTO t(a) VALUES (NULL), ('x'), ('x'), ('y')", ["~ row IDs of t"]),
        RowCase(
            "not as often", schema: "CREATE TABLE t(a)", "INSERT INTO t(rowid, a) VALUES (2, 'x'), (3, 'y'), (4, 'x')",
            "INSERT INTO t(rowid, a) VALUES (2, 'y'), (3, 'y'), (4, 'x')", ["~ t {rowid=2} a: 'x' -> 'y'"]),
        RowCase(
            "of another type", schema: "CREATE TABLE t(a)", "INSERT INTO t(rowid, a) VALUES (1, 1)",
            "INSERT INTO t(rowid, a) VALUES (2, 1.0)", ["- t {rowid=1} a=1", "+ t {rowid=2} a=r1.0"]),
        RowCase(
            "columns that take the names of row IDs", schema: "CREATE TABLE t(rowid, _rowid_, a)",
            "INSERT INTO t VALUES (9, 9, 1), (8, 8, 2)", "INSERT INTO t VALUES (9, 9, 1), (8, 8, 3)",
            ["~ t {rowid=2} a: 2 -> 3"]),
        RowCase(
            "no name for row IDs is left", schema: "CREATE TABLE t(rowid, _rowid_, oid)",
            "INSERT INTO t VALUES (1, 1, 1), (1, 1, 1), (2, 2, 2)", "INSERT INTO t VALUES (2, 2, 2), (1, 1, 1), (3, 3, 3)",
            ["- t rowid=1 _rowid_=1 oid=1", "+ t rowid=3 _rowid_=3 oid=3"]),
        RowCase(
            "a key of two columns, in an order of its own", schema: "CREATE TABLE t(a, b, c, PRIMARY KEY(b, a)) WITHOUT ROWID",
            "INSERT INTO t VALUES (1, 2, 'x'), (2, 1, 'y'), (3, 3, 'z')",
            "INSERT INTO t VALUES (1, 2, 'x'), (2, 1, 'Y'), (4, 0, 'w')",
            ["+ t {b=0,a=4} c='w'", "~ t {b=1,a=2} c: 'y' -> 'Y'", "- t {b=3,a=3} c='z'"]),
        RowCase(
            "a text key that ignores case", schema: "CREATE TABLE t(k TEXT PRIMARY KEY COLLATE NOCASE, v) WITHOUT ROWID",
            "INSERT INTO t VALUES ('a', 1), ('B', 2), ('c', 3), ('D', 4)",
            "INSERT INTO t VALUES ('a', 1), ('b', 2), ('c', 5), ('D', 4)",
            ["- t {k='B'} v=2", "+ t {k='b'} v=2", "~ t {k='c'} v: 3 -> 5"]),
        RowCase(
            "a key in an order that only the app knows", schema: "CREATE TABLE t(k TEXT COLLATE backwards PRIMARY KEY, v)",
            "INSERT INTO t VALUES ('a', 1), ('b', 2), ('c', 3)", "INSERT INTO t VALUES ('a', 1), ('b', 3), ('d', 3)",
            ["~ t {k='b'} v: 2 -> 3", "- t {k='c'} v=3", "+ t {k='d'} v=3"]),
        RowCase(
            "the same without row IDs", schema: "CREATE TABLE t(k TEXT COLLATE backwards PRIMARY KEY, v) WITHOUT ROWID",
            "INSERT INTO t VALUES ('a', 1), ('b', 2), ('c', 3)", "INSERT INTO t VALUES ('a', 1), ('b', 3), ('d', 3)",
            ["~ t {k='b'} v: 2 -> 3", "- t {k='c'} v=3", "+ t {k='d'} v=3"]),
        RowCase(
            "keys of all types", schema: "CREATE TABLE t(k PRIMARY KEY, v)",
            "INSERT INTO t VALUES (1, 1), (2.5, 1), ('1', 1), (x'31', 1), (9007199254740993, 1), (-9e99, 1)",
            "INSERT INTO t VALUES (1, 2), (2.5, 2), ('1', 2), (x'31', 2), (9007199254740993, 2), (-9e99, 2)",
            [
                "~ t {k=r-9e+99} v: 1 -> 2", "~ t {k=1} v: 1 -> 2", "~ t {k=r2.5} v: 1 -> 2",
                "~ t {k=9007199254740993} v: 1 -> 2", "~ t {k='1'} v: 1 -> 2", "~ t {k=x'31'} v: 1 -> 2",
            ]),
        RowCase(
            "keys that are one number in two types", schema: "CREATE TABLE t(k PRIMARY KEY, v)",
            "INSERT INTO t VALUES (1, 1), (9007199254740992, 0)", "INSERT INTO t VALUES (1.0, 1), (9007199254740993, 0)",
            ["~ t {k=r1.0} k: 1 -> r1.0", "- t {k=9007199254740992} v=0", "+ t {k=9007199254740993} v=0"]),
        RowCase(
            "NULL in keys", schema: "CREATE TABLE t(k PRIMARY KEY, v)", "INSERT INTO t VALUES (NULL, 1), (NULL, 2), (1, 3)",
            "INSERT INTO t VALUES (NULL, 1), (NULL, 4), (1, 3)", ["~ t {rowid=2} v: 2 -> 4"]),
        RowCase(
            "another key", "CREATE TABLE t(a, b, PRIMARY KEY(a)); INSERT INTO t VALUES (1, 2), (3, 4)",
            "CREATE TABLE t(a, b, PRIMARY KEY(b)); INSERT INTO t VALUES (1, 2), (3, 5)",
            [
                "~ table t CREATE TABLE t(a, b, PRIMARY KEY(a)) -> CREATE TABLE t(a, b, PRIMARY KEY(b))",
                "~ t {rowid=2} b: 4 -> 5",
            ]),
        RowCase(
            "another key and no row IDs: as many rows as there are",
            "CREATE TABLE t(a PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO t VALUES (1, 2), (3, 4), (5, 6)",
            "CREATE TABLE t(a, b); INSERT INTO t VALUES (5, 6), (3, 4.5), (1, 2), (1, 2)",
            [
                "~ table t CREATE TABLE t(a PRIMARY KEY, b) WITHOUT ROWID -> CREATE TABLE t(a, b)", "+ t a=1 b=2",
                "- t a=3 b=4", "+ t a=3 b=r4.5",
            ]),
        RowCase(
            "integers and reals in rows that are paired by content",
            "CREATE TABLE t(rowid, oid, _rowid_); INSERT INTO t VALUES (1, 1.0, 0), (1.0, 1, 0)",
            "CREATE TABLE t(rowid, oid, _rowid_); INSERT INTO t VALUES (1.0, 1, 0), (1, 1.0, 0)", []),
        RowCase(
            "a descending primary key", schema: "CREATE TABLE t(id INTEGER PRIMARY KEY DESC, a)",
            "INSERT INTO t VALUES (1, 1), (2, 2), (10, 3)", "INSERT INTO t VALUES (2, 2), (10, 4)",
            ["- t {id=1} a=1", "~ t {id=10} a: 3 -> 4"]),
    ]

    static let values: [RowCase] = [
        RowCase(
            "types are exact", schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)",
            "INSERT INTO t VALUES (1, 1), (2, 1), (3, 1), (4, 1.0), (5, '1'), (6, NULL), (7, '')",
            "INSERT INTO t VALUES (1, 1.0), (2, '1'), (3, x'31'), (4, '1'), (5, x'31'), (6, ''), (7, x'')",
            [
                "~ t {id=1} a: 1 -> r1.0", "~ t {id=2} a: 1 -> '1'", "~ t {id=3} a: 1 -> x'31'", "~ t {id=4} a: r1.0 -> '1'",
                "~ t {id=5} a: '1' -> x'31'", "~ t {id=6} a: NULL -> ''", "~ t {id=7} a: '' -> x''",
            ]),
        RowCase(
            "texts with NUL, of no UTF-8, in two normal forms", schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)",
            "INSERT INTO t VALUES (1, 'a' || char(0) || 'b'), (2, CAST(x'ff' AS TEXT)), (3, 'é'), (4, 'a' || char(0))",
            "INSERT INTO t VALUES (1, 'a' || char(0) || 'c'), (2, CAST(x'fe' AS TEXT)), (3, 'e\u{301}'), (4, 'a' || char(0))",
            [
                "~ t {id=1} a: 'a\0b' -> 'a\0c'", "~ t {id=2} a: x'ff' -> x'fe'", "~ t {id=3} a: 'é' -> 'e\u{301}'",
            ]),
        RowCase(
            "the extremes of numbers", schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)",
            "INSERT INTO t VALUES (1, 9223372036854775807), (2, -9223372036854775808), (3, 9e999), (4, 1e-300)",
            "INSERT INTO t VALUES (1, 9223372036854775806), (2, -9223372036854775807), (3, -9e999), (4, 2e-300)",
            [
                "~ t {id=1} a: 9223372036854775807 -> 9223372036854775806",
                "~ t {id=2} a: -9223372036854775808 -> -9223372036854775807", "~ t {id=3} a: rinf -> r-inf",
                "~ t {id=4} a: r1e-300 -> r2e-300",
            ]),
        RowCase(
            "a column that one side alone has",
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a, old); INSERT INTO t VALUES (1, 1, NULL), (2, 2, 3)",
            "CREATE TABLE t(NEW, id INTEGER PRIMARY KEY, A); INSERT INTO t VALUES (NULL, 1, 1), (4, 2, 2), (5, 3, 3)",
            [
                "~ table t CREATE TABLE t(id INTEGER PRIMARY KEY, a, old) -> CREATE TABLE t(NEW, id INTEGER PRIMARY KEY, A)",
                "~ t {id=2} old: 3 -> NULL NEW: NULL -> 4", "+ t {id=3} a=3 NEW=5",
            ]),
        RowCase(
            "a column that was added and is NULL",
            schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1), (2, 2)",
            "SELECT 1", "ALTER TABLE t ADD COLUMN b",
            [
                "~ table t CREATE TABLE t(id INTEGER PRIMARY KEY, a) -> CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)"
            ]),
        RowCase(
            "generated columns: stored ones only",
            schema: """
                CREATE TABLE t(id INTEGER PRIMARY KEY, a, v AS (a * 2) VIRTUAL, s AS (a * 3) STORED,
                slow AS (length(hex(zeroblob(a * 100000)))) VIRTUAL)
                """, "INSERT INTO t(id, a) VALUES (1, 1), (2, 2)", "INSERT INTO t(id, a) VALUES (1, 1), (2, 4)",
            ["~ t {id=2} a: 2 -> 4 s: 6 -> 12"]),
        RowCase(
            "a strict table", schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a ANY, b REAL) STRICT",
            "INSERT INTO t VALUES (1, '1', 2), (2, 1, 3)", "INSERT INTO t VALUES (1, 1, 2), (2, 1, 4)",
            ["~ t {id=1} a: '1' -> 1", "~ t {id=2} b: r3.0 -> r4.0"]),
        RowCase(
            "names with quotation marks, of keywords, in any script",
            schema: """
                CREATE TABLE "a""b"("select" INTEGER PRIMARY KEY, "x""y", [z], `ü`); CREATE TABLE "table"('group' PRIMARY KEY, "1");
                CREATE TABLE "таблица 表 🙂"(a, b); CREATE TABLE "é"(a); CREATE TABLE "e\u{301}"(a)
                """,
            """
            INSERT INTO "a""b" VALUES (1, 2, 3, 4); INSERT INTO "table" VALUES ('k', 1); INSERT INTO "таблица 表 🙂" VALUES (1, 2);
            INSERT INTO "é" VALUES (1); INSERT INTO "e\u{301}" VALUES (2)
            """,
            """
            INSERT INTO "a""b" VALUES (1, 5, 3, 6); INSERT INTO "table" VALUES ('k', 2); INSERT INTO "таблица 表 🙂" VALUES (1, 3);
            INSERT INTO "é" VALUES (1); INSERT INTO "e\u{301}" VALUES (3)
            """,
            [
                "~ a\"b {select=1} x\"y: 2 -> 5 ü: 4 -> 6", "~ e\u{301} {rowid=1} a: 2 -> 3", "~ table {group='k'} 1: 1 -> 2",
                "~ таблица 表 🙂 {rowid=1} b: 2 -> 3",
            ]),
        RowCase(
            "what SQLite keeps for itself, but its sequences",
            schema: "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a); CREATE INDEX i ON t(a)",
            "INSERT INTO t(a) VALUES (1)",
            "INSERT INTO t(a) VALUES (1), (2), (3); DELETE FROM t WHERE a > 1; ANALYZE",
            ["~ sqlite_sequence {rowid=1} seq: 1 -> 3"]),
        RowCase(
            "a table that one side alone has", "CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'x')",
            "CREATE TABLE u(k TEXT PRIMARY KEY, a) WITHOUT ROWID; INSERT INTO u VALUES ('k', x'00'), ('j', NULL)",
            ["- table t", "+ table u", "- t {id=1} a='x'", "+ u {k='j'}", "+ u {k='k'} a=x'00'"]),
        RowCase("two empty databases", "", "", []),
    ]

    @Test(arguments: keys + values)
    func rowsAre(_ rows: RowCase) throws {
        let found = try difference(rows.old, rows.new)
        #expect(lines(found) == rows.lines)
        #expect(found.isComplete)
        #expect(found.isSame == rows.lines.isEmpty)
    }

    /// With the sides swapped, added rows are deleted ones, and all changes have their sides swapped.
    @Test(arguments: keys + values)
    func sidesAreAlike(_ rows: RowCase) throws {
        let found = try difference(rows.new, rows.old)
        let signs = rows.lines.map { line in line.first == "+" ? "-" : line.first == "-" ? "+" : "~" }
        #expect(lines(found).map { String($0.prefix(1)) }.sorted() == signs.sorted())
    }

    static let encodings = ["UTF-8", "UTF-16le", "UTF-16be"]

    /// Texts are equal in all encodings, also as keys: 'ﬀ' and '𝕏' have another order in UTF-16.
    @Test(arguments: encodings, encodings)
    func encodingsMakeNoDifferenceToRows(_ old: String, _ new: String) throws {
        let schema = """
            CREATE TABLE t(k TEXT PRIMARY KEY, v); CREATE TABLE u(id INTEGER PRIMARY KEY, a, b); CREATE TABLE w(rowid, oid, _rowid_);
            """
        let rows = """
            INSERT INTO t VALUES ('ﬀ', 1), ('𝕏', 2), ('a', 3), ('ä', 4), ('z', x'6162'), (7, 8);
            INSERT INTO u VALUES (1, 'é', x'0001'), (2, '🙂', NULL), (3, '', x''); INSERT INTO w VALUES ('ﬀ', 1, 2), ('𝕏', 2, 3);
            """
        let changes = """
            UPDATE t SET v = v || '!' WHERE k IN ('ﬀ', 'ä'); DELETE FROM t WHERE k = '𝕏'; UPDATE u SET a = 'è' WHERE id = 1;
            UPDATE w SET oid = 9 WHERE rowid = '𝕏';
            """
        let found = try difference(
            "PRAGMA encoding='\(old)';" + schema + rows, "PRAGMA encoding='\(new)';" + schema + rows + changes)
        let pragma = old == new ? [] : ["~ pragma encoding \(old) -> \(new)"]
        #expect(
            lines(found).sorted()
                == (pragma + [
                    "~ t {k='ä'} v: 4 -> '4!'", "~ t {k='ﬀ'} v: 1 -> '1!'", "- t {k='𝕏'} v=2", "~ u {id=1} a: 'é' -> 'è'",
                    "- w rowid='𝕏' oid=2 _rowid_=3",
                    "+ w rowid='𝕏' oid=9 _rowid_=3",
                ]).sorted())
        #expect(found.isComplete)
    }
}
