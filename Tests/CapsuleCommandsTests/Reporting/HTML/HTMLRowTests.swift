import TestSupport
import Testing

@testable import CapsuleCommands
@testable import CapsuleCore
@testable import CapsulePropertyList

/// Rows of databases in a page.
@Suite struct HTMLRowTests {
    private static func page(_ details: [ChangeDetail.Content]) throws -> String {
        let entry = try SampleDiff.entry(.modified, "a.sqlite", old: 1, new: 2, handler: "sqlite", details)
        let diff = ContainerDiff(old: SampleDiff.old, new: SampleDiff.new, entries: [entry])
        let bytes = HTMLReport(diff).bytes()
        #expect(try PageText(bytes).problems == [])
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func column(_ name: String, _ attribute: String? = nil, _ value: PlistValue) -> RowChange.Column {
        RowChange.Column(name, attribute: attribute, old: .value(value), new: .value(value))
    }

    private static func row(_ operation: ChangeOperation, _ key: Int, _ columns: [RowChange.Column]) -> RowChange {
        RowChange(
            operation, table: "ZNOTE", entity: "Note", key: [.init("Z_PK", .value(.integer(PlistInteger(key))))], columns: columns
        )
    }

    @Test func eachRowOfOneSideIsOneLine() throws {
        let page = try Self.page([
            .row(
                Self.row(
                    .added, 7,
                    [
                        Self.column("Z_ENT", nil, 2), Self.column("Z_OPT", nil, 1), Self.column("ZTITLE", "title", "new"),
                        Self.column("ZDATE", "date", 5),
                    ])),
            .row(Self.row(.deleted, 3, [Self.column("Z_ENT", nil, 2), Self.column("ZDATE", "date", 6)])),
        ])
        #expect(page.ranges(of: "<tr class=\"gain\">").count == 1 && page.ranges(of: "<tr class=\"loss\">").count == 1)
        // A NULL cell is empty, and Core Data's own columns are dimmed and at the end.
        func value(_ text: String) -> String { "<span class=\"val\">\(text)</span>" }
        #expect(
            page.contains(
                "<th scope=\"row\">\(value("7"))</th><td>\(value("&quot;new&quot;"))</td><td>\(value("5"))</td>"
                    + "<td class=\"own\">\(value("2"))</td><td class=\"own\">\(value("1"))</td></tr>"))
        #expect(
            page.contains(
                "<th scope=\"row\">\(value("3"))</th><td></td><td>\(value("6"))</td><td class=\"own\">\(value("2"))</td>"
                    + "<td class=\"own\"></td></tr>"))
        #expect(page.contains("<th scope=\"col\" class=\"own\"><span class=\"sql\">Z_ENT</span>"))
        #expect(!page.contains("absent"))
    }

    @Test func aModifiedRowHasAPairForEachColumn() throws {
        let page = try Self.page([
            .row(
                Self.row(
                    .modified, 2,
                    [
                        RowChange.Column("ZTITLE", attribute: "title", old: .value("a"), new: .value("b")),
                        RowChange.Column("ZRATE", old: .value("1"), new: .value(1)),
                        RowChange.Column("ZGONE", old: .value(3), new: .value(.null)),
                    ]))
        ])
        #expect(page.ranges(of: "<div class=\"edit\">").count == 3 && !page.contains("<tr class=\"gain\">"))
        #expect(
            page.contains(
                "<span class=\"old\"><span class=\"val\">&quot;a&quot;</span></span> <span class=\"arrow\">→</span> "
                    + "<span class=\"new\"><span class=\"val\">&quot;b&quot;</span></span>"))
        // The type is shown if nothing else differs.
        #expect(page.contains("<span class=\"type\">string</span>") && page.contains("<span class=\"type\">integer</span>"))
    }

    @Test func countsOfPartsSaySo() throws {
        let rows = (0..<3).map { ChangeDetail.Content.row(Self.row(.added, $0, [])) }
        let page = try Self.page(rows + [.limit(Truncation("rows", table: "ZNOTE", shown: 3, total: 5_000, isJudged: true))])
        #expect(page.contains("3 of 5,000 rows</span></h4>"))
        #expect(page.contains(">a.sqlite</a>: 3 of 5,000 rows of the table <span class=\"sql\">ZNOTE</span></li>"))
    }

    @Test func veryManyColumnsAreBelowEachOther() throws {
        let columns = (0..<70).map { Self.column("C\($0)", nil, .integer(PlistInteger($0))) }
        let page = try Self.page([.row(Self.row(.added, 1, columns))])
        #expect(!page.contains("class=\"grid\"") && page.contains("<table class=\"edits\">"))
        #expect(page.ranges(of: "<div class=\"edit\">").count == 70 && page.contains("<tr class=\"gain\">"))
    }

    @Test(
        arguments: [
            ([["a", "b", "c"]], ["a", "b", "c"]),
            // A row lacks the columns that are NULL in it.
            ([["a", "c"], ["a", "b", "c"]], ["a", "b", "c"]), ([["b"], ["a", "b"], ["b", "c"]], ["a", "b", "c"]),
            ([["a", "d"], ["b", "c"]], ["b", "c", "a", "d"]),
            ([["Z_ENT", "a", "Z_OPT"], ["Z_FOK", "b"]], ["b", "a", "Z_FOK", "Z_ENT", "Z_OPT"]),
            ([["a", "a"]], ["a"]), ([[]], []), ([["b", "a"], ["a", "b"], ["a", "x", "b", "y"]], ["b", "a", "x", "y"]),
        ] as [([[String]], [String])])
    func columnsOfAllRowsAreInTheTablesOrder(rows: [[String]], expected: [String]) {
        let columns = RowColumns(rows.map { Self.row(.added, 1, $0.map { Self.column($0, nil, 1) }) })
        #expect(columns.columns.map(\.column.name) == expected)
        for (place, name) in expected.enumerated() { #expect(columns.place(of: name) == place) }
    }

    /// Each row of a table adds one more column: even this worst case is fast.
    @Test func manyColumnsTakeLittleTime() {
        let names = (0..<2_000).map { "C\($0)" }
        let rows = (1...1_000).lazy.map { Self.row(.added, $0, names.prefix(2 * $0).map { Self.column($0, nil, 1) }) }
        var columns = 0
        let time = ContinuousClock().measure { columns = RowColumns(rows).columns.count }
        #expect(columns == 2_000 && time < .seconds(60))
    }
}
