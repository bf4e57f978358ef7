import CapsuleCore
import CapsuleDatabases
import CapsuleRules
import Testing

/// An expectation that is written from two databases passes for the newer one, and fails for one with other rows.
@Suite struct WrittenExpectationTests {
    struct Variant: CustomTestStringConvertible {
        let name: String
        /// The statements after those that all sides have: for the older database, the newer one, and another one.
        let (old, new, other): (String, String, String)

        init(_ name: String, after old: String = "", _ new: String, _ other: String) {
            (self.name, self.old, self.new, self.other) = (name, old, new, other)
        }

        var testDescription: String { name }
    }

    private static let first = "6B29FC40-CA47-1067-B31D-00DD010662DA"
    private static let second = "7C29FC40-CA47-1067-B31D-00DD010662DA"
    private static let keys = "INSERT INTO u VALUES ('\(first)', 1); INSERT INTO u VALUES ('\(second)', 1);"
    private static let long = "printf('%.*c', 70000, 'a')"
    private static let row = "INSERT INTO t VALUES (1, 'a', 'b');"

    static let variants = [
        Variant("an empty text for NULL", "INSERT INTO t VALUES (1, 'a', NULL)", "INSERT INTO t VALUES (1, 'a', '')"),
        Variant("0 for NULL", "INSERT INTO t VALUES (1, 'a', NULL)", "INSERT INTO t VALUES (1, 'a', 0)"),
        Variant("a text for NULL", "INSERT INTO t VALUES (1, 'a', NULL)", "INSERT INTO t VALUES (1, 'a', 'evil')"),
        Variant("NULL for a text", "INSERT INTO t VALUES (1, 'a', '')", "INSERT INTO t VALUES (1, 'a', NULL)"),
        Variant("a row of NULL without a key", "INSERT INTO w VALUES (NULL)", "INSERT INTO w VALUES (0)"),
        Variant(
            "another end of a long text", after: row, "UPDATE t SET note = \(long) || 'b'", "UPDATE t SET note = \(long) || 'c'"),
        Variant("an integer for a long text", after: row, "UPDATE t SET note = \(long)", "UPDATE t SET note = 7"),
        Variant(
            "another end of long data", after: row, "UPDATE t SET note = CAST(\(long) || 'b' AS BLOB)",
            "UPDATE t SET note = CAST(\(long) || 'c' AS BLOB)"),
        Variant("longer data", after: row, "UPDATE t SET note = zeroblob(70000)", "UPDATE t SET note = zeroblob(70001)"),
        Variant(
            "a long text in a new row", "INSERT INTO t VALUES (1, \(long) || 'b', 1)",
            "INSERT INTO t VALUES (1, \(long) || 'c', 1)"),
        Variant(
            "the key of a modified row", after: keys, "UPDATE u SET n = 2 WHERE k = '\(first)'",
            "UPDATE u SET n = 2 WHERE k = '\(second)'"),
        Variant(
            "the key of a deleted row", after: keys, "DELETE FROM u WHERE k = '\(first)'", "DELETE FROM u WHERE k = '\(second)'"),
        Variant(
            "a value of a deleted row", after: "INSERT INTO v VALUES ('\(first)'); INSERT INTO v VALUES ('\(second)');",
            "DELETE FROM v WHERE a = '\(first)'", "DELETE FROM v WHERE a = '\(second)'"),
    ]

    private static func diff(_ old: String, _ new: String, isFull: Bool) throws -> ContainerDiff {
        var options = DatabaseDiffOptions(dataBytes: isFull ? nil : 1 << 16, textBytes: isFull ? nil : 1 << 16)
        options.digestsValues = true
        let tables = """
            CREATE TABLE t(id INTEGER PRIMARY KEY, name, note); CREATE TABLE u(k TEXT PRIMARY KEY, n) WITHOUT ROWID;
            CREATE TABLE v(a UNIQUE); CREATE TABLE w(a);
            """
        let found = try difference(tables + old, tables + old + ";" + new, options: options)
        let entry = EntryChange(
            .modified, at: try RelativePath(validating: Array("d.sqlite".utf8)), handler: "sqlite", details: found.details)
        return ContainerDiff(old: .init(source: []), new: .init(source: []), entries: [entry])
    }

    @Test(arguments: variants)
    func itFailsForOtherRows(variant: Variant) throws {
        for (isWrittenInFull, isFull) in [(false, false), (false, true), (true, false), (true, true)] {
            let written = try Self.diff(variant.old, variant.new, isFull: isWrittenInFull)
            let expectation = try Expectation(Expectation.describing(written))
            #expect(expectation.evaluate(try Self.diff(variant.old, variant.new, isFull: isFull)).holds)
            #expect(!expectation.evaluate(try Self.diff(variant.old, variant.other, isFull: isFull)).holds)
        }
    }

    /// With `--loose`, an expectation leaves values open that it can't show.
    @Test func aLooseOneLeavesThemOpen() throws {
        for variant in [Self.variants[0], Self.variants[5], Self.variants[7]] {
            let written = try Self.diff(variant.old, variant.new, isFull: false)
            let document = try Expectation.describing(written, isLoose: true)
            #expect(try Expectation(document).evaluate(written).holds)
            #expect(!"\(document)".contains("Digest") && !"\(document)".contains("null"))
        }
    }
}
