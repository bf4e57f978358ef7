import CapsuleCore
import CapsuleMerge
import CapsulePropertyList
import TestSupport
import Testing

/// A row of the table: three trees, the conflicts, and the results with ours and with theirs taken.
struct TreeMergeCase: CustomTestStringConvertible {
    let testDescription: String
    let base: [String: String]
    let ours: [String: String]
    let theirs: [String: String]
    let conflicts: [String]
    /// The result with ours taken, or with open conflicts.
    let result: [String: String]
    /// The result with theirs taken; nil if it is the same.
    let other: [String: String]?

    init(
        _ name: String, _ base: [String: String], _ ours: [String: String], _ theirs: [String: String],
        conflicts: [String] = [], _ result: [String: String], theirs other: [String: String]? = nil
    ) {
        testDescription = name
        (self.base, self.ours, self.theirs) = (base, ours, theirs)
        (self.conflicts, self.result, self.other) = (conflicts, result, other)
    }

    func models() throws -> MergedModels {
        MergedModels(base: try TreeModel(base), ours: try TreeModel(ours), theirs: try TreeModel(theirs))
    }
}

@Suite struct TreeMergeTests {
    static let plain = [
        TreeMergeCase("nobody", ["a": "f:1"], ["a": "f:1"], ["a": "f:1"], ["a": "f:1"]),
        TreeMergeCase("theirs changed", ["a": "f:1"], ["a": "f:1"], ["a": "f:2"], ["a": "f:2"]),
        TreeMergeCase("theirs deleted", ["a": "f:1", "b": "f:1"], ["a": "f:1", "b": "f:1"], ["b": "f:1"], ["b": "f:1"]),
        TreeMergeCase("ours changed", ["a": "f:1"], ["a": "f:2"], ["a": "f:1"], ["a": "f:2"]),
        TreeMergeCase("ours deleted", ["a": "f:1"], [:], ["a": "f:1"], [:]),
        TreeMergeCase("both the same", ["a": "f:1"], ["a": "f:2"], ["a": "f:2"], ["a": "f:2"]),
        TreeMergeCase("both deleted", ["a": "f:1"], [:], [:], [:]),
        TreeMergeCase("ours added", [:], ["a": "f:1"], [:], ["a": "f:1"]),
        TreeMergeCase("theirs added", [:], [:], ["d/a": "f:1"], ["d/a": "f:1"]),
        TreeMergeCase("both added the same", [:], ["a": "f:1"], ["a": "f:1"], ["a": "f:1"]),
        TreeMergeCase(
            "each another file", ["a": "f:1", "b": "f:1"], ["a": "f:2", "b": "f:1"], ["a": "f:1", "b": "f:2"],
            ["a": "f:2", "b": "f:2"]),
        TreeMergeCase("content", ["a": "f:T1"], ["a": "f:T2"], ["a": "f:T3"], ["a": "f:T(T1|T2|T3)"]),
        TreeMergeCase("content against nothing", [:], ["a": "f:T2"], ["a": "f:T3"], ["a": "f:T(|T2|T3)"]),
        TreeMergeCase(
            "links", ["a": "l:1", "b": "l:1"], ["a": "l:2", "b": "l:1"], ["a": "l:1", "b": "l:2"], ["a": "l:2", "b": "l:2"]),
        TreeMergeCase("a file becomes a link", ["a": "f:1"], ["a": "f:1"], ["a": "l:x"], ["a": "l:x"]),
        TreeMergeCase("a file becomes a directory", ["a": "f:1"], ["a": "f:1"], ["a/b": "f:2"], ["a/b": "f:2"]),
        TreeMergeCase("a directory becomes a file", ["a/b": "f:2"], ["a/b": "f:2"], ["a": "f:1"], ["a": "f:1"]),
        TreeMergeCase("an empty directory", [:], [:], ["a": "d"], ["a": "d"]),
        TreeMergeCase(
            "into a directory that was deleted", ["d/a": "f:1", "d/b": "f:2"], [:], ["d/a": "f:1", "d/b": "f:2", "d/c": "f:3"],
            ["d/c": "f:3"]),
        TreeMergeCase(
            "into one with its own mode", ["d/a": "f:1", "d": "p"], [:], ["d/a": "f:1", "d/c": "f:3", "d": "p"],
            ["d/c": "f:3", "d": "p"]),
        TreeMergeCase(
            "of a directory all is deleted by halves", ["d/a": "f:1", "d/b": "f:2"], ["d/b": "f:2"], [:], [:]),
        TreeMergeCase(
            "a mode and a content", ["a": "f:1"], ["a": "x:1"], ["a": "f:2"], ["a": "x:2"]),
        TreeMergeCase("a mode of a merged content", ["a": "f:T1"], ["a": "x:T2"], ["a": "f:T3"], ["a": "x:T(T1|T2|T3)"]),
        TreeMergeCase("the same mode", ["a": "f:1"], ["a": "x:1"], ["a": "x:1"], ["a": "x:1"]),
        TreeMergeCase("a directory's mode", ["d": "d"], ["d": "d"], ["d": "p"], ["d": "p"]),
        TreeMergeCase(
            "renamed and changed", ["a": "f:cat"], ["d/b": "f:cat"], ["a": "f:dog"], ["d/b": "f:dog"]),
        TreeMergeCase("renamed alone", ["a": "f:cat"], ["b": "f:cat"], ["a": "f:cat"], ["b": "f:cat"]),
        TreeMergeCase("renamed alike", ["a": "f:cat"], ["b": "f:cat"], ["b": "f:cat"], ["b": "f:cat"]),
        TreeMergeCase("renamed, with another mode there", ["a": "f:cat"], ["b": "x:cat"], ["a": "f:dog"], ["b": "x:dog"]),
        TreeMergeCase(
            "renamed into a new directory that theirs has too", ["a": "f:cat"], ["d/b": "f:cat"], ["a": "f:dog", "d/c": "f:1"],
            ["d/b": "f:dog", "d/c": "f:1"]),
        TreeMergeCase(
            "swapped names", ["a": "f:1", "b": "f:2"], ["a": "f:2", "b": "f:1"], ["a": "f:1", "b": "f:2"],
            ["a": "f:2", "b": "f:1"]),
        TreeMergeCase(
            "a unit that one side changed", ["M.db": "f:DB1", "M.db-wal": "f:1"], ["M.db": "f:DB1", "M.db-wal": "f:1"],
            ["M.db": "f:DB2", "M.db-shm": "f:2"], ["M.db": "f:DB2", "M.db-shm": "f:2"]),
        TreeMergeCase(
            "only a log", ["M.db": "f:DB1", "M.db-wal": "f:1"], ["M.db": "f:DB1", "M.db-wal": "f:2"],
            ["M.db": "f:DB1", "M.db-wal": "f:1"], ["M.db": "f:DB1", "M.db-wal": "f:2"]),
        TreeMergeCase(
            "shared memory of both", ["M.db": "f:DB1", "M.db-shm": "f:1"], ["M.db": "f:DB1", "M.db-shm": "f:2"],
            ["M.db": "f:DB1", "M.db-shm": "f:3"], ["M.db": "f:DB1"]),
        TreeMergeCase(
            "shared memory tells no change", ["M.db": "f:DB1", "M.db-shm": "f:1"], ["M.db": "f:DB1", "M.db-shm": "f:2"],
            ["M.db": "f:DB2", "M.db-shm": "f:3"], ["M.db": "f:DB2", "M.db-shm": "f:3"]),
        TreeMergeCase(
            "a unit that both changed", ["M.db": "f:DBT1", "M.db-wal": "f:1"], ["M.db": "f:DBT1", "M.db-wal": "f:2"],
            ["M.db": "f:DBT3", ".M_SUPPORT/x": "f:blob"], ["M.db": "f:DBT(DBT1|DBT1|DBT3)", ".M_SUPPORT/x": "f:blob"]),
        TreeMergeCase(
            "a unit that one side deleted", ["M.db": "f:DB1", "M.db-wal": "f:1"], [:], ["M.db": "f:DB1", "M.db-wal": "f:1"], [:]),
        TreeMergeCase(
            "a database alone", ["M.db": "f:DBT1"], ["M.db": "f:DBT2"], ["M.db": "f:DBT3"], ["M.db": "f:DBT(DBT1|DBT2|DBT3)"]),
    ]

