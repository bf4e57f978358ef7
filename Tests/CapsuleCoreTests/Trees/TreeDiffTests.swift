import CapsuleCore
import CapsulePropertyList
import CapsuleRules
import TestSupport
import Testing

@Suite struct TreeDiffTests {
    static let cases = [
        TreeCase("nothing", [:], [:], []),
        TreeCase("the same", ["a": "f:1", "b": "d", "b/c": "l:x"], ["a": "f:1", "b": "d", "b/c": "l:x"], []),
        TreeCase("added", ["a": "f:1"], ["a": "f:1", "b": "d", "b/c": "f:2"], ["+ b", "+ b/c"]),
        TreeCase("deleted", ["a": "f:1", "b": "d", "b/c": "f:2"], ["a": "f:1"], ["- b", "- b/c"]),
        TreeCase("modified", ["a": "f:1", "b": "f:22"], ["a": "f:2", "b": "f:333"], ["~ a content", "~ b content"]),
        TreeCase("a mode", ["a": "f:1", "d": "d"], ["a": "x:1", "d": "d"], ["~ a mode"]),
        TreeCase("content and mode", ["a": "f:1"], ["a": "x:2"], ["~ a content mode"]),
        TreeCase("a link's target", ["a": "l:1"], ["a": "l:2"], ["~ a content"]),
        TreeCase("types", ["a": "f:1", "b": "l:1", "c": "d"], ["a": "l:1", "b": "d", "c": "f:1"], ["T a", "T b", "T c"]),
        TreeCase("renamed", ["a": "f:1"], ["b": "f:1"], ["> a b"]),
        TreeCase("renamed with another mode", ["a": "f:1"], ["b": "x:1"], ["> a b mode"]),
        TreeCase("similar content is no rename", ["a": "f:11"], ["b": "f:12"], ["- a", "+ b"]),
        TreeCase("empty files are no renames", ["a": "f:"], ["b": "f:"], ["- a", "+ b"]),
        TreeCase("links are no renames", ["a": "l:x"], ["b": "l:x"], ["- a", "+ b"]),
        TreeCase("a copy is no rename", ["a": "f:1"], ["a": "f:1", "b": "f:1"], ["+ b"]),
        TreeCase("a source pairs once", ["a": "f:1"], ["b": "f:1", "c": "f:1"], ["> a b", "+ c"]),
        TreeCase(
            "the same name wins", ["x/one": "f:1", "y/two": "f:1"], ["z/two": "f:1", "z/one": "f:1"],
            ["> x/one z/one", "> y/two z/two"]),
        TreeCase(
            "the nearest directory wins", ["a/b/c/old": "f:1", "q/old2": "f:1"], ["q/new": "f:1", "a/b/c/new": "f:1"],
            ["> a/b/c/old a/b/c/new", "> q/old2 q/new"]),
        TreeCase(
            "what stays at its path is no source of a move", ["a": "f:1", "b": "f:2"], ["a": "f:2", "c": "f:1"],
            ["~ a content", "- b", "+ c"]),
        TreeCase("a file where a directory was", ["a": "d", "a/b": "f:1"], ["a": "f:2"], ["T a", "- a/b"]),
        TreeCase("order by bytes", ["a-b": "f:1"], ["a": "d", "a/c": "f:2", "a.d": "f:3"], ["+ a", "- a-b", "+ a.d", "+ a/c"]),
        TreeCase("wrappers and identities are passed over", ["w": "w", "i": "i:1"], ["i": "i:2"], []),
    ]

    @Test(arguments: cases)
    func tells(_ example: TreeCase) throws {
        let old = TreeSide(try TreeSketch(example.old).entries)
        let new = TreeSide(try TreeSketch(example.new).entries)
        #expect(TreeDiff(old, new).items.map { $0.line(old, new) } == example.lines)
    }

    @Test func groupsAreTheSameByTheirIdentifiers() throws {
        let old = TreeSide(
            try TreeSketch(["AppGroups/b/x": "f:1", "t": "f:1"], groups: ["b"]).entries, groups: [Array("b".utf8)])
        let names = ["a", "b"]
        let new = TreeSide(
            try TreeSketch(["AppGroups/a/y": "f:2", "AppGroups/b/x": "f:1", "t": "f:1"], groups: names).entries,
            groups: names.map { Array($0.utf8) })
        #expect(TreeDiff(old, new).items.map { $0.line(old, new) } == ["+ AppGroups/a/y"])
        #expect(TreeDiff(new, old).items.map { $0.line(new, old) } == ["- AppGroups/a/y"])
    }

    @Test func unknownFactsAreNotCompared() throws {
        var old = TreeSide(try TreeSketch(["a": "f:1", "b": "f:1"]).entries)
        var new = TreeSide(try TreeSketch(["a": "x:1", "b": "x:1"]).entries)
        new.entries[0].attributes = [ExtendedAttribute(name: [1], value: [2])]
        #expect(TreeDiff(old, new).items.map { $0.line(old, new) } == ["~ a mode attribute", "~ b mode"])
        #expect(TreeDiff(old, new).gaps.isEmpty)
        old.entries[0].unknown = .mode
        for index in new.entries.indices { new.entries[index].unknown = .attributes }
        #expect(TreeDiff(old, new).items.map { $0.line(old, new) } == ["~ b mode"])
        #expect(TreeDiff(old, new).gaps.map { "\($0.path) \($0.facts)" } == ["a mode"])
        for index in new.entries.indices { (old.entries[index].unknown, new.entries[index].unknown) = (.attributes, []) }
        #expect(TreeDiff(old, new).gaps.map { "\($0.path) \($0.facts)" } == ["a attributes"])
        #expect(TreeDiff(new, old).gaps == TreeDiff(old, new).gaps)
    }

