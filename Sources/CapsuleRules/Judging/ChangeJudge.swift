package import CapsuleCore

/// The rules and the expectation that judge the changes of a comparison, and the documents that are made from them. All changes are judged, also those that are not kept.
package struct Judging: Sendable {
    /// The rules that classify noise.
    package var rules: NoiseRules
    package var expectation: Expectation?
    /// True if ``LearnedRules`` are made from the result.
    package var learns: Bool
    /// True if an expectation is written or updated from the result. All changes are kept then, and the contents of new files are
    /// known.
    package var describes: Bool

    package init(
        rules: NoiseRules = NoiseRules(), expectation: Expectation? = nil, learns: Bool = false, describes: Bool = false
    ) {
        (self.rules, self.expectation, self.learns, self.describes) = (rules, expectation, learns, describes)
    }

    /// True if an expectation is judged, written or updated.
    package var hasExpectation: Bool { describes || expectation != nil }
}

/// Judges the changes of a comparison, entry by entry. Any thread may use it.
package struct ChangeJudge: Sendable {
    fileprivate let judging: Judging
    fileprivate let clauses: ExpectationClauses?

    /// - Parameter captured: the time of the newer side as a property list's date; nil if it is not known.
    package init(_ judging: Judging, captured: Double? = nil) {
        self.judging = judging
        clauses = judging.expectation.map { ExpectationClauses($0.bound(to: captured)) }
    }

    /// - Parameter entry: the entry without its details, but with everything that a clause may pin.
    package func entry(_ entry: EntryChange) -> EntryJudge { EntryJudge(self, entry) }

    /// Returns true if a clause pins what the content of an entry means.
    package func asksForContent(at path: RelativePath) -> Bool {
        clauses.map { clauses in clauses.candidates(for: path).pinned.contains { clauses[$0].pin?.content != nil } } ?? false
    }
}

/// Classifies and judges each change inside one entry when it is found, and collects those that are kept.
package final class EntryJudge: ChangeSink {
    private let judge: ChangeJudge
    private let path: RelativePath
    private let noise: NoiseRules.EntryRules
    private let clauses: EntryClauses?
    private var inside: OneSidedJudge?
    package private(set) var details: [ChangeDetail] = []
    package private(set) var unshown = UnshownChanges()
    private var mayHideSignal = false
    /// Kept changes come first, also in lists that have only the first changes.
    private var tallies: (kept: ExpectationTally, unkept: ExpectationTally)?

    fileprivate init(_ judge: ChangeJudge, _ entry: EntryChange) {
        self.judge = judge
        path = entry.path
        noise = judge.judging.rules.ofEntry(at: entry.path)
        clauses = judge.clauses.map { $0.candidates(for: entry) }
        restart()
    }

    /// Forgets the changes so far, because the comparison that found them failed.
    ///
    /// - Parameter notes: the reasons, which come before everything that is found from here on.
    package func restart(_ notes: [HandlerFallback] = []) {
        details = []
        mayHideSignal = false
        tallies = clauses.map { (ExpectationTally($0.expectation), ExpectationTally($0.expectation)) }
        unshown = UnshownChanges()
        unshown.learned = judge.judging.learns ? LearnedRules() : nil
        for note in notes { add(.fallback(note)) }
    }

    /// Takes the details that the entry has from elsewhere, classifies its own line, and sums up.
    package func finished(_ entry: EntryChange) -> EntryChange {
        for detail in entry.details { add(detail.content, noise: detail.noise) }
        var entry = entry
        entry.details = details
        entry.mayHideSignal = mayHideSignal
        noise.classifyLine(of: &entry)
        if inside?.mayBeSignal == true { entry.noise = nil }
        entry.unshown = unshown
        guard let clauses, var tally = tallies?.kept else { return entry }
        for other in [tallies?.unkept, inside?.tally].compactMap({ $0 }) { tally.add(other) }
        tally.addLine(of: entry, clauses)
        entry.tally = tally
        return entry
    }

    package func needsRows(of names: [String]?) -> Bool {
        clauses != nil || judge.judging.learns || noise.mayConcern(tables: names)
    }

    package func classified(_ detail: ChangeDetail) -> ChangeDetail {
        var detail = detail
        noise.classify(&detail, &mayHideSignal)
        return detail
    }

    package func take(_ detail: ChangeDetail, isKept: Bool) {
        if isKept {
            if let clauses { tallies?.kept.add(detail, at: path, details.count, clauses) }
            return details.append(detail)
        }
        unshown.count(detail.operation, detail.noise)
        if let clauses { tallies?.unkept.add(detail, at: path, nil, clauses) }
        if detail.noise == nil { unshown.learned?.learn(ChangePlace(path, detail)) }
    }

    package func countRow(_ operation: ChangeOperation) { unshown.count(operation.rawValue, nil) }

    package var asksForPlaces: Bool { clauses?.hasGuard(where: \.namesPlaces) ?? false }

    /// Returns a judge of the content, if only one side has the entry; nil if no guard, and no rule that takes changes out of noise,
    /// may match it.
    package func lookingInside() -> OneSidedJudge? {
        guard noise.mayTakeOutInside || clauses?.hasGuard(where: \.needsDetail) == true else { return nil }
        inside = OneSidedJudge(path, noise, clauses)
        return inside
    }
}

