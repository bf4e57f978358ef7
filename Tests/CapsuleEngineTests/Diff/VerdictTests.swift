import CapsuleCore
import CapsuleEngine
import CapsulePropertyList
import CapsuleRules
import TestSupport
import Testing

/// A verdict that a program gets from the library covers all changes, however few the comparison keeps.
@Suite struct VerdictTests {
    private static func diff(_ options: DiffOptions) throws -> ContainerDiff {
        let directory = try TemporaryDirectory()
        for (side, step) in [("a", 0), ("b", 1)] {
            let entries = (0..<11_000).map { (PlistString("k\($0)"), PlistValue.integer(PlistInteger($0 + step))) }
            let bytes = try XMLPlistWriter.write(.dictionary(PlistDictionary(entries)))
            let tree: TreeLiteral = ["p.plist": .file(bytes)]
            try tree.make(at: directory[side])
        }
        return try ContainerDiffer(options).run(
            UseCases.container(directory["a"]), UseCases.container(directory["b"]))
    }

    @Test func itSeesWhatIsNotKept() throws {
        let clause: PlistValue = ["Pointer": "/k10999"]
        let expectation = try Expectation(["CapsuleExpectation": 1, "Other": "allow", "MustNot": [clause]])
        var options = DiffOptions()
        options.usesCache = false
        options.judging.expectation = expectation
        options.judging.learns = true
        let diff = try Self.diff(options)
        #expect(diff.entries[0].details.filter(\.isChange).count == 10_000)
        #expect(diff.counts.changes == 11_000)
        #expect(diff.isExact && !diff.isComplete)
        #expect(expectation.evaluate(diff).findings == [.forbidden(0)])
        // An expectation of exactly these changes needs them all.
        #expect(throws: OverlayError.self) { try Expectation.describing(diff) }
        options.judging.describes = true
        #expect(try Expectation(Expectation.describing(Self.diff(options))).must.count == 11_000)
        options.isFull = true
        var whole = try Self.diff(options)
        try NoiseRules(LearnedRules.make(from: diff)).classify(&whole)
        #expect(!whole.isDifferent)
        #expect(whole.counts.noiseChanges == 11_000)
    }

    /// A comparison that was made without the expectation does not pass.
    @Test func itIsAskedForBeforeTheComparison() throws {
        var options = DiffOptions()
        options.usesCache = false
        let diff = try Self.diff(options)
        let expectation = try Expectation(["CapsuleExpectation": 1, "Other": "allow"])
        #expect(expectation.evaluate(diff).findings == [.cutShort])
    }

    /// If the time limit ends a comparison, the expectation fails, and the finding names the limit.
    @Test func itNeedsTheTimeThatItTakes() throws {
        let sides = ["before", "after"].map { UseCases.container(PackageFiles.root + "/Samples/Gifs-\($0).xcappdata") }
        let expectation = try Expectation(["CapsuleExpectation": 1, "Other": "allow"])
        var options = DiffOptions()
        options.usesCache = false
        options.judging.expectation = expectation
        options.databaseTime = .zero
        let diff = try ContainerDiffer(options).run(sides[0], sides[1])
        let result = expectation.evaluate(diff)
        #expect(result.findings == [.cutShort])
        #expect(!diff.isExact)
        let text = result.description(of: .cutShort, in: diff)
        #expect(text.contains("Model.sqlite: the limit of 0 seconds per database was reached"))
        options.databaseTime = nil
        let whole = try ContainerDiffer(options).run(sides[0], sides[1])
        #expect(expectation.evaluate(whole).holds)
    }
}
