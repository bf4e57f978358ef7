import CapsuleCore
import CapsuleDatabases
import CapsuleSQLite
import TestSupport
import Testing

@Suite("schemas of two databases")
struct SchemaDiffTests {
    static let cases: [RowCase] = [
        RowCase(
            "by kind, then by name",
            "CREATE TABLE b(x); CREATE VIEW v AS SELECT 1; CREATE INDEX i ON b(x); CREATE TABLE c(x)",
            """
            CREATE TABLE b(x); CREATE TABLE a(x); CREATE TRIGGER r AFTER INSERT ON b BEGIN SELECT 1; END;
            CREATE VIEW v AS SELECT 2; CREATE INDEX j ON b(x)
            """,
            [
                "+ table a", "- table c", "- index i", "+ index j",
                "~ view v CREATE VIEW v AS SELECT 1 -> CREATE VIEW v AS SELECT 2",
                "+ trigger r",
            ]),
        RowCase(
            "space and comments are no change", "CREATE TABLE t(a, b DEFAULT 'x  y'); CREATE INDEX i ON t(a,b)",
            "CREATE TABLE t  ( a /* the first */ ,\n\tb DEFAULT 'x  y' -- the last\n); CREATE INDEX i\nON t (a, b)", []),
        RowCase(
            "space within quotation marks is one", "CREATE TABLE t(a, b DEFAULT 'x  y')", "CREATE TABLE t(a, b DEFAULT 'x y')",
            ["~ table t CREATE TABLE t(a, b DEFAULT 'x  y') -> CREATE TABLE t(a, b DEFAULT 'x y')"]),
        RowCase(
            "indexes that constraints make are told by the table alone", "CREATE TABLE t(a UNIQUE)", "CREATE TABLE t(a)",
            ["~ table t CREATE TABLE t(a UNIQUE) -> CREATE TABLE t(a)"]),
        RowCase(
            "pragmas with a meaning", "PRAGMA user_version=3; CREATE TABLE t(a)",
            "PRAGMA page_size=8192; PRAGMA auto_vacuum=FULL; PRAGMA application_id=77; PRAGMA user_version=-4; CREATE TABLE t(a)",
            ["~ pragma application_id 0 -> 77", "~ pragma user_version 3 -> -4"]),
        RowCase(
            "full-text tables: content only",
            """
            CREATE VIRTUAL TABLE f USING fts5(a, b); INSERT INTO f VALUES ('one', 'two'), ('three', 'four');
            CREATE VIRTUAL TABLE g USING fts4(a); INSERT INTO g VALUES ('one'); CREATE VIRTUAL TABLE e USING fts5(a, content='')
            """,
            """
            CREATE VIRTUAL TABLE f USING fts5(a, b); INSERT INTO f VALUES ('one', 'two'); INSERT INTO f VALUES ('three', 'five');
            INSERT INTO f(f) VALUES ('optimize'); CREATE VIRTUAL TABLE g USING fts4(a); INSERT INTO g VALUES ('two');
            CREATE VIRTUAL TABLE h USING "fts3"(a); CREATE VIRTUAL TABLE e USING fts5(a, content='');
            INSERT INTO e(rowid, a) VALUES (1, 'text')
            """,
            [
                "+ virtual table h", "~ f_content {id=2} c1: 'four' -> 'five'", "~ g_content {docid=1} c0a: 'one' -> 'two'",
            ]),
        RowCase(
            "an R-tree's own tables are all there is of it",
            "CREATE VIRTUAL TABLE r USING rtree(id, a, b); INSERT INTO r VALUES (1, 2, 3)",
            "CREATE VIRTUAL TABLE r USING rtree(id, a, b); INSERT INTO r VALUES (1, 2, 3); DELETE FROM r",
            [
                "~ r_node {nodeno=1} data: NODE -> NODE", "- r_rowid {rowid=1} nodeno=1",
            ]),
    ]

    @Test(arguments: cases)
    func schemasAre(_ schema: RowCase) throws {
        let found = try difference(schema.old, schema.new)
        // The format of an R-tree's node is an internal matter of SQLite.
        let told = lines(found).map {
            $0.hasPrefix("~ r_node {nodeno=1} data: x'") ? "~ r_node {nodeno=1} data: NODE -> NODE" : $0
        }
        // The content of the tables of an index without texts is internal to FTS5. That they differ is not.
        let index = told.filter { $0.dropFirst(2).hasPrefix("e_") }
        #expect(index.isEmpty != schema.old.contains("content=''"))
        #expect(told.filter { !$0.hasPrefix("+ h_") && !index.contains($0) } == schema.lines)
        #expect(found.isSame == schema.lines.isEmpty)
    }

