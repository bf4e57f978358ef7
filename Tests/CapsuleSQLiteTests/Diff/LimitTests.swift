import CapsuleCore
import CapsuleDatabases
import CapsulePropertyList
import CapsuleRules
import CapsuleSQLite
import Testing

@Suite("limits of a comparison of databases")
struct LimitTests {
    private static func rows(_ table: String, _ count: Int, _ value: String) -> String {
        """
        CREATE TABLE \(table)(id INTEGER PRIMARY KEY, a);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) INSERT INTO \(table) SELECT i, \(value) FROM n;
        """
    }

    @Test func rowsPastTheLimitAreCounted() throws {
        let old = Self.rows("t", 50, "i") + Self.rows("u", 3, "i")
        let new = Self.rows("t", 60, "-i") + Self.rows("u", 3, "i * 2")
        let found = try difference(old, new, options: DatabaseDiffOptions(rows: 3))
        #expect(
            lines(found) == [
                "~ t {id=1} a: 1 -> -1", "~ t {id=2} a: 2 -> -2", "~ t {id=3} a: 3 -> -3", "limit rows t shown 3 of 60",
                "~ u {id=1} a: 1 -> 2", "~ u {id=2} a: 2 -> 4", "~ u {id=3} a: 3 -> 6",
            ])
        #expect(!found.isComplete)
        #expect(!found.isSame)
    }

    @Test func noneAndAll() throws {
        let old = Self.rows("t", 2500, "i")
        let new = Self.rows("t", 2500, "i + 1")
        #expect(
            try lines(difference(old, new, options: DatabaseDiffOptions(rows: 0)))
                == ["limit rows t shown 0 of 2500"])
        let standard = try difference(old, new)
        #expect(standard.details.count == 1001)
        #expect(lines(standard).last == "limit rows t shown 1000 of 2500")
        let all = try difference(old, new, options: DatabaseDiffOptions(rows: nil))
        #expect(all.details.count == 2500)
        #expect(all.isComplete)
    }

    @Test func longValuesAreCutAtCharacters() throws {
        let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);"
        let found = try difference(
            schema, schema + "INSERT INTO t VALUES (1, 'aéaéaé', x'010203040506'), (2, 'aé€', x'0102')",
            options: DatabaseDiffOptions(dataBytes: 4, textBytes: 5))
        #expect(lines(found) == ["+ t {id=1} a='aéa'...9 b=x'01020304'...6", "+ t {id=2} a='aé'...6 b=x'0102'"])
        #expect(found.isComplete)
        let whole = try difference(
            schema, schema + "INSERT INTO t VALUES (1, printf('%.5000c', 'x'), zeroblob(5000))",
            options: DatabaseDiffOptions(dataBytes: nil, textBytes: nil))
        let row = try #require(whole.details.first.flatMap { if case .row(let row) = $0.content { row } else { nil } })
        #expect(row.columns[0].new == .value(.string(PlistString(String(repeating: "x", count: 5000)))))
        #expect(row.columns[1].new == .value(.data([UInt8](repeating: 0, count: 5000))))
    }

    @Test func aLongBlobIsComparedToItsEnd() throws {
        let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, a);"
        let found = try difference(
            schema + "INSERT INTO t VALUES (1, CAST(zeroblob(3000000) || x'01' AS BLOB)), (2, zeroblob(3000000))",
            schema + "INSERT INTO t VALUES (1, CAST(zeroblob(3000000) || x'02' AS BLOB)), (2, zeroblob(3000000))",
            options: DatabaseDiffOptions(dataBytes: 2))
        #expect(lines(found) == ["~ t {id=1} a: x'0000'...3000001 -> x'0000'...3000001"])
    }

    @Test func bytesOfAllDetailsAreBounded() throws {
        let old = Self.rows("t", 100, "'x'") + Self.rows("u", 10, "1")
        let new = Self.rows("t", 100, "printf('%.1000c', 'y')") + Self.rows("u", 10, "2")
        let found = try difference(old, new, options: DatabaseDiffOptions(detailBytes: 10_000))
        let told = lines(found)
        let shown = told.filter { $0.hasPrefix("~ t ") }.count
        #expect((5...12).contains(shown))
        #expect(told.suffix(3) == ["limit bytes", "limit rows t shown \(shown) of 100", "limit rows u shown 0 of 10"])
        #expect(!found.isComplete)
    }

    @Test func schemasAreBounded() throws {
        let found = try difference(
            "", "BEGIN;" + (10..<99).map { "CREATE TABLE t\($0)(id);" }.joined() + "COMMIT",
            options: DatabaseDiffOptions(detailBytes: 500))
        #expect(lines(found) == ["+ table t10", "+ table t11", "+ table t12", "+ table t13", "limit bytes"])
        #expect(!found.isComplete)
    }

    /// The work ends after this number of steps of SQLite's virtual machine, whatever the rows are.
    @Test func stepsAreBounded() throws {
        let old = Self.rows("t", 5, "i") + Self.rows("u", 100_000, "i")
        let new = Self.rows("t", 5, "i + 1") + Self.rows("u", 100_000, "i") + Self.rows("v", 1, "i")
        let found = try difference(old, new, options: DatabaseDiffOptions(work: WorkLimits(time: nil, steps: 50_000)))
        let told = lines(found)
        #expect(told.prefix(2) == ["+ table v", "~ t {id=1} a: 1 -> 2"])
        #expect(told.last == "limit time u shown 0")
        #expect(found.damage.isEmpty)
        #expect(!found.isComplete)
    }

    @Test func timeIsBounded() throws {
        let old = Self.rows("u", 100_000, "i")
        let found = try difference(old, old, options: DatabaseDiffOptions(work: WorkLimits(time: .zero)))
        #expect(lines(found) == ["limit time u shown 0"])
        #expect(!found.isSame)
    }

    /// Many tables with so little work in each that SQLite never calls the progress handler.
    @Test func timeIsBoundedAcrossTables() throws {
        let tables = "BEGIN;" + (0..<50).map { "CREATE TABLE t\($0)(id INTEGER PRIMARY KEY, a);" }.joined()
        let rows = (0..<50).map { "INSERT INTO t\($0) VALUES (1, 2);" }.joined()
        let found = try difference(
            tables + "COMMIT", tables + rows + "COMMIT", options: DatabaseDiffOptions(work: WorkLimits(time: .zero)))
        #expect(lines(found) == ["+ t0 {id=1} a=2", "limit time t0 shown 1"])
        #expect(!found.isComplete)
    }

    /// A hundred thousand rows, few of which differ: nothing is kept of the others.
    @Test func manyRows() throws {
        let rows = """
            CREATE TABLE t(k TEXT PRIMARY KEY, a, b);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
            INSERT INTO t SELECT 'key ' || (i * 7919 % 100003), i, zeroblob(i % 50) FROM n;
            """
        let found = try difference(
            rows,
            rows
                + "UPDATE t SET a = -1 WHERE k = 'key 500'; DELETE FROM t WHERE k = 'key 77777'; INSERT INTO t VALUES ('zzz', 1, 2)"
        )
        #expect(lines(found).map { $0.prefix(18) } == ["~ t {k='key 500'} ", "- t {k='key 77777'", "+ t {k='zzz'} a=1 "])
        #expect(found.isComplete)
    }
}

