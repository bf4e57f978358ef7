import CapsuleCore
import CapsuleEngine
import CapsulePropertyList
import CapsuleRules
import Synchronization
import TestSupport
import Testing

/// Each change is classified and evaluated once, when it is found, whether it is kept or not. Otherwise a comparison of many changes takes
/// twice as long, or a clause counts a change twice.
@Suite struct JudgedOnceTests {
    /// Rows, values, cookies, texts and entries of the samples, of which one row of each table is kept.
    @Test func changesOfAContainer() throws {
        let sides = ["before", "after"].map { PackageFiles.root + "/Samples/Gifs-\($0).xcappdata" }
        let diff = try compare(sides[0], sides[1])
        #expect(Set(diff.entries.flatMap { $0.details.map(\.word) }).isSuperset(of: ["row", "value", "text", "cookie"]))
        #expect(diff.unshownChanges > 0)
        #expect(diff.entries.contains { $0.kind == .added } && diff.entries.contains { $0.kind == .deleted })
    }

    /// More values than are kept.
    @Test func manyValues() throws {
        let directory = try TemporaryDirectory()
        for (side, step) in [("a", 0), ("b", 1)] {
            let entries = (0..<10_010).map { (PlistString("k\($0)"), PlistValue.integer(PlistInteger($0 + step))) }
            let tree: TreeLiteral = ["p.plist": .file(try XMLPlistWriter.write(.dictionary(PlistDictionary(entries))))]
            try tree.make(at: directory[side])
        }
        #expect(try compare(directory["a"], directory["b"]).unshownChanges == 10)
    }

    private final class Counter: Sendable {
        let count = Atomic(0)
    }

    private func compare(_ old: String, _ new: String) throws -> ContainerDiff {
        var options = DiffOptions()
        options.usesCache = false
        options.rows = 1
        // A rule about paths alone decides about every change that is classified.
        options.judging.rules = try NoiseRules(["CapsuleRules": 1, "Rules": [["Path": "**", "Class": "signal"]]])
        let classified = Counter()
        options.judging.rules.onUse = { _ in classified.count.add(1, ordering: .relaxed) }
        let expectation = try Expectation(["CapsuleExpectation": 1, "May": [["Path": "**"]]])
        options.judging.expectation = expectation
        let diff = try ContainerDiffer(options).run(UseCases.container(old), UseCases.container(new))
        #expect(classified.count.load(ordering: .relaxed) == diff.counts.changes)
        #expect(expectation.evaluate(diff).may[0].count == UInt64(diff.counts.changes))
        return diff
    }
}