    /// The storage of the same rows makes no difference: pages, free pages, order of writing, journal.
    @Test(arguments: [
        "VACUUM", "PRAGMA journal_mode=WAL; INSERT INTO t VALUES (999, 1); DELETE FROM t WHERE id = 999",
        "PRAGMA page_size=512; VACUUM",
        "PRAGMA auto_vacuum=INCREMENTAL; VACUUM", "CREATE INDEX x ON t(a); DROP INDEX x", "REINDEX", "ANALYZE",
        "CREATE TABLE other(a); INSERT INTO other VALUES (randomblob(100000)); DROP TABLE other",
        "DELETE FROM t WHERE id > 50; WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i - 1 FROM n WHERE i > 51) "
            + "INSERT INTO t SELECT i, 'row ' || i FROM n",
    ])
    func storageIsNoChange(_ sql: String) throws {
        let rows = """
            CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE INDEX i ON t(a);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO t SELECT i, 'row ' || i FROM n;
            """
        let found = try difference(rows, rows + sql)
        #expect(lines(found) == [])
        #expect(found.isSame)
    }
}

/// Databases that are made to harm whoever opens them.
@Suite("hostile databases")
struct HostileSchemaTests {
    private static let limits = WorkLimits(time: .seconds(60), steps: 5_000_000)
    private static let table = "CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 2);"

    /// Compares a plain database with one whose schema is written by hand.
    private static func compare(_ sql: String, _ schema: [String] = []) throws -> FoundDifference {
        let directory = try TemporaryDirectory()
        _ = try LiveDatabase(directory["a"], table)
        do {
            let live = try LiveDatabase(directory["b"], table + sql)
            if !schema.isEmpty { try live.openSchema() }
            for statement in schema { try live.run(statement) }
        }
        return try FoundDifference(
            copy(directory["a"]).open(limits: limits), copy(directory["b"]).open(limits: limits),
            options: DatabaseDiffOptions(work: limits))
    }