/// Judges what is in an entry that only one side has, for guards and for rules that take changes out of noise. Only the entry's own
/// line counts as a change and is reported.
package final class OneSidedJudge: ChangeSink {
    private let path: RelativePath
    private let noise: NoiseRules.EntryRules
    private let clauses: EntryClauses?
    fileprivate private(set) var mayBeSignal = false
    fileprivate private(set) var tally: ExpectationTally?

    fileprivate init(_ path: RelativePath, _ noise: NoiseRules.EntryRules, _ clauses: EntryClauses?) {
        (self.path, self.noise, self.clauses) = (path, noise, clauses)
        tally = clauses.map { ExpectationTally($0.expectation) }
    }

    package func needsRows(of names: [String]?) -> Bool { true }
    package func countRow(_ operation: ChangeOperation) {}

    package func classified(_ detail: ChangeDetail) -> ChangeDetail {
        var detail = detail
        if detail.isSearched { noise.classify(&detail) }
        return detail
    }

    package func take(_ detail: ChangeDetail, isKept: Bool) {
        guard detail.isSearched else { return }
        if let clauses { tally?.addNested(ChangePlace(path, detail), clauses) }
        mayBeSignal = mayBeSignal || noise.takesOut(detail)
    }

    /// Takes the reason why the content can't be read, and forgets what was read of it.
    package func fail(_ fallback: HandlerFallback) {
        if let clauses {
            tally = ExpectationTally(clauses.expectation)
            tally?.add(fallback, clauses, isInside: true)
        }
        mayBeSignal = noise.mayTakeOut(.fallback(fallback))
    }
}

extension ChangeDetail {
    /// True for a change, but not of a setting that every database has.
    fileprivate var isSearched: Bool {
        if case .schema(let change) = content { change.object != "pragma" } else { isChange }
    }
}

extension NoiseRules {
    /// Sets the class of noise of each line of a comparison that kept all changes and was not judged.
    ///
    /// A change that a handler has classified as noise stays noise, unless a user's rule says otherwise.
    package func classify(_ diff: inout ContainerDiff) {
        let judge = ChangeJudge(Judging(rules: self))
        diff.entries = diff.entries.map { judge.entry($0).finished($0) }
    }
}

extension NoiseRules.EntryRules {
    /// The last rule that is about paths alone decides about everything that no later rule matches.
    func classifyLine(of entry: inout EntryChange) {
        guard !candidates.isEmpty, entry.countsItself else { return }
        let known = entry.noise
        entry.noise = all.decide(candidates, known: known) { match, _ in match.fitsLine(of: entry) }
        // A renamed entry is noise only if it is noise at both of its paths.
        guard case .renamed(let from) = entry.kind, entry.noise != nil else { return }
        if all.decide(all.paths.candidates(for: from), known: known, { match, _ in match.fitsLine(of: entry) }) == nil {
            entry.noise = nil
        }
    }
}
