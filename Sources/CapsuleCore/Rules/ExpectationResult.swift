/// How a comparison meets an expectation.
public struct ExpectationResult: Hashable, Sendable {
    /// What became of one clause.
    public struct Outcome: Hashable, Sendable {
        /// The clause that was judged.
        public let clause: Expectation.Clause
        /// How many lines fit.
        public internal(set) var count: UInt64 = 0
        /// The first of them.
        public internal(set) var lines: [ChangeReference] = []
        /// Why it is not known whether a change fits the clause; nil where it is.
        public internal(set) var undecided: Doubt?
        /// The first change of which that is not known; nil where it is not one change.
        public internal(set) var undecidedAt: ChangeReference?
        /// Of a clause of `Must` that nothing fits: the change that comes nearest, at the same place or in the same table.
        public var nearest: ChangeReference? { count == 0 ? near?.line : nil }
        var near: ExpectationTally.Near?

        init(_ clause: Expectation.Clause) {
            self.clause = clause
        }

        /// Whether as many lines fit as the clause says; any number but none, for one that says nothing.
        public var isThere: Bool { clause.count?.contains(count) ?? (count > 0) }
    }

    /// Why it is not known whether a change fits a clause.
    public enum Doubt: Hashable, Sendable {
        /// A file, or a column's value, was compared by its bytes: what would have told more could not be used, for a reason.
        case notCompared(as: String, reason: String)
        /// A value that the clause asks for is hidden, or was too long to be kept whole.
        case notKept(at: String)
        /// A value that one side alone has holds what the clause may fit, and it was not looked into, or is hidden.
        case notInside(at: String)
        /// An app group in which a change may be that fits was not compared.
        case passedOver(group: String)
        /// The form of one side cannot hold facts that the clause asks for.
        case notHeld(MetadataGap)

        /// The reason on one line.
        public var text: String {
            switch self {
            case .notCompared(let form, let reason): "not compared as \(form): \(reason)"
            case .passedOver(let group): "the app group \(group) is not compared"
            case .notInside(let place): "nested values are not compared: \(place)"
            case .notHeld(let gap): "\(gap.path): only one side can have \(gap.facts.words)"
            case .notKept(let place): "a value to match is hidden or too long: \(place)"
            }
        }
    }

    /// A list of clauses; the raw value is its key in a document.
    public enum Part: String, Hashable, Sendable {
        /// Changes that have to be there.
        case must = "Must"
        /// Changes that are allowed.
        case may = "May"
        /// Changes that have not to be there.
        case mustNot = "MustNot"
    }

    /// What does not hold.
    public enum Finding: Hashable, Sendable {
        /// The numbered one of `Must` is not there, or not as often as it says.
        case missing(Int)
        /// The numbered one of `May` is not there as often as it says.
        case miscounted(Int)
        /// The numbered one of `MustNot` is there.
        case forbidden(Int)
        /// Nothing allows a change.
        case unallowed(ChangeReference)
        /// It is not known whether a change fits the numbered clause, and one that does would break it.
        case undecided(Part, Int)
        /// The comparison was cut short, so that there may be more than is known.
        case cutShort
    }

    /// How many of the lines that fit a clause are kept.
    public static let keptLines = 100
    /// How many of the changes that nothing allows are kept.
    public static let keptFindings = 1_000

    /// What came of each change that has to be there.
    public internal(set) var must: [Outcome]
    /// What came of each change that is allowed.
    public internal(set) var may: [Outcome]
    /// What came of each change that has not to be there.
    public internal(set) var mustNot: [Outcome]
    /// The first changes that nothing allows, in the comparison's order; noise only if the expectation asks for that.
    public internal(set) var unallowed: [ChangeReference] = []
    /// How many changes nothing allows.
    public internal(set) var unallowedCount: UInt64 = 0
    /// Whether the comparison was cut short, where that may hide what breaks the expectation.
    public internal(set) var isIncomplete = false
    /// Whether what nothing speaks of is allowed.
    public let allowsOther: Bool

    init(must: [Outcome], may: [Outcome], mustNot: [Outcome], allowsOther: Bool) {
        self.must = must
        self.may = may
        self.mustNot = mustNot
        self.allowsOther = allowsOther
    }

    /// Whether all holds.
    public var holds: Bool { findings.isEmpty }

    /// How many things do not hold; ``findings`` has the first of them.
    public var findingCount: UInt64 { UInt64(findings.count) + unallowedCount - UInt64(unallowed.count) }

    /// What does not hold, in the expectation's order; of what nothing allows the first ``keptFindings``.
    public var findings: [Finding] {
        var findings: [Finding] = must.indices.filter { !must[$0].isThere }.map { .missing($0) }
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

extension ExpectationResult.Outcome {
    /// Whether a change of which it is not known whether it fits could change the count.
    fileprivate var isUndecided: Bool { clause.count != nil && undecided != nil }
}

extension ExpectationResult {
    /// Whether some clause can't be judged because a value is hidden or was not kept whole.
    public var wantsValues: Bool { doubts.contains { if case .notKept = $0 { true } else { false } } }

    /// Whether some clause can't be judged because an app group was not compared.
    public var wantsGroups: Bool { doubts.contains { if case .passedOver = $0 { true } else { false } } }

    /// Why clauses can't be judged.
    private var doubts: [Doubt] {
        findings.compactMap { finding in
            guard case .undecided(let part, let number) = finding else { return nil }
            return outcomes(of: part)[number].undecided
        }
    }

    /// What became of the clauses of a part.
    public func outcomes(of part: Part) -> [Outcome] {
        switch part {
        case .must: must
        case .may: may
        case .mustNot: mustNot
        }
    }
}