@Suite("rows that are not told")
struct UnshownRowsTests {
    private static func rows(_ count: Int, _ value: String) -> String {
        """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) INSERT INTO t SELECT i, \(value) FROM n;
        """
    }

    private func judge(_ rules: String? = nil, _ expectation: String? = nil) throws -> EntryJudge {
        let rules = try rules.map { try NoiseRules(Self.json("{\"CapsuleRules\":1,\"Rules\":[\($0)]}")) } ?? NoiseRules()
        let expectation = try expectation.map {
            try Expectation(Self.json("{\"CapsuleExpectation\":1,\"Other\":\"allow\",\($0)}"))
        }
        return ChangeJudge(Judging(rules: rules, expectation: expectation))
            .entry(EntryChange(.modified, at: try RelativePath(validating: Array("m.sqlite".utf8))))
    }

    @Test(arguments: [0, 3, 49] as [UInt64])
    func theyAreCountedByWhatBecameOfThem(limit: UInt64) throws {
        let judge = try judge()
        try difference(Self.rows(50, "i"), Self.rows(60, "-i"), options: DatabaseDiffOptions(rows: limit), sink: judge)
        #expect(judge.unshown.count == 60 - Int(limit))
        #expect(judge.unshown.count(of: "added", countsNoise: false) == 10)
        #expect(judge.unshown.count(of: "modified", countsNoise: false) == 50 - Int(limit))
    }

    @Test func noiseAmongThemIsNoise() throws {
        let rules = #"{"Class":"x","Table":"t","Row":{"id":{"Min":41}}}"#
        var judge = try judge(rules)
        try difference(Self.rows(50, "i"), Self.rows(50, "-i"), options: DatabaseDiffOptions(rows: 3), sink: judge)
        // Noise is shown beyond the limit, which doesn't count it.
        #expect(judge.details.count == 3 + 10 + 1)
        #expect(judge.unshown.signals == 37)
        judge = try self.judge(rules)
        try difference(Self.rows(50, "i"), Self.rows(50, "-i"), options: DatabaseDiffOptions(detailBytes: 0), sink: judge)
        #expect(judge.unshown.noise == [NoiseClass(rawValue: "x"): 10])
        #expect(judge.unshown.signals == 40)
    }

    /// Tables and indexes beyond the limit of bytes are judged, as rows are.
    @Test func schemasAreJudged() throws {
        let tables = "BEGIN;" + (10..<99).map { "CREATE TABLE t\($0)(id);" }.joined() + "COMMIT"
        let judge = try judge()
        try difference("", tables, options: DatabaseDiffOptions(detailBytes: 500), sink: judge)
        #expect(judge.details.count == 5)
        #expect(judge.unshown.count(of: "added", countsNoise: true) == 85)
    }

    private static func json(_ text: String) throws -> PlistValue {
        try PlistReader.read(Array(text.utf8), accepting: [.json]).value
    }
}
