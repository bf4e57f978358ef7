import CapsuleContainers
import CapsuleCore
import CapsuleTransaction
import TestSupport
import Testing

@testable import CapsuleEngine

/// The plan that turns a directory into another one.
@Suite struct TargetPlannerTests {
    @Test func countsWhatItDoes() throws {
        let directory = try TemporaryDirectory()
        let before: TreeLiteral = ["a": .file("one"), "b": .file("two"), "c": .file("c"), "d": .file("d")]
        let after: TreeLiteral = [
            "a": .file("1"), "b": .file("two", mode: 0o600), "d": .file("d"), "e": .directory(), "e/f": .file("new"),
        ]
        try before.make(at: directory["live"])
        try after.make(at: directory["wanted"])
        let target = try LiveTarget(directory.host("live"), ContainerOptions(), for: .check)
        let wanted = try Container(Array(directory["wanted"].utf8)).open(ContainerOptions())
        var planner = TargetPlanner(target, to: wanted, jobs: 1)
        let counts = try planner.plan().counts
        #expect(counts.written == 2)
        #expect(counts.bytes == 4)
        #expect(counts.made == 1)
        #expect(counts.facts == 1)
        #expect(counts.deleted == 1)
    }
}
