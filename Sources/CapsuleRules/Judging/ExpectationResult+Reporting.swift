import CapsuleCore
package import CapsulePropertyList

extension ExpectationResult {
    package func report(on diff: ContainerDiff, limit: Int = .max) -> [ExpectationFinding] {
        // A search among the clauses for each finding would take long for thousands of them.
        let reasons = Dictionary(
            unmatchable.map {
                ($0.rule.pointer, [$0.text, $0.subject == .path ? $0.hint : nil].compactMap(\.self).joined(separator: "; "))
            }
        ) { first, _ in first }
        return findings.prefix(limit).map { report(of: $0, in: diff, reasons) }
    }

    /// - Parameter reasons: why clauses can't match anything, by their pointers.
    private func report(of finding: Finding, in diff: ContainerDiff, _ reasons: [String: String]) -> ExpectationFinding {
        switch finding {
        case .missing(let number): clause(.missing, .must, number, diff, reasons)
        case .mismatched(let number): mismatch(number, diff)
        case .miscounted(let number): clause(.miscounted, .may, number, diff, reasons)
        case .forbidden(let number): clause(.forbidden, .mustNot, number, diff, reasons)
        case .undecided(let part, let number): clause(.undecided, part, number, diff, reasons)
        case .unallowed(let change):
            ExpectationFinding(
                kind: .unallowed, rule: nil, expected: 0...0, count: 1, changes: [change].compactMap(diff.change), nearest: nil,
                reason: nil, headline: description(of: finding, in: diff))
        case .cutShort:
            ExpectationFinding(
                kind: .cutShort, rule: nil, expected: nil, count: nil, changes: [], nearest: nil, reason: diff.gapText,
                headline: description(of: finding, in: diff))
        }
    }

    private func clause(
        _ kind: ExpectationFinding.Kind, _ part: Part, _ number: Int, _ diff: ContainerDiff,
        _ reasons: [String: String]
    ) -> ExpectationFinding {
        let outcome = outcomes(of: part)[number]
        let rule = ExpectationFinding.Rule(part, number, outcome.clause)
        var changes = outcome.lines
        var reason: String?
        var headline = "forbidden: "
        switch kind {
        case .undecided:
            changes = [outcome.undecidedAt].compactMap { $0 }
            reason = outcome.undecided?.text
            headline = "can't be judged: "
        case .missing, .miscounted, .mismatch:
            reason = reasons[rule.pointer]
            headline = outcome.count == 0 && part == .must ? "missing: " : "\(outcome.counts): "
        case .forbidden, .unallowed, .cutShort: break
        }
        // A clause with a count is missing only if the count asks for at least one.
        headline += outcome.count == 0 && outcome.clause.count != nil ? outcome.clause.textWithCount : outcome.clause.text
        if kind == .undecided { headline += ": \(reason ?? "")" }
        return ExpectationFinding(
            kind: kind, rule: rule, expected: outcome.clause.expected(in: part),
            count: outcome.count, changes: changes.compactMap(diff.change), nearest: outcome.nearest.flatMap(diff.change),
            reason: reason, headline: headline)
    }

    /// Returns the finding that a required change has another value: `Info.plist /a: expected 6 → 7, found 6 → 99`.
    private func mismatch(_ number: Int, _ diff: ContainerDiff) -> ExpectationFinding {
        let outcome = must[number]
        let change = outcome.mismatch.flatMap(diff.change)
        var headline = outcome.clause.match.description
        if let pin = outcome.clause.pin, let entry = outcome.mismatch?.entry, diff.entries.indices.contains(entry),
            !pin.fits(diff.entries[entry]), let found = pin.found(in: diff.entries[entry])
        {
            headline += ": expected \(pin.text), found \(found)" + outcome.clause.noteText
        } else if let summary = change?.summary {
            let isOtherOperation = outcome.near?.distance == .otherOperation
            let match = outcome.clause.match
            headline =
                "\(match.placeText): expected \(match.wanted(withKinds: isOtherOperation)), found \(summary.sides(withOperation: isOtherOperation))"
                + outcome.clause.noteText
        }
        return ExpectationFinding(
            kind: .mismatch, rule: ExpectationFinding.Rule(.must, number, outcome.clause),
            expected: outcome.clause.expected(in: .must),
            count: 0, changes: [change].compactMap { $0 }, nearest: nil, reason: nil, headline: headline)
    }

    /// Returns a finding on one line, without the parts that a report may add: the lines, and the old and new values.
    package func description(of finding: Finding, in diff: ContainerDiff) -> String {
        switch finding {
        case .unallowed(let change): "not allowed: " + diff.description(of: change)
        case .cutShort: "the comparison is incomplete: \(diff.gapText)"
        case .missing, .mismatched, .miscounted, .forbidden, .undecided: report(of: finding, in: diff, [:]).headline
        }
    }
}

extension ContainerDiff {
    fileprivate func change(_ reference: ChangeReference) -> ExpectationFinding.Change? {
        summary(of: reference).map { ExpectationFinding.Change(reference: reference, summary: $0) }
    }
}

extension Expectation.Clause {
    package var text: String { matched + noteText }

    package var entries: PlistDictionary {
        var entries = match.entries
        for (key, value) in pin?.entries ?? PlistDictionary() { entries[key] = value }
        return entries
    }

    private var matched: String { match.description + (pin.map { " with \($0.text)" } ?? "") }

    /// The match, the number of changes that may match, and the purpose: `/k/*, 1 to 3 times (keys)`.
    package var textWithCount: String {
        matched + (count.map { $0 == 1...1 ? ", once" : ", \(Self.words(for: $0)) times" } ?? "") + noteText
    }

    fileprivate var noteText: String { note.map { " (\($0))" } ?? "" }

    /// Returns `1 to 3`, `2` or `3 or more`.
    fileprivate static func words(for count: ClosedRange<UInt64>) -> String {
        if count.lowerBound == count.upperBound { return "\(count.lowerBound)" }
        return count.upperBound == .max ? "\(count.lowerBound) or more" : "\(count.lowerBound) to \(count.upperBound)"
    }

    fileprivate func expected(in part: ExpectationResult.Part) -> ClosedRange<UInt64>? {
        guard part == .mustNot else { return count ?? (part == .must ? 1...UInt64.max : nil) }
        guard let count else { return 0...0 }
        if count.lowerBound > 0 { return 0...(count.lowerBound - 1) }
        return count.upperBound < .max ? (count.upperBound + 1)...UInt64.max : nil
    }
}

extension ExpectationResult.ClauseResult {
    fileprivate var counts: String {
        "\(count) \(count == 1 ? "change" : "changes")\(noise > 0 ? ", \(noise) of them noise," : "") instead of \(Expectation.Clause.words(for: clause.count ?? 1...UInt64.max))"
    }
}