    static let conflicting = [
        TreeMergeCase(
            "contents", ["a": "f:1"], ["a": "f:2"], ["a": "f:3"], conflicts: ["contents a"], ["a": "f:2"], theirs: ["a": "f:3"]),
        TreeMergeCase(
            "inside a content", ["a": "f:C1"], ["a": "f:C2"], ["a": "f:C3"], conflicts: ["text a"], ["a": "f:C2"],
            theirs: ["a": "f:C3"]),
        TreeMergeCase(
            "add/add", [:], ["a": "f:2"], ["a": "f:3"], conflicts: ["add/add a"], ["a": "f:2"], theirs: ["a": "f:3"]),
        TreeMergeCase(
            "add/add of a file and a link", [:], ["a": "f:2"], ["a": "l:3"], conflicts: ["add/add a"], ["a": "f:2"],
            theirs: ["a": "l:3"]),
        TreeMergeCase(
            "ours deleted", ["a": "f:1"], [:], ["a": "f:2"], conflicts: ["modify/delete a"], [:], theirs: ["a": "f:2"]),
        TreeMergeCase(
            "ours deleted all around", ["d/a": "f:1", "d/b": "f:1"], [:], ["d/a": "f:2", "d/b": "f:1"],
            conflicts: ["modify/delete d/a"], [:], theirs: ["d/a": "f:2"]),
        TreeMergeCase(
            "theirs deleted all around", ["d/a": "f:1", "d/b": "f:1"], ["d/a": "f:2", "d/b": "f:1"], [:],
            conflicts: ["modify/delete d/a"], ["d/a": "f:2"], theirs: [:]),
        TreeMergeCase(
            "only its mode changed", ["a": "f:1"], [:], ["a": "x:1"], conflicts: ["modify/delete a"], [:],
            theirs: ["a": "x:1"]),
        TreeMergeCase(
            "a directory's mode", ["d": "d"], [:], ["d": "p"], conflicts: ["modify/delete d"], [:], theirs: ["d": "p"]),
        TreeMergeCase(
            "both made a file of a link", ["a": "l:x"], ["a": "f:T2"], ["a": "f:T3"], conflicts: ["contents a"], ["a": "f:T2"],
            theirs: ["a": "f:T3"]),
        TreeMergeCase(
            "both made a file of a directory", ["a": "d"], ["a": "f:T2"], ["a": "f:T3"], conflicts: ["contents a"],
            ["a": "f:T2"], theirs: ["a": "f:T3"]),
        TreeMergeCase(
            "link targets", ["a": "l:1"], ["a": "l:2"], ["a": "l:3"], conflicts: ["contents a"], ["a": "l:2"],
            theirs: ["a": "l:3"]),
        TreeMergeCase(
            "a link against a content", ["a": "f:1"], ["a": "l:2"], ["a": "f:3"], conflicts: ["contents a"], ["a": "l:2"],
            theirs: ["a": "f:3"]),
        TreeMergeCase(
            "a mode against a link", ["a": "f:1"], ["a": "x:1"], ["a": "l:3"], conflicts: ["contents a"], ["a": "x:1"],
            theirs: ["a": "l:3"]),
        TreeMergeCase(
            "modes", ["a": "f:1"], ["a": "x:1"], ["a": "y:1"], conflicts: ["metadata a mode"], ["a": "x:1"],
            theirs: ["a": "y:1"]),
        TreeMergeCase(
            "contents and modes", ["a": "f:1"], ["a": "x:2"], ["a": "y:3"], conflicts: ["contents a", "metadata a mode"],
            ["a": "x:2"], theirs: ["a": "y:3"]),
        TreeMergeCase(
            "a file and a directory", [:], ["a": "f:1"], ["a/b": "f:2"], conflicts: ["file/directory a"], ["a": "f:1"],
            theirs: ["a/b": "f:2"]),
        TreeMergeCase(
            "a changed file and a directory", ["a": "f:0"], ["a": "f:1"], ["a/b/c": "f:2", "a/d": "f:3"],
            conflicts: ["file/directory a"], ["a": "f:1"], theirs: ["a/b/c": "f:2", "a/d": "f:3"]),
        TreeMergeCase(
            "a file for a directory in which something changed", ["a/b": "f:0", "a/c": "f:1"], ["a": "f:1"],
            ["a/b": "f:2", "a/c": "f:1"], conflicts: ["file/directory a"], ["a": "f:1"], theirs: ["a/b": "f:2", "a/c": "f:1"]),
        TreeMergeCase(
            "a file for a directory to which something came", ["a/c": "f:1", "a-b": "f:1"], ["a": "l:x", "a-b": "f:1"],
            ["a/b": "f:2", "a/c": "f:1", "a-b": "f:2"], conflicts: ["file/directory a"], ["a": "l:x", "a-b": "f:2"],
            theirs: ["a/b": "f:2", "a/c": "f:1", "a-b": "f:2"]),
        TreeMergeCase(
            "names that differ in case", [:], ["Cat": "f:1"], ["cat": "f:2", "b": "f:1"], conflicts: ["file/directory Cat"],
            ["Cat": "f:1", "b": "f:1"], theirs: ["cat": "f:2", "b": "f:1"]),
        TreeMergeCase(
            "names that differ in normalisation", [:], ["\u{E9}/a": "f:1"], ["e\u{301}/b": "f:2"],
            conflicts: ["file/directory e\u{301}"], ["\u{E9}/a": "f:1"], theirs: ["e\u{301}/b": "f:2"]),
        TreeMergeCase(
            "renamed twice", ["a": "f:cat"], ["b": "f:cat"], ["c": "f:cat"], conflicts: ["rename/rename a"], ["b": "f:cat"],
            theirs: ["c": "f:cat"]),
        TreeMergeCase(
            "renames that meet in the end", ["a": "f:cat", "b": "f:dog", "c": "f:cow"],
            ["1": "f:cat", "3": "f:dog", "2": "f:cow"], ["2": "f:cat", "4": "f:dog", "3": "f:cow"],
            conflicts: ["rename/rename a"], ["1": "f:cat", "3": "f:dog", "2": "f:cow"],
            theirs: ["2": "f:cat", "4": "f:dog", "3": "f:cow"]),
        TreeMergeCase(
            "renamed and deleted", ["a": "f:cat"], ["b": "f:cat"], [:], conflicts: ["modify/delete a"], ["b": "f:cat"],
            theirs: [:]),
        TreeMergeCase(
            "renamed to where the changing side has another", ["a": "f:cat"], ["b": "f:cat"], ["a": "f:dog", "b": "f:cow"],
            conflicts: ["rename/modify a"], ["b": "f:cat"], theirs: ["a": "f:dog", "b": "f:cow"]),
        TreeMergeCase(
            "renamed, and a link now", ["a": "f:cat"], ["b": "f:cat"], ["a": "l:x"], conflicts: ["rename/modify a"],
            ["b": "f:cat"], theirs: ["a": "l:x"]),
        TreeMergeCase(
            "two files renamed to one name", ["a": "f:cat", "b": "f:dog"], ["c": "f:cat", "b": "f:dog"],
            ["a": "f:cat", "c": "f:dog"], conflicts: ["add/add c"], ["c": "f:cat"], theirs: ["c": "f:dog"]),
        TreeMergeCase(
            "two changed files renamed to one name", ["a": "f:cat", "b": "f:dog"], ["c": "f:cat", "b": "f:dig"],
            ["a": "f:cut", "c": "f:dog"], conflicts: ["rename/modify a"], ["c": "f:cat", "b": "f:dig"],
            theirs: ["c": "f:dog", "a": "f:cut"]),
        TreeMergeCase(
            "a unit", ["M.db": "f:DB1", "M.db-wal": "f:1"], ["M.db": "f:DB1", "M.db-wal": "f:2"], ["M.db": "f:DB3"],
            conflicts: ["contents M.db"], ["M.db": "f:DB1", "M.db-wal": "f:2"], theirs: ["M.db": "f:DB3"]),
        TreeMergeCase(
            "a unit that one side deleted", ["M.db": "f:DB1", "M.db-wal": "f:1"], [:], ["M.db": "f:DB1", "M.db-wal": "f:2"],
            conflicts: ["modify/delete M.db"], [:], theirs: ["M.db": "f:DB1", "M.db-wal": "f:2"]),
        TreeMergeCase(
            "two units of one name", [:], ["M.db": "f:DB1", "M.db-wal": "f:1"], ["M.db": "f:DB2", "M.db-shm": "f:2"],
            conflicts: ["add/add M.db"], ["M.db": "f:DB1", "M.db-wal": "f:1"], theirs: ["M.db": "f:DB2", "M.db-shm": "f:2"]),
        TreeMergeCase(
            "in the order of paths", ["b": "f:1", "a": "f:1", "c": "f:1"], ["b": "f:2", "c": "f:2"],
            ["b": "f:3", "a": "f:3", "c": "f:3"], conflicts: ["modify/delete a", "contents b", "contents c"],
            ["b": "f:2", "c": "f:2"], theirs: ["b": "f:3", "a": "f:3", "c": "f:3"]),
    ]

