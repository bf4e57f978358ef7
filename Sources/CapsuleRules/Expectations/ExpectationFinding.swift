import CapsuleCore

/// A problem that an expectation found in a comparison, in parts. Every report of it is made from this value.
package struct ExpectationFinding: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A required change did not happen, or not as often as its clause says.
        case missing
        /// A required change has another value or another operation.
        case mismatch
        /// An allowed change did not happen as often as its clause says.
        case miscounted
        case forbidden, unallowed
        /// It is unknown if a change matches a clause, and a matching change would break the clause.
        case undecided
        /// The comparison ended early, so that there may be more changes than are known.
        case cutShort = "cut-short"
    }

    package struct Rule: Hashable, Sendable {
        package let part: ExpectationResult.Part
        /// The number of the clause in the list, from 1.
        package let number: Int
        package let clause: Expectation.Clause

        init(_ part: ExpectationResult.Part, _ index: Int, _ clause: Expectation.Clause) {
            self.part = part
            number = index + 1
            self.clause = clause
        }

        /// The name of the clause for people: `MustNot 2`.
        package var name: String { "\(part.rawValue) \(number)" }
        /// The JSON Pointer of the clause in the document: `/MustNot/1`.
        package var pointer: String { "/\(part.rawValue)/\(number - 1)" }
    }

    package struct Change: Hashable, Sendable {
        package let reference: ChangeReference
        package let summary: ChangeSummary
    }

    package let kind: Kind
    package let rule: Rule?
    /// The permitted number of matching changes; nil if nothing is counted. For a `MustNot` with `Min` and `Max`, only the numbers
    /// below `Min`.
    package let expected: ClosedRange<UInt64>?
    package let count: UInt64?
    /// The first matching changes, the first change that can't be judged, or the change that nothing allows.
    package let changes: [Change]
    /// For a missing change: the change that happened instead, at the same place or in the same table.
    package let nearest: Change?
    /// The reason why nothing can match the clause, why it can't be judged, or why the comparison is incomplete; nil for other
    /// findings.
    package let reason: String?
    /// The problem on one line, without the changes that show it: `forbidden: Note (deleted)`.
    package let headline: String

    /// The place of the first change that shows the problem, or else of the nearest change; nil if neither is known.
    package var place: ChangeSummary.Location? { shown?.summary.place }
    /// The change that shows the problem best: the first one, or else the nearest one.
    package var shown: Change? { changes.first ?? nearest }

    package func lines(limit: Int) -> [String] {
        switch kind {
        case .unallowed, .cutShort, .mismatch: return []
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

    /// The whole finding on one line, with its first change: `forbidden: Note (deleted): Model.sqlite ZNOTE Z_PK=12 (deleted)`.
    package var message: String {
        let lines = lines(limit: 1)
        return lines.isEmpty ? headline : "\(headline): \(lines.joined(separator: ", "))"
    }
}
