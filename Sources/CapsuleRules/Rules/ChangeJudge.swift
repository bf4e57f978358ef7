package import CapsuleCore

/// Judges the changes of a comparison by rules and an expectation, entry by entry. Any thread may use it.
package struct ChangeJudge: Sendable {
    fileprivate let rules: NoiseRules
    fileprivate let clauses: ExpectationClauses?
    fileprivate let learns: Bool

    /// - Parameters:
    ///   - learns: true if ``LearnedRules`` are made from the comparison.
    ///   - captured: the time of the newer side as a property list's date; nil if it is not known.
    package init(
        rules: NoiseRules = NoiseRules(), expectation: Expectation? = nil, learns: Bool = false,
        captured: Double? = nil
    ) {
        self.rules = rules
        clauses = expectation.map { ExpectationClauses($0.bound(to: captured)) }
        self.learns = learns
    }

    package func entry(at path: RelativePath) -> EntryJudge { EntryJudge(self, path) }
}

/// Judges the changes inside one entry: those that the comparison doesn't keep while it finds them, all others at the end.
package final class EntryJudge: ChangeSink {
    private let judge: ChangeJudge
    private let path: RelativePath
    private let noise: NoiseRules.EntryRules
    private let clauses: EntryClauses?
    /// True while the content of an entry is judged that only one side has. It serves only guards, and rules that take changes out
    /// of noise, because only the entry's own line counts as a change and is reported.
    package var isInside = false
    private var mayBeSignal = false
    private var tally: ExpectationTally?
    package private(set) var unshown = UnshownChanges()

    fileprivate init(_ judge: ChangeJudge, _ path: RelativePath) {
        self.judge = judge
        self.path = path
        noise = judge.rules.ofEntry(at: path)
        clauses = judge.clauses.map { $0.candidates(for: path) }
        restart()
    }

    /// Forgets the changes so far, because the comparison that found them failed.
    package func restart() {
        tally = clauses.map { ExpectationTally($0.expectation) }
        mayBeSignal = false
        unshown = UnshownChanges()
        unshown.learned = judge.learns ? LearnedRules() : nil
    }

    /// Classifies and judges what the comparison kept, and adds the judgment of what it did not.
    package func finish(_ entry: inout EntryChange) {
        judge.rules.classify(&entry)
        if mayBeSignal { entry.noise = nil }
        entry.unshown = unshown
        if let clauses = judge.clauses { entry.tally = ExpectationTally(of: entry, clauses, unshown: tally) }
    }

    package func needsRows(of names: [String]?) -> Bool {
        isInside || clauses != nil || judge.learns || noise.mayConcern(tables: names)
    }

    package func classified(_ content: ChangeDetail.Content) -> ChangeDetail {
        var detail = ChangeDetail(content)
        noise.classify(&detail)
        return detail
    }

    package func add(_ detail: ChangeDetail) {
        let place = ChangePlace(path, detail)
        if isInside {
            if let clauses { tally?.addNested(place, clauses) }
            mayBeSignal = mayBeSignal || noise.takesOut(detail)
            return
        }
        unshown.count(detail.operation, detail.noise)
        if let clauses { tally?.add(place, nil, clauses) }
        if detail.noise == nil { unshown.learned?.learn(place) }
    }

    package func countRow(_ operation: ChangeOperation) { unshown.count(operation.rawValue, nil) }

    /// Takes the failure to read the content of an entry that only one side has.
    package func addUnread(_ fallback: HandlerFallback) {
        if let clauses { tally?.add(fallback, clauses, isInside: true) }
        mayBeSignal = mayBeSignal || noise.mayTakeOut(.fallback(fallback))
    }

    /// True if a guard, or a rule that takes changes out of noise, may match content of an entry that only one side has.
    package var looksInside: Bool {
        noise.mayTakeOutInside
            || clauses.map { clauses in clauses.all.contains { clauses[$0].isGuard && clauses[$0].match.needsDetail } } ?? false
    }

    package var asksForPlaces: Bool {
        clauses.map { clauses in clauses.all.contains { clauses[$0].isGuard && clauses[$0].match.namesPlaces } } ?? false
    }

    package var asksForContent: Bool {
        clauses.map { clauses in clauses.pinned.contains { clauses[$0].pin?.content != nil } } ?? false
    }
}