    @Test(arguments: plain + conflicting)
    func table(row: TreeMergeCase) throws {
        let models = try row.models()
        let open = models.merge()
        #expect(open.conflicts.map(\.line) == row.conflicts)
        #expect(open.conflicts.map(\.id) == row.conflicts.indices.map { String($0 + 1) })
        #expect(open.tree.lines == row.result)
        #expect(open.problems.isEmpty)
        for (resolution, wanted) in [(Resolution.ours, row.result), (.theirs, row.other ?? row.result)] {
            let outcome = models.merge(all: resolution)
            #expect(outcome.tree.lines == wanted, "\(resolution)")
            #expect(outcome.problems.isEmpty)
            // Swapping the sides swaps the result.
            let swapped = models.swapped.merge(all: resolution == .ours ? .theirs : .ours)
            #expect(swapped.tree.lines == wanted, "swapped, \(resolution)")
            #expect(swapped.conflicts.map(\.line) == row.conflicts)
            for (conflict, other) in zip(outcome.conflicts, swapped.conflicts) {
                #expect(conflict.ours == other.theirs)
                #expect(conflict.theirs == other.ours)
                #expect(conflict.base == other.base)
            }
        }
    }

    @Test(arguments: conflicting)
    func baseAndNothing(row: TreeMergeCase) throws {
        let models = try row.models()
        // Entries that are in no conflict are merged as usual.
        let paths = Set([row.base, row.ours, row.theirs].flatMap(\.keys))
        let isWhole = row.conflicts.allSatisfy { !$0.hasPrefix("metadata") && !$0.hasPrefix("text") } && row.conflicts.count == 1
        guard isWhole, paths.count <= 2, !row.conflicts[0].hasPrefix("add/add c") else { return }
        #expect(models.merge(all: .base).tree.lines.filter { paths.contains($0.key) }.isEmpty == row.base.isEmpty)
        let absent = models.merge(all: .absent)
        #expect(absent.tree.lines == (row.theirs["b"] == "f:1" ? ["b": "f:1"] : [:]))
    }

