package import CapsuleCore
import CapsulePropertyList

/// The result of evaluating a comparison against an expectation.
package struct ExpectationResult: Hashable, Sendable {
    package struct ClauseResult: Hashable, Sendable {
        package let clause: Expectation.Clause
        package internal(set) var count: UInt64 = 0
        /// The number of these lines that are noise, which other counts of changes leave out.
        package internal(set) var noise: UInt64 = 0
        package internal(set) var lines: [ChangeReference] = []
        /// The reason why it is unknown if a change matches the clause; nil if it is known.
        package internal(set) var undecided: Doubt?
        /// The first change for which that is unknown; nil if the reason is not one change.
        package internal(set) var undecidedAt: ChangeReference?
        /// For a clause of `Must` that nothing matches: the nearest change, at the same place or in the same table.
        package var nearest: ChangeReference? { count == 0 ? near?.line : nil }
        var near: ExpectationTally.NearMiss?
        /// For a clause of `Must` that nothing matches: the change at its place that only has another value or operation. It is not
        /// among ``ExpectationResult/unallowed``, because one wrong value is one finding.
        package internal(set) var mismatch: ChangeReference?

        init(_ clause: Expectation.Clause) {
            self.clause = clause
        }

        /// True if the number of matching lines is within the clause's count. A clause without a count needs at least one line.
        package var isThere: Bool { clause.count?.contains(count) ?? (count > 0) }
    }

    /// The reason why it is unknown if a change matches a clause.
    package enum Doubt: Hashable, Sendable {
        /// A file, or a column's value, was compared by its bytes, because a more detailed comparison was not possible.
        case notCompared(as: String, reason: String)
        /// A value that the clause asks for was too long to be kept whole.
        case notKept(at: String)
        /// A value that only one side has may contain a match, but it was not searched.
        case notInside(at: String)
        case skippedGroup(group: String)
        /// The format of one side can't store facts that the clause asks for.
        case notHeld(MetadataGap)
        case excluded(path: RelativePath, pattern: [UInt8])

        package var text: String {
            switch self {
            case .notCompared(let form, let reason): "not compared as \(form): \(reason)"
            case .skippedGroup(let group): "the app group \(group) is not compared"
            case .notInside(let place): "nested values are not compared: \(place)"
            case .notHeld(let gap): "\(gap.path): only one side can have \(gap.facts.words)"
            case .excluded(let path, let pattern): "\(path) is not compared: '--exclude \(HostPath(pattern))'"
            case .notKept(let place): "a value to match is too long: \(place)"
            }
        }
    }

    /// A list of clauses. The raw value is its key in a document.
    package enum Part: String, Hashable, Sendable {
        case must = "Must"
        case may = "May"
        case mustNot = "MustNot"
    }

    /// A way in which a comparison does not meet the expectation.
    package enum Finding: Hashable, Sendable {
        /// The clause of `Must` at this index does not match any change, or not as many as it says.
        case missing(Int)
        /// The clause of `Must` at this index asks for another value than the change at its place has.
        case mismatched(Int)
        case miscounted(Int)
        case forbidden(Int)
        case unallowed(ChangeReference)
        /// It is unknown if a change matches the clause at this index, and a matching change would break the clause.
        case undecided(Part, Int)
        case cutShort
    }

    package static let keptLines = 100
    package static let keptFindings = 1_000

    package internal(set) var must: [ClauseResult]
    package internal(set) var may: [ClauseResult]
    package internal(set) var mustNot: [ClauseResult]
    /// The first changes that nothing allows, in the comparison's order. Noise is included only if the expectation checks it.
    package internal(set) var unallowed: [ChangeReference] = []
    package internal(set) var unallowedCount: UInt64 = 0
    /// True if the comparison ended early and may have missed changes that break the expectation.
    package internal(set) var isIncomplete = false
    package internal(set) var unmatchable: [UnmatchableClause] = []
    package let allowsOther: Bool

    package var holds: Bool { findings.isEmpty }
    /// The number of findings. ``findings`` contains only the first of them.
    package var findingCount: UInt64 { UInt64(findings.count) + unallowedCount - UInt64(unallowed.count) }

    /// The findings, in the expectation's order. Of the changes that nothing allows, it contains the first ``keptFindings``.
    package var findings: [Finding] {
        var findings: [Finding] = must.indices.filter { !must[$0].isThere }.map {
            must[$0].mismatch == nil ? .missing($0) : .mismatched($0)
        }
        findings += may.indices.filter { may[$0].clause.count != nil && !may[$0].isThere }.map { .miscounted($0) }
        findings += mustNot.indices.filter { mustNot[$0].isThere }.map { .forbidden($0) }
        findings += must.indices.filter { must[$0].isThere && must[$0].isUndecided }.map { .undecided(.must, $0) }
        findings += may.indices.filter { may[$0].isThere && may[$0].isUndecided }.map { .undecided(.may, $0) }
        findings += mustNot.indices.filter { !mustNot[$0].isThere && mustNot[$0].undecided != nil }.map {
            .undecided(.mustNot, $0)
        }
        findings += unallowed.map { .unallowed($0) }
        if isIncomplete { findings.append(.cutShort) }
        return findings
    }
}

extension ExpectationResult.ClauseResult {
    fileprivate var isUndecided: Bool { clause.count != nil && undecided != nil }
}

extension ExpectationResult {
    package var wantsValues: Bool { doubts.contains { if case .notKept = $0 { true } else { false } } }
    package var wantsGroups: Bool { doubts.contains { if case .skippedGroup = $0 { true } else { false } } }

    private var doubts: [Doubt] {
        findings.compactMap { finding in
            guard case .undecided(let part, let number) = finding else { return nil }
            return outcomes(of: part)[number].undecided
        }
    }

    package func outcomes(of part: Part) -> [ClauseResult] {
        switch part {
        case .must: must
        case .may: may
        case .mustNot: mustNot
        }
    }
}

extension DetailPart {
    func doubt(of match: ChangeMatch, at place: String) -> ExpectationResult.Doubt {
        guard let pointer = match.pointer, let gap = nestedGap(outside: pointer), gap != .notKept else {
            return .notKept(at: place)
        }
        return .notCompared(as: "plist", reason: "\(gap.text): \(place)")
    }

    /// Returns the reason why property lists inside the value were not compared; nil if the pattern matches the value's own place.
    private func nestedGap(outside pointer: MatchPointerPattern) -> NestedGap? {
        let change: PlistChange
        switch self {
        case .column(_, let column, nil): return column.nestedGap
        case .column(_, _, let nested?): change = nested
        case .whole(let detail):
            guard case .value(let found) = detail.content else { return nil }
            change = found
        }
        return pointer.matches(change.pointer.steps) ? nil : change.nestedGap
    }
}
