import Capsule
import CapsuleCore
import CapsulePropertyList
import CapsuleRules
import Foundation
import TestSupport
import Testing

/// The changes between the sample containers, and what an expectation says of them.
@Suite struct DifferenceTests {
    private static let before = Container(PackageFiles.samples + "/Gifs-before.xcappdata")
    private static let after = Container(PackageFiles.samples + "/Gifs-after.xcappdata")

    private static var options: ComparisonOptions {
        var options = ComparisonOptions()
        options.usesCache = false
        return options
    }

    @Test func changesNameTheirPlaces() throws {
        let difference = try Self.before.difference(to: Self.after, Self.options)
        let launches = try #require(difference.first { $0.pointer == "/launches" })
        #expect(launches.kind == .value)
        #expect(launches.operation == "modified")
        #expect(launches.path == "Library/Preferences/com.example.gifs.plist")
        #expect(launches.old == 6)
        #expect(launches.new == 7)
        #expect(launches.noise == nil)
        #expect("\(launches)" == "Library/Preferences/com.example.gifs.plist /launches: 6 \u{2192} 7")
        let row = try #require(difference.first { $0.kind == .row })
        #expect(row.table != nil)
        #expect(!row.row.isEmpty)
    }

    @Test func theCountIsThatOfTheSequence() throws {
        let difference = try Self.before.difference(to: Self.after, Self.options)
        #expect(!difference.isEmpty)
        #expect(difference.isComplete)
        #expect(Array(difference).count == difference.count)
        #expect(difference.noiseCount > 0)
        let all = Array(difference.withNoise)
        #expect(all.count == difference.count + difference.noiseCount)
        #expect(all.contains { $0.noise == "caches" })
        #expect(difference.allSatisfy { $0.noise == nil })
    }

    @Test func nothingDiffersFromItself() throws {
        let difference = try Self.before.difference(to: Self.before, Self.options)
        #expect(difference.isEmpty)
        #expect(Array(difference.withNoise) == [])
    }

    @Test func aPathSelects() throws {
        var options = Self.options
        options.paths = ["Library/Preferences"]
        let difference = try Self.before.difference(to: Self.after, options)
        #expect(!difference.isEmpty)
        #expect(difference.allSatisfy { $0.path.hasPrefix("Library/Preferences/") })
    }

    @Test func aVerdictListsWhatIsNotExpected() throws {
        let directory = try TemporaryDirectory()
        let file = directory["expected.json"]
        let clause = #"{"Path": "Library/Preferences/com.example.gifs.plist", "Pointer": "/launches", "From": 6, "To": 7}"#
        try Data(#"{"CapsuleExpectation": 1, "Must": [\#(clause)], "Other": "allow"}"#.utf8)
            .write(to: URL(fileURLWithPath: file))
        let held = try Self.before.verdict(on: Self.after, expecting: Expectation(file), Self.options)
        #expect(held.holds, "\(held)")
        #expect("\(held)" == "as expected")
        try Data(#"{"CapsuleExpectation": 1, "Must": [\#(clause)]}"#.utf8).write(to: URL(fileURLWithPath: file))
        let broken = try Self.before.verdict(on: Self.after, expecting: Expectation(file), Self.options)
        #expect(!broken.holds)
        #expect(broken.findingCount == UInt64(broken.findings.count))
        #expect(broken.findings.allSatisfy { $0.kind == "unallowed" && $0.path != nil })
        #expect(broken.description.split(separator: "\n").count >= broken.findings.count)
        #expect(broken.difference.count > broken.findings.count)
    }

    @Test func anExpectationThatIsNone() throws {
        let directory = try TemporaryDirectory()
        try Data("{\"CapsuleExpectation\": 1, \"Musst\": []}".utf8).write(to: URL(fileURLWithPath: directory["e.json"]))
        let error = #expect(throws: CapsuleError.self) { try Expectation(directory["e.json"]) }
        #expect(error?.message.contains("Musst") == true)
    }
}