    @Test func valuesAreWritten() throws {
        let models = try MergedModels(
            base: TreeModel(["a": "f:1", "m": "f:1"]), ours: TreeModel(["a": "f:2", "m": "x:1"]),
            theirs: TreeModel(["a": "f:3", "m": "y:1"]))
        let written = models.merge(["1": .value(.data(Array("new".utf8))), "2": .value(.string("0640"))])
        #expect(written.tree.nodes[try RelativePath(validating: Array("a".utf8))]?.bytes == Array("new".utf8))
        #expect(written.tree.nodes[try RelativePath(validating: Array("m".utf8))]?.mode == FileMode(0o640))
        #expect(written.unfit.isEmpty)
        let wrong = models.merge(["1": .value(.boolean(true)), "2": .value(.string("rw"))])
        #expect(wrong.unfit == ["1", "2"])
        #expect(wrong.tree == models.ours)
        #expect(models.merge(["2": .absent]).unfit == ["2"])
    }

    @Test func attributesMergeByTheirNames() throws {
        func model(_ attributes: [String: String]) throws -> TreeModel {
            var model = try TreeModel(["a": "f:1"])
            let path = try RelativePath(validating: Array("a".utf8))
            model.nodes[path]?.attributes = attributes.sorted { $0.key < $1.key }.map {
                ExtendedAttribute(name: Array($0.key.utf8), value: Array($0.value.utf8))
            }
            return model
        }
        let clean = try MergedModels(
            base: model(["x": "1", "y": "1", "z": "1"]), ours: model(["x": "2", "y": "1"]),
            theirs: model(["x": "1", "y": "2", "z": "1", "n": "1"])
        ).merge()
        #expect(clean.conflicts.isEmpty)
        #expect(try clean.tree == model(["x": "2", "y": "2", "n": "1"]))
        let models = try MergedModels(base: model(["x": "1"]), ours: model(["x": "2"]), theirs: model([:]))
        #expect(models.merge().conflicts.map(\.line) == ["metadata a x"])
        #expect(models.merge().conflicts.map(\.theirs) == [nil])
        for (resolution, value) in [(Resolution.ours, "2"), (.base, "1")] {
            #expect(try models.merge(all: resolution).tree == model(["x": value]))
        }
        #expect(try models.merge(all: .theirs).tree == model([:]))
        #expect(try models.merge(all: .absent).tree == model([:]))
        #expect(try models.merge(all: .value(.data(Array("9".utf8)))).tree == model(["x": "9"]))
    }