    /// Nothing in a schema is executed.
    @Test func viewsAndTriggersAreTextOnly() throws {
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
        let found = try Self.compare(
            """
            CREATE VIEW v AS \(endless); CREATE VIEW w AS SELECT * FROM v, v, v;
            CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; END;
            CREATE TABLE g(id INTEGER PRIMARY KEY, a CHECK (length(a) < 9),
                b AS (length(printf('%.100000000c', id))), c DEFAULT (randomblob(1000000000)));
            INSERT INTO g(id, a, c) VALUES (1, 2, 3); CREATE INDEX e ON t(length(a)) WHERE abs(a) > 1
            """)
        #expect(
            lines(found) == ["+ table g", "+ index e", "+ view v", "+ view w", "+ trigger r", "+ g {id=1} a=2 c=3"])
        #expect(found.isComplete)
    }

    /// Rows of `sqlite_master` with their results: damage of a table, or only lines.
    @Test(
        arguments: [
            ("a view that says it is a table", "'table', 'x', 'x', 0, 'CREATE VIEW x AS SELECT * FROM t'", nil),
            ("another name in the text", "'table', 'x', 'x', 2, 'CREATE TABLE y(id INTEGER PRIMARY KEY, a)'", nil),
            ("the schema's own page", "'table', 'x', 'x', 1, 'CREATE TABLE x(a, b, c, d, e)'", nil),
            ("another table's page", "'table', 'x', 'x', 2, 'CREATE TABLE x(a, b)'", ""),
            (
                "another table's page, without row IDs", "'table', 'x', 'x', 2, 'CREATE TABLE x(a PRIMARY KEY, b) WITHOUT ROWID'",
                "x"
            ),
            ("a page that is not there", "'table', 'x', 'x', 99999, 'CREATE TABLE x(a, b)'", nil),
            ("no page", "'table', 'x', 'x', 0, 'CREATE TABLE x(a, b)'", nil),
            ("a module that nobody knows", "'table', 'x', 'x', 0, 'CREATE /* */ VIRTUAL -- \n TABLE x USING evil(a, b)'", ""),
            (
                "a module that reads files", "'table', 'x', 'x', 0, 'CREATE VIRTUAL TABLE x USING csv(filename=''/etc/passwd'')'",
                ""
            ),
            ("an unknown kind", "'thing', 'x', 'x', 0, 'CREATE TABLE x(a)'", nil),
            ("garbage", "'table', 'x', 'x', 2, 'CREATE TABLE x(((((('", nil),
            ("another statement", "'table', 'x', 'x', 2, 'DELETE FROM t'", nil),
            ("two statements", "'table', 'x', 'x', 2, 'CREATE TABLE x(a); DROP TABLE t'", nil),
            ("no text", "'table', 'x', 'x', 2, NULL", nil),
            ("numbers", "1, 2, 3, 4, 5", nil),
            ("a table twice", "'table', 't', 't', 2, 'CREATE TABLE t(b)'", nil),
        ] as [(String, String, String?)])
    func schemaRows(_ name: String, _ row: String, _ damaged: String?) throws {
        let statement = "INSERT INTO sqlite_master(type, name, tbl_name, rootpage, sql) VALUES (\(row))"
        do {
            let found = try Self.compare("", [statement])
            if let damaged, !damaged.isEmpty {
                #expect(found.damage.map(\.table) == [damaged], "\(name)")
                #expect(!found.isComplete)
            }
            #expect(!lines(found).contains { $0.contains(" t {") }, "\(name)")
        } catch let error as CapsuleError {
            // A schema that contradicts itself is refused completely.
            #expect(damaged == nil, "\(name): \(error)")
            #expect(error.code == .damaged || error.code == .unsupported, "\(name): \(error)")
        }
    }

    @Test func manyColumnsAreRefused() throws {
        let columns = (0..<32_767).map { "c\($0)" }.joined(separator: ",")
        do {
            _ = try Self.compare(
                "", ["INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 2, 'CREATE TABLE x(\(columns))')"])
            Issue.record("a table of 32767 columns was read")
        } catch let error as CapsuleError {
            #expect(error.code == .damaged)
            #expect(error.message.contains("too many columns"))
        }
    }

    @Test func manyColumnsThatSQLiteAllowsAreRead() throws {
        let columns = (0..<1999).map { "column\($0)" }
        let found = try Self.compare(
            "CREATE TABLE x(\(columns.joined(separator: ",")), PRIMARY KEY(column5)); INSERT INTO x(column5, column1998) VALUES (1, 2)"
        )
        #expect(lines(found) == ["+ table x", "+ x {column5=1} column1998=2"])
    }

    @Test func longNames() throws {
        let name = String(repeating: "n", count: 100_000)
        let found = try Self.compare("CREATE TABLE \"\(name)\"(\"\(name)\"); INSERT INTO \"\(name)\" VALUES (1)")
        #expect(lines(found) == ["+ table \(name)", "+ \(name) {rowid=1} \(name)=1"])
    }

    @Test func manyTables() throws {
        let found = try Self.compare("BEGIN;" + (0..<500).map { "CREATE TABLE x\($0)(a);" }.joined() + "COMMIT")
        #expect(lines(found).count == 500)
        #expect(found.isComplete)
    }

    /// A tree whose pages refer to each other has no end, or countless rows.
    @Test(arguments: [false, true])
    func treesOfPagesThatNameEachOther(_ isShared: Bool) throws {
        let directory = try TemporaryDirectory()
        let sql = """
            PRAGMA page_size=512; CREATE TABLE t(id INTEGER PRIMARY KEY, a);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO t SELECT i, 'some text to fill pages' FROM n;
            """
        _ = try LiveDatabase(directory["a"], sql)
        var bytes = try Files.read(directory["a"])
        let root = 512
        #expect(bytes[root] == 5)
        let cells = Int(bytes[root + 3]) << 8 | Int(bytes[root + 4])
        #expect(cells > 2)
        // Each child of the root is the root itself, or the root's first child.
        let first = root + (Int(bytes[root + 12]) << 8 | Int(bytes[root + 13]))
        let child = isShared ? Array(bytes[first..<first + 4]) : [0, 0, 0, 2]
        for cell in 0..<cells {
            let place = root + (Int(bytes[root + 12 + 2 * cell]) << 8 | Int(bytes[root + 13 + 2 * cell]))
            bytes.replaceSubrange(place..<place + 4, with: child)
        }
        bytes.replaceSubrange(root + 8..<root + 12, with: child)
        let found = try FoundDifference(
            copy(directory["a"]).open(limits: Self.limits), copy(bytes).open(limits: Self.limits),
            options: DatabaseDiffOptions(work: Self.limits))
        #expect(found.damage.map(\.table) == ["t"])
        #expect(found.damage.map(\.side) == [.new])
    }

    /// A value above the maximum length: the table can't be read, and the report says so.
    @Test func hugeValues() throws {
        let found = try Self.compare("CREATE TABLE x(a); INSERT INTO x VALUES (zeroblob(270 << 20))")
        #expect(found.damage.map(\.table) == ["x"])
        #expect(found.damage.first?.message == "table x: string or blob too big")
    }

    @Test func encryptedOrNoDatabase() throws {
        var random = SeededGenerator(seed: 1)
        for bytes in [random.bytes(8192), Array("hello".utf8), random.bytes(100), Array("SQLite format 3\0".utf8)] {
            do {
                _ = try copy(bytes).open()
                Issue.record("\(bytes.count) bytes were opened")
            } catch let error as CapsuleError {
                #expect(error.code == .notDatabase)
            }
        }
    }
}
