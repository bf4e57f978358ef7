import CapsuleCore
import CapsulePropertyList
import CapsuleSQLite
import Testing

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
        return ChangeJudge(rules: rules, expectation: expectation)
            .entry(at: try RelativePath(validating: Array("m.sqlite".utf8)))
    }

    @Test(arguments: [0, 3, 49] as [UInt64])
    func theyAreCountedByWhatBecameOfThem(limit: UInt64) throws {
        let found = try difference(Self.rows(50, "i"), Self.rows(60, "-i"), options: DatabaseDiffOptions(rows: limit))
        #expect(found.unshown.count == 60 - Int(limit))
        #expect(found.unshown.count(of: "added", countsNoise: false) == 10)
        #expect(found.unshown.count(of: "modified", countsNoise: false) == 50 - Int(limit))
    }

    @Test func noiseAmongThemIsNoise() throws {
        let found = try difference(
            Self.rows(50, "i"), Self.rows(50, "-i"), options: DatabaseDiffOptions(rows: 3),
            judge: judge(#"{"Class":"x","Table":"t","Row":{"id":{"Min":41}}}"#))
        // Noise is shown beyond the limit, which doesn't count it.
        #expect(found.details.count == 3 + 10 + 1)
        #expect(found.unshown.signals == 37)
        let none = try difference(
            Self.rows(50, "i"), Self.rows(50, "-i"), options: DatabaseDiffOptions(detailBytes: 0),
            judge: judge(#"{"Class":"x","Table":"t","Row":{"id":{"Min":41}}}"#))
        #expect(none.unshown.noise == [NoiseClass(rawValue: "x"): 10])
        #expect(none.unshown.signals == 40)
    }

    /// Tables and indexes beyond the limit of bytes are judged, as rows are.
    @Test func schemasAreJudged() throws {
        let tables = "BEGIN;" + (10..<99).map { "CREATE TABLE t\($0)(id);" }.joined() + "COMMIT"
        let found = try difference("", tables, options: DatabaseDiffOptions(detailBytes: 500))
        #expect(found.details.count == 5)
        #expect(found.unshown.count(of: "added", countsNoise: true) == 85)
    }

    private static func json(_ text: String) throws -> PlistValue {
        try PlistReader.read(Array(text.utf8), accepting: [.json]).value
    }
}
