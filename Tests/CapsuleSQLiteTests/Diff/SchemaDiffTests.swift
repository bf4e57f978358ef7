import CapsuleCore
import CapsuleSQLite
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