    @Test func factsTellOfEntries() throws {
        let conflict = try #require(
            try MergedModels(
                base: TreeModel(["a": "f:cat"]), ours: TreeModel(["b": "x:cat"]), theirs: TreeModel(["a": "l:x"])
            ).merge().conflicts.first)
        let base = try #require(conflict.base?.dictionary)
        #expect(base["type"] == .string("file"))
        #expect(base["mode"] == .string("0644"))
        #expect(base["size"] == .integer(3))
        #expect(base["digest"]?.string?.string.count == 64)
        #expect(base["path"] == nil)
        #expect(conflict.ours?.dictionary?["path"] == .string("b"))
        #expect(conflict.theirs == .dictionary(["type": .string("link"), "target": .string("x")]))
    }

    @Test func preferencesDecide() throws {
        let models = try MergedModels(
            base: TreeModel(["a": "f:1"]), ours: TreeModel(["a": "f:2"]), theirs: TreeModel(["a": "f:3"]))
        let outcome = models.merge([:], [MergePreference(.theirs, text: "theirs")])
        #expect(outcome.tree.lines == ["a": "f:3"])
        #expect(outcome.conflicts.map(\.decidedBy) == ["theirs"])
    }

    @Test func timesAreOfWhatIsTaken() throws {
        func tree(_ content: String, _ time: Int64) -> TreeSide {
            let bytes = Array(content.utf8)
            return TreeSide([
                TreeEntry(
                    path: (try? RelativePath(validating: Array("a".utf8))) ?? .root, kind: .file, mode: FileMode(0o644),
                    modified: Timestamp(seconds: time), size: UInt64(bytes.count), digest: TreeModel.digest(of: bytes))
            ])
        }
        func time(_ base: TreeSide, _ ours: TreeSide, _ theirs: TreeSide) -> Int64? {
            var decisions = MergeDecisions()
            let merge = TreeMerge(base: base, ours: ours, theirs: theirs) { _, _ in false }
            let outcome = merge.run(&decisions) {
                (_: TreeMerge.Request, _: inout MergeDecisions) -> TreeMerge.ContentMergeResult in
                .made(0, size: 1, digest: TreeModel.digest(of: [1]))
            }
            return outcome.edits.first?.entry?.modified.seconds
        }
        #expect(time(tree("1", 1), tree("1", 9), tree("2", 5)) == 5)
        #expect(time(tree("1", 1), tree("2", 5), tree("3", 9)) == 9)
        #expect(time(tree("1", 1), tree("2", 9), tree("3", 5)) == 9)
        #expect(time(tree("1", 1), tree("2", 5), tree("2", 9)) == 9)
    }

    @Test func modesThatAreNotKnownAreNoChange() throws {
        var theirs = try TreeModel(["a": "y:1", "b": "y:2"]).side
        for index in theirs.entries.indices { theirs.entries[index].unknown = [.mode, .attributes] }
        var ours = try TreeModel(["a": "x:1", "b": "f:1"])
        let path = try RelativePath(validating: Array("b".utf8))
        ours.nodes[path]?.attributes = [ExtendedAttribute(name: [0x78], value: [1])]
        var decisions = MergeDecisions()
        let merge = TreeMerge(base: try TreeModel(["a": "f:1", "b": "f:1"]).side, ours: ours.side, theirs: theirs) { _, _ in false
        }
        let outcome = merge.run(&decisions) { (_: TreeMerge.Request, _: inout MergeDecisions) -> TreeMerge.ContentMergeResult in
            .unfit("")
        }
        #expect(decisions.conflicts.isEmpty)
        #expect(outcome.edits.map(\.place.path) == [path])
        #expect(outcome.edits.first?.entry?.mode == FileMode(0o644))
        #expect(outcome.edits.first?.entry?.attributes.count == 1)
    }
}
