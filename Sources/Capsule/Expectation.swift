import CapsuleContainers
public import CapsuleCore
import CapsuleEngine
import CapsuleRules

/// A list of changes that must, may and must not happen: the document of `capsule diff --expect`.
public struct Expectation: Sendable {
    let file: ExpectationFile

    /// Reads an expectation from a property list or JSON.
    ///
    /// - Throws: ``CapsuleError`` with the place in the file if it is not an expectation.
    public init(_ path: String) throws(CapsuleError) {
        file = try ExpectationFile(HostPath(path))
    }
}

/// The judgment of an expectation about a difference.
public struct Verdict: Sendable {
    /// True if the difference is as expected.
    public var holds: Bool { findings.isEmpty }
    /// Everything that is not as expected.
    public let findings: [Finding]
    /// The number of all findings. At most 1,000 changes that no clause allows are in ``findings``.
    public let findingCount: UInt64
    /// The difference that was judged.
    public let difference: Difference
}

extension Verdict: CustomStringConvertible {
    /// The findings, each on lines of its own; `as expected` if there are none.
    public var description: String {
        if holds { return "as expected" }
        var lines = findings.map(\.description)
        let more = findingCount - UInt64(findings.count)
        if more > 0 { lines.append("and \(more) more") }
        return lines.joined(separator: "\n")
    }
}

/// One thing that is not as expected.
public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The stable word for the kind of finding, such as `missing` or `unexpected`.
    public let kind: String
    /// The path of the entry that the finding is about, if it is about one.
    public let path: String?
    /// The finding with the clause and the changes that it is about.
    public let description: String

    init(_ finding: ExpectationFinding) {
        kind = finding.kind.rawValue
        path = finding.place.map { String(decoding: $0.path.bytes, as: UTF8.self) }
        description = finding.message
    }
}

extension Container {
    /// Compares the container with a later state of it, and judges all changes by an expectation.
    ///
    ///     let verdict = try before.verdict(on: after, expecting: Expectation("Onboarding.json"))
    ///     #expect(verdict.holds, "\(verdict)")
    ///
    /// - Throws: ``CapsuleError`` if a container can't be read.
    public func verdict(
        on other: Container, expecting expectation: Expectation, _ options: ComparisonOptions = ComparisonOptions()
    ) throws(CapsuleError) -> Verdict {
        var comparison = try options.engineOptions()
        comparison.judging.expectation = expectation.file.expectation
        let difference = try compare(with: other, comparison, showsSecrets: options.showsSecrets)
        let result = expectation.file.expectation.evaluate(difference.diff)
        return Verdict(
            findings: result.report(on: difference.shown).map(Finding.init), findingCount: result.findingCount,
            difference: difference)
    }
}
