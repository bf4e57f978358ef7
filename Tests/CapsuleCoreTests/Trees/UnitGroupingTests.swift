import CapsuleCore
import Testing

@Suite struct UnitGroupingTests {
    /// Each line has the group's own change or `=`, then the changes of its members in parentheses.
    static let cases = [
        TreeCase("a database alone", ["M.sqlite": "f:DB1"], ["M.sqlite": "f:DB2"], ["~ M.sqlite content"]),
        TreeCase(
            "a log beside an unchanged database", ["M.sqlite": "f:DB", "z": "f:1"],
            ["M.sqlite": "f:DB", "M.sqlite-wal": "f:log", "z": "f:2"],
            ["= M.sqlite (+ M.sqlite-wal)", "~ z content"]),
        TreeCase(
            "all files of a unit", ["M.sqlite": "f:DB1", "M.sqlite-wal": "f:1", "M.sqlite-shm": "f:1"],
            ["M.sqlite": "f:DB2", "M.sqlite-shm": "f:2", "M.sqlite-journal": "f:3"],
            ["~ M.sqlite content (+ M.sqlite-journal, ~ M.sqlite-shm content, - M.sqlite-wal)"]),
        TreeCase(
            "external blobs", ["s/M.sqlite": "f:DB", "s/.M_SUPPORT": "d", "s/.M_SUPPORT/_EXTERNAL_DATA": "d"],
            [
                "s/M.sqlite": "f:DB", "s/.M_SUPPORT": "d", "s/.M_SUPPORT/_EXTERNAL_DATA": "d",
                "s/.M_SUPPORT/_EXTERNAL_DATA/U": "f:blob",
            ],
            ["= s/M.sqlite (+ s/.M_SUPPORT/_EXTERNAL_DATA/U)"]),
        TreeCase(
            "a support directory of a database without an extension", ["M": "f:DB"],
            ["M": "f:DB", ".M_SUPPORT": "d", ".M_SUPPORT/x": "f:1"], ["= M (+ .M_SUPPORT, + .M_SUPPORT/x)"]),
        TreeCase("no database, no unit", ["M.txt": "f:text"], ["M.txt": "f:text", "M.txt-wal": "f:1"], ["+ M.txt-wal"]),
        TreeCase("a log without its database", [:], ["M.sqlite-wal": "f:1"], ["+ M.sqlite-wal"]),
        TreeCase("a log of a directory", ["M": "d"], ["M": "d", "M-wal": "f:1"], ["+ M-wal"]),
        TreeCase(
            "added as a whole", [:], ["M.sqlite": "f:DB", "M.sqlite-wal": "f:1"], ["+ M.sqlite (+ M.sqlite-wal)"]),
        TreeCase(
            "deleted as a whole", ["M.sqlite": "f:DB", "M.sqlite-wal": "f:1"], [:], ["- M.sqlite (- M.sqlite-wal)"]),
        TreeCase(
            "a log that outlives its database", ["M.sqlite": "f:DB", "M.sqlite-wal": "f:1"], ["M.sqlite-wal": "f:2"],
            ["- M.sqlite", "~ M.sqlite-wal content"]),
        TreeCase(
            "renamed as a whole", ["A.db": "f:DB", "A.db-wal": "f:log"], ["B.db": "f:DB", "B.db-wal": "f:log"],
            ["> A.db B.db (- A.db-wal, + B.db-wal)"]),
        TreeCase(
            "renamed without its log", ["A.db": "f:DB", "A.db-wal": "f:log"], ["B.db": "f:DB"],
            ["> A.db B.db (- A.db-wal)"]),
        TreeCase(
            "units do not swallow their neighbours", ["M.sqlite": "f:DB", "M.sqlite-walrus": "f:1", "M_SUPPORT": "d"],
            ["M.sqlite": "f:DB", "M.sqlite-walrus": "f:2", "M_SUPPORT/x": "f:1", "M_SUPPORT": "d"],
            ["~ M.sqlite-walrus content", "+ M_SUPPORT/x"]),
    ]

    @Test(arguments: cases)
    func groups(_ example: TreeCase) throws {
        let old = TreeSide(try TreeSketch(example.old).entries)
        let new = TreeSide(try TreeSketch(example.new).entries)
        var grouping = UnitGrouping(old, new) { isNew, place in
            let entry = (isNew ? new : old).entries[place]
            return (isNew ? example.new : example.old)[entry.path.description]?.hasPrefix("f:DB") == true
        }
        let lines = grouping.groups(TreeDiff(old, new).items).map { group in
            let path = group.database?.new.map { new.entries[$0].path.description } ?? ""
            let own = group.item?.line(old, new) ?? "= \(path)"
            let members = group.members.map { $0.line(old, new) }.joined(separator: ", ")
            return members.isEmpty ? own : "\(own) (\(members))"
        }
        #expect(lines == example.lines)
    }

    @Test func asksOfFewFiles() throws {
        let names = Dictionary(uniqueKeysWithValues: (0..<500).map { ("M.\($0)", "f:\($0)") })
        let blobs = Dictionary(uniqueKeysWithValues: (0..<500).map { (".M_SUPPORT/\($0)", "f:1") })
        let old = TreeSide(try TreeSketch(names).entries)
        let new = TreeSide(try TreeSketch(names.merging(blobs) { one, _ in one }).entries)
        nonisolated(unsafe) var asked = 0
        var grouping = UnitGrouping(old, new) { _, _ in
            asked += 1
            return false
        }
        #expect(grouping.groups(TreeDiff(old, new).items).count == 500)
        #expect(asked <= 500)
    }
}
