/// Judges changes while a comparison finds them, so that changes that the comparison doesn't keep count like those that it keeps.
public struct ChangeJudge: Sendable {
    /// The rules that classify noise.
    public let rules: NoiseRules
    let clauses: ExpectationClauses?
    let learns: Bool
    let describes: Bool

    /// - Parameters:
    ///   - rules: the rules that the comparison is classified with.
    ///   - expectation: the expectation that the comparison is evaluated against; nil for none.
    ///   - learns: true if ``LearnedRules`` are made from the comparison.
    ///   - describes: true if an expectation is written from the comparison.
    public init(
        rules: NoiseRules = NoiseRules(), expectation: Expectation? = nil, learns: Bool = false, describes: Bool = false
    ) {
        self.rules = rules
        clauses = expectation.map { ExpectationClauses($0) }
        self.learns = learns
        self.describes = describes
    }

    /// Returns the judge of the changes inside the entry at a path.
    public func entry(at path: RelativePath) -> EntryJudge { EntryJudge(self, path) }

    /// True if changes are judged for more than whether they are noise: for an expectation, for learned rules or for a description.
    var looksAtAll: Bool { clauses != nil || learns || describes }
}

/// Judges the changes inside one entry that a comparison doesn't keep.
public struct EntryJudge: Sendable {
    private let judge: ChangeJudge
    private let path: RelativePath
    private let noise: NoiseRules.EntryRules
    private let candidates: MatchCandidates?
    /// True for a judge of the content of an entry that only one side has. It serves only guards, and rules that take changes out
    /// of noise.
    private var isInside = false
    /// The results of the changes judged so far.
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

    /// Creates a judge that only counts changes.
    public init() {
        self.init(ChangeJudge(rules: .none), .root)
    }

    /// Returns true if the rows of a table must be read to be counted.
    ///
    /// - Parameter names: the names that rules may use for the table; nil if only its rows show them.
    public func needsRows(of names: [String]?) -> Bool {
        judge.looksAtAll || isInside || noise.mayConcern(tables: names)
    }

    /// Returns true if a change is noise. Always returns false for a judge from ``ofInside()``.
    public func isNoise(_ content: ChangeDetail.Content) -> Bool {
        !isInside && !noise.candidates.isEmpty && noise.classified(content).noise != nil
    }

    /// Judges a change that isn't kept.
    public mutating func add(_ content: ChangeDetail.Content) {
        let detail = noise.classified(content)
        if isInside { return addNested(detail) }
        unshown.count(detail.operation, detail.noise)
        guard judge.looksAtAll else { return }
        let place = ChangePlace(path, detail)
        if let clauses = judge.clauses, let candidates { unshown.tally?.add(place, nil, candidates, clauses) }
        if detail.noise == nil {
            unshown.learned?.learn(place)
            unshown.described?.add(place)
        }
    }

    /// True if a guard, or a rule that takes changes out of noise, may match content of an entry that only one side has.
    public var looksInside: Bool {
        noise.mayTakeOutInside
            || judge.clauses.map { clauses in
                candidates?.all.contains { clauses.isGuard($0) && clauses[$0].match.needsDetail } ?? false
            } ?? false
    }

    /// Returns a judge for the content of an entry that only one side has. Only the entry's own line counts as a change and is
    /// reported.
    public func ofInside() -> EntryJudge {
        var judge = self
        judge.isInside = true
        return judge
    }

    /// Records that the content of an entry that only one side has can't be read.
    public mutating func addUnread(_ fallback: HandlerFallback) {
        if let clauses = judge.clauses, let candidates { unshown.tally?.addUnread(fallback, candidates, clauses) }
        if noise.mayTakeOut(.fallback(fallback)) { unshown.mayBeSignal = true }
    }

    private mutating func addNested(_ detail: ChangeDetail) {
        if let clauses = judge.clauses, let candidates {
            unshown.tally?.addNested(ChangePlace(path, detail), candidates, clauses)
        }
        if noise.takesOut(detail) { unshown.mayBeSignal = true }
    }

    /// Counts a row that doesn't have to be read.
    public mutating func countRow(_ operation: ChangeOperation) {
        unshown.count(operation.rawValue, nil)
    }
}
