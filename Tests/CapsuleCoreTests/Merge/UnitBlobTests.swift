import CapsuleCore
import TestSupport
import Testing

/// Files beside a database that its merged rows refer to.
@Suite("blobs of merged units")
struct UnitBlobTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let base: [String: String]
        let ours: [String: String]
        let theirs: [String: String]
        var conflicts: [String] = []
        /// The content of `.M_SUPPORT/x` with ours taken, if rows refer to it.
        let needed: String?
        /// The same if they don't.
        var other: String?
    }

    private static let blob = ".M_SUPPORT/_EXTERNAL_DATA/x"

    static let cases = [
        Case(
            testDescription: "ours deleted it", base: ["M.db": "f:DBT1", blob: "f:1"], ours: ["M.db": "f:DBT2"],
            theirs: ["M.db": "f:DBT3", blob: "f:1"], needed: "f:1"),
        Case(
            testDescription: "theirs deleted it, and has another", base: ["M.db": "f:DBT1", blob: "f:1"],
            ours: ["M.db": "f:DBT2", blob: "f:1"], theirs: ["M.db": "f:DBT3", ".M_SUPPORT/_EXTERNAL_DATA/y": "f:2"],
            needed: "f:1"),
        Case(
            testDescription: "both deleted it", base: ["M.db": "f:DBT1", blob: "x:1"], ours: ["M.db": "f:DBT2"],
            theirs: ["M.db": "f:DBT3"], needed: "x:1"),
        Case(
            testDescription: "ours deleted it, theirs changed it", base: ["M.db": "f:DBT1", blob: "f:1"],
            ours: ["M.db": "f:DBT2"], theirs: ["M.db": "f:DBT3", blob: "f:2"], conflicts: ["modify/delete " + blob],
            needed: "f:2"),
        Case(
            testDescription: "it is a directory", base: ["M.db": "f:DBT1", blob: "d"], ours: ["M.db": "f:DBT2"],
            theirs: ["M.db": "f:DBT3"], needed: nil),
        Case(
            testDescription: "both changed it", base: ["M.db": "f:DBT1", blob: "f:1"], ours: ["M.db": "f:DBT2", blob: "f:2"],
            theirs: ["M.db": "f:DBT3", blob: "f:3"], conflicts: ["contents " + blob], needed: "f:2", other: "f:2"),
        Case(
            testDescription: "nobody has it", base: ["M.db": "f:DBT1"], ours: ["M.db": "f:DBT2"], theirs: ["M.db": "f:DBT3"],
            needed: nil),
    ]

    @Test(arguments: cases)
    func stayAsLongAsRowsNameThem(_ test: Case) throws {
        var models = MergedModels(
            base: try TreeModel(test.base), ours: try TreeModel(test.ours), theirs: try TreeModel(test.theirs))
        let other = models.merge(all: .ours)
        #expect(other.tree.lines[Self.blob] == test.other)
        #expect(other.conflicts.map(\.line) == test.conflicts)
        models.needed = [try RelativePath(validating: Array(Self.blob.utf8))]
        let merged = models.merge(all: .ours)
        #expect(merged.tree.lines[Self.blob] == test.needed)
        #expect(merged.tree.lines["M.db"] == other.tree.lines["M.db"])
        #expect(merged.problems.isEmpty)
        // The conflicts depend only on the trees.
        #expect(merged.conflicts.map(\.line) == test.conflicts)
        let swapped = models.swapped.merge(all: .theirs)
        #expect(swapped.tree == merged.tree)
    }
}