    @Test func whatCouldNotBeReadDiffers() throws {
        var old = TreeSide(try TreeSketch(["a": "f:1", "c": "f:3"]).entries)
        let new = TreeSide(try TreeSketch(["a": "f:1", "d": "f:3"]).entries)
        for index in old.entries.indices { old.entries[index].unknown = .content }
        #expect(TreeDiff(old, new).items.map { $0.line(old, new) } == ["~ a content", "- c", "+ d"])
    }

    @Test func timesCountIfTheyAreAskedFor() throws {
        let old = TreeSide(try TreeSketch(["a": "f:1", "d": "d"]).entries)
        var new = old
        new.entries[0].modified = Timestamp(seconds: 5)
        var options = TreeDiff.Options()
        #expect(TreeDiff(old, new, options).items.isEmpty)
        options.times = true
        let items = TreeDiff(old, new, options).items
        #expect(items.map { $0.line(old, new) } == ["~ a modified"])
        #expect(items.first?.metadata.first?.new?.whole == "1970-01-01T00:00:05.000000000Z")
    }

    @Test func attributesAreToldOneByOne() throws {
        var old = TreeSide(try TreeSketch(["a": "f:1"]).entries)
        var new = old
        func attribute(_ name: String, _ value: UInt8) -> ExtendedAttribute {
            ExtendedAttribute(name: Array(name.utf8), value: [value])
        }
        old.entries[0].attributes = [attribute("gone", 1), attribute("other", 1), attribute("same", 1)]
        new.entries[0].attributes = [attribute("new", 1), attribute("other", 2), attribute("same", 1)]
        let changes = TreeDiff(old, new).items.first?.metadata ?? []
        #expect(
            changes == [
                MetadataChange(.attribute(Array("gone".utf8)), old: .value(.data([1])), new: nil),
                MetadataChange(.attribute(Array("new".utf8)), old: nil, new: .value(.data([1]))),
                MetadataChange(.attribute(Array("other".utf8)), old: .value(.data([1])), new: .value(.data([2]))),
            ])
    }

    /// Every path is reported correctly for any trees: an oracle without merging.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func agreesWithASearchPathByPath(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func tree() -> [String: String] {
            var lines: [String: String] = [:]
            for _ in 0..<generator.number(0...20) {
                let path = (0..<generator.number(1...3)).map { _ in generator.pick(["a", "b", "c.d", "e-f"]) }.joined(
                    separator: "/")
                lines[path] = generator.pick(["d", "f:1", "f:2", "f:33", "x:1", "l:1", "l:2", "f:"])
            }
            return lines
        }
        let (before, after) = (tree(), tree())
        let old = TreeSide(try TreeSketch(before).entries)
        let new = TreeSide(try TreeSketch(after).entries)
        var options = TreeDiff.Options()
        options.renames = false
        let lines = Set(
            TreeDiff(old, new, options).items.map {
                String($0.line(old, new).split(separator: " ").prefix(2).joined(separator: " "))
            })
        var expected: Set<String> = []
        for path in Set(before.keys).union(after.keys) {
            switch (before[path], after[path]) {
            case (nil, _?): expected.insert("+ \(path)")
            case (_?, nil): expected.insert("- \(path)")
            case (let one?, let other?) where one != other:
                let kinds = [one, other].map { ["d", "l"].contains($0.prefix(1)) ? String($0.prefix(1)) : "f" }
                expected.insert(kinds[0] == kinds[1] ? "~ \(path)" : "T \(path)")
            default: break
            }
        }
        #expect(lines == expected, "seed \(seed)")

        // Renames only pair deleted entries with added ones, each once, with equal contents.
        let items = TreeDiff(old, new).items
        let moved = items.compactMap { item in if case .renamed = item.kind { (item.old, item.new) } else { nil } }
        #expect(Set(moved.map(\.0)).count == moved.count && Set(moved.map(\.1)).count == moved.count)
        for case let (oldPlace?, newPlace?) in moved {
            #expect(old.entries[oldPlace].digest == new.entries[newPlace].digest)
            #expect(after[old.entries[oldPlace].path.description] == nil)
            #expect(before[new.entries[newPlace].path.description] == nil)
        }
        #expect(items.count == expected.count - moved.count)
        #expect(TreeDiff(old, old).items.isEmpty)
    }

    @Test func manyCopiesOfOneFilePairInBoundedTime() throws {
        let old = TreeSide(try TreeSketch(Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("a/\($0)", "f:1") })).entries)
        let new = TreeSide(try TreeSketch(Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("b/\($0)", "f:1") })).entries)
        let items = TreeDiff(old, new).items
        #expect(items.count == 1_000)
        #expect(items.allSatisfy { if case .renamed = $0.kind { true } else { false } })
    }
}

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

/// Two trees in the notation of ``TreeSketch``, and the lines that describe their differences.
struct TreeCase: CustomTestStringConvertible {
    let name: String
    let old: [String: String]
    let new: [String: String]
    let lines: [String]

    init(_ name: String, _ old: [String: String], _ new: [String: String], _ lines: [String]) {
        (self.name, self.old, self.new, self.lines) = (name, old, new, lines)
    }

    var testDescription: String { name }
}
