/// How changes are judged while they are found: those that a comparison doesn't keep count as those that it keeps.
public struct ChangeJudge: Sendable {
    /// What is noise.
    public let rules: NoiseRules
    let clauses: ExpectationClauses?
    let learns: Bool
    let describes: Bool

    /// - Parameters:
    ///   - rules: the rules that the comparison is classified with.
    ///   - expectation: the expectation that the comparison is held against, if it is.
    ///   - learns: whether ``LearnedRules`` are made of the comparison.
    ///   - describes: whether an expectation is written of the comparison.
    public init(
        rules: NoiseRules = NoiseRules(), expectation: Expectation? = nil, learns: Bool = false, describes: Bool = false
    ) {
        self.rules = rules
        clauses = expectation.map { ExpectationClauses($0) }
        self.learns = learns
        self.describes = describes
    }

    /// What judges the changes inside the entry at a path.
    public func entry(at path: RelativePath) -> EntryJudge { EntryJudge(self, path) }

    /// Whether anybody asks more of a change than whether it is noise.
    var looksAtAll: Bool { clauses != nil || learns || describes }
}

/// Judges the changes inside one entry that a comparison doesn't keep.
public struct EntryJudge: Sendable {
    private let judge: ChangeJudge
    private let path: RelativePath
    private let noise: NoiseRules.OfEntry
    private let candidates: MatchCandidates?
    /// Whether it judges for guards alone what is in an entry that one side alone has.
    private var isInside = false
    /// What came of the changes so far.
    public private(set) var unshown = UnshownChanges()

    fileprivate init(_ judge: ChangeJudge, _ path: RelativePath) {
        self.judge = judge
        self.path = path
        noise = judge.rules.ofEntry(at: path)
        candidates = judge.clauses.map { $0.candidates(for: path) }
        unshown.tally = judge.clauses.map { ExpectationTally($0.expectation) }
        unshown.learned = judge.learns ? LearnedRules() : nil
        unshown.described = judge.describes ? ChangeDescriber() : nil
    }

    /// Judges nothing but how many there are.
    public init() {
        self.init(ChangeJudge(rules: .none), .root)
    }

    /// Whether rows of a table have to be looked at to be counted.
    ///
    /// - Parameter names: what rules may call the table; nil if only the rows tell.
    public func needsRows(of names: [String]?) -> Bool {
        judge.looksAtAll || isInside || noise.mayConcern(tables: names)
    }

    /// Whether a change is noise.
    public func isNoise(_ content: ChangeDetail.Content) -> Bool {
        !isInside && !noise.candidates.isEmpty && noise.classified(content).noise != nil
    }

    /// Judges a change that isn't kept.
    public mutating func take(_ content: ChangeDetail.Content) {
        let detail = noise.classified(content)
        if isInside { return takeInside(detail) }
        unshown.count(detail.operation, detail.noise)
        guard judge.looksAtAll else { return }
        let place = ChangePlace(path, detail)
        if let clauses = judge.clauses, let candidates { unshown.tally?.take(place, nil, candidates, clauses) }
        if detail.noise == nil {
            unshown.learned?.learn(place)
            unshown.described?.add(place)
        }
    }

    /// Whether a guard, or a rule that takes changes out of noise, may fit what is in an entry that one side alone has.
    public var looksInside: Bool {
        noise.mayTakeOutInside
            || judge.clauses.map { clauses in
                candidates?.all.contains { clauses.isGuard($0) && clauses[$0].match.needsDetail } ?? false
            } ?? false
    }

    /// A judge of what is in an entry that one side alone has: the entry's own line is all that counts and that is reported.
    public func ofInside() -> EntryJudge {
        var judge = self
        judge.isInside = true
        return judge
    }

    /// Takes it that what is in an entry that one side alone has can't be looked at.
    public mutating func takeUnread(_ fallback: HandlerFallback) {
        if let clauses = judge.clauses, let candidates { unshown.tally?.takeUnread(fallback, candidates, clauses) }
        if noise.mayTakeOut(.fallback(fallback)) { unshown.mayBeSignal = true }
    }

    private mutating func takeInside(_ detail: ChangeDetail) {
        if let clauses = judge.clauses, let candidates {
            unshown.tally?.takeInside(ChangePlace(path, detail), candidates, clauses)
        }
        if noise.takesOut(detail) { unshown.mayBeSignal = true }
    }

    /// Counts a row that need not be looked at.
    public mutating func countRow(_ operation: ChangeOperation) {
        unshown.count(operation.rawValue, nil)
    }
}
