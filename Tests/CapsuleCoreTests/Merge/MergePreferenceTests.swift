import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge
@testable import CapsuleRules

@Suite struct MergePreferenceTests {
    private static func conflict(_ kind: Conflict.Kind) throws -> Conflict {
        var conflict = Conflict(
            kind, path: try RelativePath(validating: Array("Library/Preferences/com.x.plist".utf8)),
            pointer: try PlistPointer("/a/[Name=x]/b"), base: 1, ours: 2, theirs: nil, reason: "theirs deleted it")
        if kind == .row {
            conflict.pointer = nil
            conflict.table = "ZNOTE"
            conflict.row = ["Z_PK": 12]
            conflict.column = "ZTITLE"
        }
        return conflict
    }

    @Test(
        arguments: [
            (["Path": "Library/**"], true), (["Path": "*.plist"], false), (["Pointer": "/a/**"], true),
            (["Pointer": "/a/*"], false),
            (["Pointer": "/a/*/b"], true), (["Kind": "value"], true), (["Kind": "row"], false),
            (["Kind": ["row", "value"]], true), (["Kind": "modified"], true), (["Kind": "deleted"], true),
            (["Kind": "added"], false),
            (["From": 1], true), (["From": 2], false), (["To": 2], true), (["Value": 1], false), (["To": ["Is": "absent"]], true),
            (["To": ["Is": "string"]], false), (["Table": "ZNOTE"], false), (["Column": "b"], false),
            (["Row": ["Z_PK": 12]], false),
            (["Path": "Library/**", "Pointer": "/c"], false),
        ] as [(PlistValue, Bool)])
    func aMatchFitsAValue(match: PlistValue, fits: Bool) throws {
        #expect(try ChangeMatch(match).fits(try Self.conflict(.value)) == fits)
    }

    @Test(
        arguments: [
            (["Table": "ZNOTE"], true), (["Table": "Z*", "Column": "ZTITLE"], true), (["Column": "ZBODY"], false),
            (["Row": ["Z_PK": 12]], true), (["Row": ["Z_PK": 13]], false), (["Row": ["ZID": 12]], false),
            (["Pointer": "/**"], false),
            (["Kind": "row"], true),
        ] as [(PlistValue, Bool)])
    func aMatchFitsARow(match: PlistValue, fits: Bool) throws {
        #expect(try ChangeMatch(match).fits(try Self.conflict(.row)) == fits)
    }

    /// The hint lists the accepted words: the kinds of changes and those that only conflicts have, each once.
    @Test func anUnknownKind() throws {
        func error(_ kind: PlistValue) -> OverlayError? {
            do throws(OverlayError) {
                _ = try MergePreference(.theirs, matching: ["Kind": kind], text: "")
                return nil
            } catch {
                return error
            }
        }
        let unknown = try #require(error("foo"))
        #expect(unknown.message == "\"foo\" is not a kind" && unknown.source?.description == "/Kind")
        #expect(unknown.hint?.hasPrefix("expected added, deleted, ") ?? false)
        #expect(unknown.hint?.hasSuffix(", add/add, modify/delete, rename/modify, rename/rename or file/directory") ?? false)
        #expect(unknown.hint?.split(separator: " row,").count == 2)
        let near = try #require(error(["modify/delete", "add/ad"]))
        #expect(near.source?.description == "/Kind/1" && (near.hint?.hasPrefix("did you mean 'add/add'") ?? false))
        #expect(error(["modify/delete", 1]) != nil && error([]) != nil)
    }

    @Test func whatHasNoPathOrPointerFitsNoneThatNamesOne() throws {
        let conflict = Conflict(.contents, base: nil, ours: nil, theirs: nil, reason: "")
        #expect(try !ChangeMatch(["Path": "**"]).fits(conflict))
        #expect(try !ChangeMatch(["Pointer": "/**"]).fits(conflict))
        #expect(try ChangeMatch(["Kind": "bytes"]).fits(conflict))
    }

    @Test(
        arguments: [
            (["Kind": "modify/delete"], true), (["Kind": ["row", "modify/delete"]], true), (["Kind": ["add/add", "row"]], false),
            (["Kind": "modify/delete", "Path": "Library/**"], true), (["Kind": "modify/delete", "Path": "tmp/**"], false),
            (["Kind": ["deleted", "add/add"]], true), (["Kind": "sequence"], false),
        ] as [(PlistValue, Bool)])
    func conflictsHaveKindsOfTheirOwn(match: PlistValue, fits: Bool) throws {
        let preference = try MergePreference(.theirs, matching: match, text: "")
        #expect(preference.concerns(try Self.conflict(.modifyDelete)) == fits)
        #expect(throws: OverlayError.self) { try MergePreference(.theirs, matching: ["Kind": ["add/add", "none"]], text: "") }
    }

    @Test func everyKindHasOneThatAMatchCanName() throws {
        for kind in Conflict.Kind.allCases { #expect(try !Self.conflict(kind).kinds.isEmpty) }
    }

    @Test func theLastPreferenceThatFitsDecidesAndResolutionsComeFirst() throws {
        var decisions = MergeDecisions(
            resolutions: ["2": .base, "9": .ours],
            preferences: [
                MergePreference(.ours, text: "ours"),
                MergePreference(.theirs, match: try ChangeMatch(["Kind": "value"]), text: "theirs=v"),
                MergePreference(.ours, match: try ChangeMatch(["Kind": "row"]), text: "ours=r"),
            ])
        #expect(decisions.resolve(try Self.conflict(.value)) == .theirs)
        #expect(decisions.resolve(try Self.conflict(.value)) == .base)
        #expect(decisions.resolve(try Self.conflict(.row)) == .ours)
        #expect(decisions.resolve(try Self.conflict(.text)) == .ours)
        #expect(decisions.conflicts.map(\.id) == ["1", "2", "3", "4"])
        #expect(decisions.conflicts.map(\.decidedBy) == ["theirs=v", nil, "ours=r", "ours"])
        #expect(decisions.openCount == 0)
    }

    @Test func withoutAnyAConflictIsOpen() throws {
        var decisions = MergeDecisions(
            preferences: [MergePreference(.ours, match: try ChangeMatch(["Kind": "row"]), text: "ours=r")])
        #expect(decisions.resolve(try Self.conflict(.value)) == nil)
        #expect(decisions.openCount == 1)
    }
}

@Suite struct NameOrderTests {
    @Test func stringsAreOrderedByBytes() {
        let names: [PlistValue] = ["", "A", "B", "a", "ab", "b", "é", "\u{FFFD}", "😀"]
        for (left, leftName) in names.enumerated() {
            for (right, rightName) in names.enumerated() {
                let expected: NameOrder.Ordering = left < right ? .less : left == right ? .same : .more
                #expect(NameOrder.compare(leftName, rightName) == expected)
            }
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func allValuesHaveOneOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var values: [PlistValue] = [.null, [], [:], .real(.nan), .real(-0.0), .real(0.0)]
        for _ in 0..<40 {
            let value = random.propertyList(depth: 2)
            values += [value, random.changed(value, 1), random.scalar(), .array([value, random.scalar()])]
        }
        for left in values {
            for right in values {
                let forth = NameOrder.compare(left, right)
                let back = NameOrder.compare(right, left)
                #expect((forth == .same) == (left == right))
                #expect((forth == .less) == (back == .more))
            }
        }
        // In a consistent order, sorting gives the same result from any start.
        func sorted(_ values: [PlistValue]) -> [PlistValue] {
            values.sorted { NameOrder.compare($0, $1) == .less }
        }
        #expect(sorted(values) == sorted(values.shuffled(using: &random)))
    }
}

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
