/// Something that an expectation finds wrong with a comparison, in parts: every report of it is made from this value.
public struct ExpectationFinding: Hashable, Sendable {
    /// What is wrong.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A change that must happen did not, or not as often as its clause says.
        case missing
        /// An allowed change did not happen as often as its clause says.
        case miscounted
        /// A change that must not happen did.
        case forbidden
        /// No clause allows a change.
        case unallowed
        /// It is not known whether a change matches a clause, and one that does would break it.
        case undecided
        /// The comparison ended early: there may be more changes than are known.
        case cutShort = "cut-short"
    }

    /// A clause of the expectation.
    public struct Rule: Hashable, Sendable {
        /// The list that it is in.
        public let part: ExpectationResult.Part
        /// Its number in the list, from 1.
        public let number: Int
        /// What it says.
        public let clause: Expectation.Clause

        init(_ part: ExpectationResult.Part, _ index: Int, _ clause: Expectation.Clause) {
            self.part = part
            number = index + 1
            self.clause = clause
        }

        /// For people: `MustNot 2`.
        public var name: String { "\(part.rawValue) \(number)" }

        /// Where it is in the document, as a JSON Pointer: `/MustNot/1`.
        public var pointer: String { "/\(part.rawValue)/\(number - 1)" }
    }

    /// A change that shows what is wrong.
    public struct Change: Hashable, Sendable {
        /// Where it is in the comparison.
        public let reference: ChangeReference
        /// What it is.
        public let summary: ChangeSummary
    }

    /// What is wrong.
    public let kind: Kind
    /// The clause that it is about; nil where there is none.
    public let rule: Rule?
    /// How many changes may match; nil where nothing is counted. For a `MustNot` with `Min` and `Max`, only the numbers below `Min`.
    public let expected: ClosedRange<UInt64>?
    /// How many changes match; nil where nothing is counted.
    public let count: UInt64?
    /// The first of the changes that match, or the one that nothing allows.
    public let changes: [Change]
    /// Of a change that is missing: what happened instead, at the same place or in the same table.
    public let nearest: Change?
    /// Why nothing can match the clause, why it can't be judged, or why the comparison is incomplete; nil for the others.
    public let reason: String?
    /// What is wrong, on one line, without the changes that show it: `forbidden: Note (deleted)`.
    public let headline: String

    /// Where it is: at the first change that shows it, else at the nearest one. nil where neither is known.
    public var place: ChangeSummary.Place? { shown?.summary.place }

    /// The change that says most about it.
    public var shown: Change? { changes.first ?? nearest }

    /// The changes that show it, a line for each of the first ones, for people.
    ///
    /// - Parameter limit: how many are listed.
    public func lines(limit: Int) -> [String] {
        switch kind {
        case .unallowed, .cutShort: return []
        case .missing where changes.isEmpty:
            return nearest.map { ["\($0.summary.text) was seen"] } ?? reason.map { [$0] } ?? []
        case .undecided:
            // Most reasons name the place.
            return changes.first.map { headline.contains($0.summary.place.path.description) ? [] : [$0.summary.text] } ?? []
        case .missing, .miscounted, .forbidden:
            let listed = changes.prefix(limit)
            let more = (count ?? 0) - min(count ?? 0, UInt64(listed.count))
            return listed.map(\.summary.text) + (more > 0 ? ["and \(more) more"] : [])
        }
    }

    /// All on one line, with the first change: `forbidden: Note (deleted): Model.sqlite ZNOTE Z_PK=12 (deleted)`.
    public var message: String {
        let lines = lines(limit: 1)
        return lines.isEmpty ? headline : "\(headline): \(lines.joined(separator: ", "))"
    }
}

extension ExpectationResult {
    /// What does not hold, as reports tell it, in the order of ``findings``.
    public func report(on diff: ContainerDiff) -> [ExpectationFinding] { findings.map { report(of: $0, in: diff) } }

    /// A finding as reports tell it.
    public func report(of finding: Finding, in diff: ContainerDiff) -> ExpectationFinding {
        switch finding {
        case .missing(let number): clause(.missing, .must, number, diff)
        case .miscounted(let number): clause(.miscounted, .may, number, diff)
        case .forbidden(let number): clause(.forbidden, .mustNot, number, diff)
        case .undecided(let part, let number): clause(.undecided, part, number, diff)
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
        _ kind: ExpectationFinding.Kind, _ part: Part, _ number: Int, _ diff: ContainerDiff
    ) -> ExpectationFinding {
        let outcome = outcomes(of: part)[number]
        var changes = outcome.lines
        var reason: String?
        var headline = "forbidden: "
        switch kind {
        case .undecided:
            changes = [outcome.undecidedAt].compactMap { $0 }
            reason = outcome.undecided?.text
            headline = "can't be judged: "
        case .missing, .miscounted:
            reason = diff.unmatchable.first { $0.part == part && $0.number == number + 1 }?.text
            headline = outcome.count == 0 && outcome.clause.count == nil ? "missing: " : "\(outcome.counts): "
        case .forbidden, .unallowed, .cutShort: break
        }
        headline += outcome.clause.text
        if kind == .undecided { headline += ": \(reason ?? "")" }
        return ExpectationFinding(
            kind: kind, rule: .init(part, number, outcome.clause), expected: outcome.clause.expected(in: part),
            count: outcome.count, changes: changes.compactMap(diff.change), nearest: outcome.nearest.flatMap(diff.change),
            reason: reason, headline: headline)
    }

    /// What a finding says, on one line and without what a report may add: the lines, old and new values.
    public func description(of finding: Finding, in diff: ContainerDiff) -> String {
        switch finding {
        case .unallowed(let change): "not allowed: " + diff.description(of: change)
        case .cutShort: "the comparison is incomplete: \(diff.gapText)"
        case .missing, .miscounted, .forbidden, .undecided: report(of: finding, in: diff).headline
        }
    }
}

extension ContainerDiff {
    fileprivate func change(_ reference: ChangeReference) -> ExpectationFinding.Change? {
        summary(of: reference).map { ExpectationFinding.Change(reference: reference, summary: $0) }
    }
}

extension Expectation.Clause {
    /// What matches, and what it is for.
    public var text: String { match.description + noteText }

    /// The same with the number of changes that may match: `/k/*, 1 to 3 times (keys)`.
    public var textWithCount: String {
        match.description + (count.map { $0 == 1...1 ? ", once" : ", \(Self.words(for: $0)) times" } ?? "") + noteText
    }

    private var noteText: String { note.map { " (\($0))" } ?? "" }

    /// `1 to 3`, `2`, `3 or more`
    fileprivate static func words(for count: ClosedRange<UInt64>) -> String {
        if count.lowerBound == count.upperBound { return "\(count.lowerBound)" }
        return count.upperBound == .max ? "\(count.lowerBound) or more" : "\(count.lowerBound) to \(count.upperBound)"
    }

    /// How many changes may match.
    fileprivate func expected(in part: ExpectationResult.Part) -> ClosedRange<UInt64>? {
        guard part == .mustNot else { return count ?? (part == .must ? 1...UInt64.max : nil) }
        guard let count else { return 0...0 }
        if count.lowerBound > 0 { return 0...(count.lowerBound - 1) }
        return count.upperBound < .max ? (count.upperBound + 1)...UInt64.max : nil
    }
}

extension ExpectationResult.Outcome {
    /// How many changes match, and how many should.
    fileprivate var counts: String {
        "\(count) \(count == 1 ? "change" : "changes") instead of \(Expectation.Clause.words(for: clause.count ?? 1...UInt64.max))"
    }
}
