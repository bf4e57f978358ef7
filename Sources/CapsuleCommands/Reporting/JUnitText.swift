import CapsuleCore
import CapsuleEngine

/// How a comparison meets an expectation, as the XML that CI systems read: a test case for each clause that can fail, and one
/// for whatever else changed. (github.com/testmoapp/junitxml; GitLab takes one failure of each case, so there is no more.)
struct JUnitText {
    /// Changes that are listed in one failure.
    private static let listed = 1_000

    /// What a run of this is called.
    private let suite = ReportMark.suite

    /// The document, in UTF-8, with a line end at its end.
    func bytes(of result: ExpectationResult, in diff: ContainerDiff) -> [UInt8] {
        let cases = self.cases(result, diff)
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
        /// Why it says nothing, if it does not fail: nothing can match the clause. A passed test would hide that.
        var skipReason: String?
    }

    private func cases(_ result: ExpectationResult, _ diff: ContainerDiff) -> [TestCase] {
        var failures: [String: ExpectationFinding] = [:]
        for finding in result.report(on: diff) {
            if let rule = finding.rule { failures[rule.pointer] = finding }
        }
        let unmatchable = Dictionary(diff.unmatchable.map { ($0.rule.pointer, $0) }) { first, _ in first }
        func test(_ part: ExpectationResult.Part, _ number: Int) -> TestCase {
            let pointer = "/\(part.rawValue)/\(number)"
            let finding = failures[pointer]
            return TestCase(
                part: part.rawValue, name: result.outcomes(of: part)[number].clause.text,
                failure: finding.map { ($0.headline, Self.evidence(of: $0)) },
                skipReason: finding == nil ? unmatchable[pointer].map { "can't match anything: \($0.text)" } : nil)
        }
        var cases = result.must.indices.map { test(.must, $0) }
        // Of what is only allowed, a number alone can be wrong.
        cases += result.may.indices.filter { result.may[$0].clause.count != nil }.map { test(.may, $0) }
        cases += result.mustNot.indices.map { test(.mustNot, $0) }
        if !result.allowsOther || result.isIncomplete { cases.append(other(result, diff)) }
        return cases
    }

    /// The changes that show a finding, or why there are none.
    private static func evidence(of finding: ExpectationFinding) -> [String] {
        let lines = finding.lines(limit: listed)
        guard lines.isEmpty else { return lines }
        return finding.kind == .missing ? ["no change matches"] : [finding.reason].compactMap { $0 }
    }

    /// The case of what no clause speaks of.
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

    /// For texts and for values of attributes; what XML can't hold, and what does something to a terminal, is replaced.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&apos;"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
