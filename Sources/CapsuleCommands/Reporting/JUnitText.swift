import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsuleRules

/// The verdict of an expectation in the XML that CI systems read: a test case for the command of `run`, one for each clause that can fail,
/// and one for all other changes.
/// (github.com/testmoapp/junitxml; GitLab reads only one failure per case.)
struct JUnitText {
    private static let listed = 1_000

    private let suite = ReportMark.suite
    var command: CommandResult?

    func bytes(of result: ExpectationResult, in diff: ContainerDiff) -> [UInt8] {
        let cases = commandCase + self.cases(result, diff)
        let failures = cases.count { $0.failure != nil }
        let skipped = cases.count { $0.skipReason != nil }
        var text = ReportMark.suiteStart + " tests=\"\(cases.count)\""
        text += " failures=\"\(failures)\" errors=\"0\" skipped=\"\(skipped)\">\n"
        for test in cases {
            text += "  <testcase classname=\"\(Self.escaped(suite)).\(test.part)\" name=\"\(Self.escaped(test.name))\""
            guard let failure = test.failure else {
                if let reason = test.skipReason {
                    text += ">\n    <skipped message=\"\(Self.escaped(reason))\"/>\n  </testcase>\n"
                } else {
                    text += "/>\n"
                }
                continue
            }
            text += ">\n    <failure message=\"\(Self.escaped(failure.message))\" type=\"\(test.part)\">"
            text += failure.lines.map(Self.escaped).joined(separator: "\n") + "</failure>\n  </testcase>\n"
        }
        return Array((text + "</testsuite>\n").utf8)
    }

    private struct TestCase {
        let part: String
        let name: String
        let failure: (message: String, lines: [String])?
        /// The reason to skip a case that does not fail: the clause can't match anything, which a passed test would hide.
        var skipReason: String?
    }

    private var commandCase: [TestCase] {
        command.map { [TestCase(part: "Command", name: $0.name, failure: $0.failure.map { ($0, []) })] } ?? []
    }

    private func cases(_ result: ExpectationResult, _ diff: ContainerDiff) -> [TestCase] {
        var failures: [String: ExpectationFinding] = [:]
        for finding in result.report(on: diff) {
            if let rule = finding.rule { failures[rule.pointer] = finding }
        }
        let unmatchable = Dictionary(result.unmatchable.map { ($0.rule.pointer, $0) }) { first, _ in first }
        func test(_ part: ExpectationResult.Part, _ number: Int) -> TestCase {
            let pointer = "/\(part.rawValue)/\(number)"
            let finding = failures[pointer]
            return TestCase(
                part: part.rawValue, name: result.outcomes(of: part)[number].clause.text,
                failure: finding.map { ($0.headline, Self.evidence(of: $0)) },
                skipReason: finding == nil ? unmatchable[pointer].map { "can't match anything: \($0.text)" } : nil)
        }
        var cases = result.must.indices.map { test(.must, $0) }
        // For changes that are only allowed, only the number can be wrong.
        cases += result.may.indices.filter { result.may[$0].clause.count != nil }.map { test(.may, $0) }
        cases += result.mustNot.indices.map { test(.mustNot, $0) }
        if !result.allowsOther || result.isIncomplete { cases.append(other(result, diff)) }
        return cases
    }

    private static func evidence(of finding: ExpectationFinding) -> [String] {
        let lines = finding.lines(limit: listed)
        guard lines.isEmpty else { return lines }
        return finding.kind == .missing ? ["no change matches"] : [finding.reason].compactMap { $0 }
    }

    private func other(_ result: ExpectationResult, _ diff: ContainerDiff) -> TestCase {
        let count = result.unallowedCount
        var messages: [String] = []
        if count > 0 { messages.append(count == 1 ? "1 change is not allowed" : "\(count) changes are not allowed") }
        if result.isIncomplete { messages.append(result.description(of: .cutShort, in: diff)) }
        let lines = result.unallowed.prefix(Self.listed).map(diff.description)
        return TestCase(
            part: "Other", name: "nothing else changed",
            failure: messages.isEmpty
                ? nil : (messages.joined(separator: "; "), Self.list(lines, of: count)))
    }

    private static func list(_ lines: [String], of count: UInt64) -> [String] {
        let more = count - min(count, UInt64(lines.count))
        return more > 0 ? lines + ["and \(more) more"] : lines
    }

    /// Escapes a text or the value of an attribute. Control characters, and characters that hide or reorder text,
    /// are shown as in text reports. The two others that XML can't contain are replaced.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&apos;"
            case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            case _ where TerminalCharacters.isPlain(scalar): escaped.unicodeScalars.append(scalar)
            default: escaped += QuotedBytes(String(scalar)).text
            }
        }
        return escaped
    }
}
