extension Expectation {
    /// Holds a comparison, whose noise is classed, against what is expected.
    ///
    /// The verdict is of all changes. Those that the comparison found and did not keep were judged while it ran, if it was given
    /// this expectation (`ComparisonOptions.expectation`); if it was not, the expectation does not hold.
    public func evaluate(_ diff: ContainerDiff) -> ExpectationResult {
        let clauses = ExpectationClauses(self)
        var result = ExpectationResult(self)
        var pending: [[Int]: ExpectationTally.Lines] = [:]
        var isIncomplete = !diff.isComplete && !diff.saysWhatIsMissing
        for (number, entry) in diff.entries.enumerated() {
            let candidates = clauses.candidates(for: entry)
            var tally = ExpectationTally(self)
            for (place, detail) in entry.details.enumerated() {
                if detail.isChange {
                    tally.take(ChangePlace(entry.path, detail), place, candidates, clauses)
                } else if detail.isGap {
                    isIncomplete = isIncomplete || clauses.isBroken(byGap: detail.noise, candidates)
                } else if case .fallback(let fallback) = detail.content {
                    tally.take(fallback, candidates, clauses)
                }
            }
            if let unshown = entry.unshown.tally, unshown.expectation == self {
                tally.add(unshown)
            } else if !entry.unshown.isEmpty {
                isIncomplete = true
            }
            tally.take(entry, candidates, clauses)
            result.add(tally, of: number, clauses)
            for (fitting, lines) in tally.pending {
                pending[fitting, default: .init()].add(lines.placed(in: number), limit: ExpectationResult.keptFindings)
            }
        }
        for group in diff.passedOverGroups { result.passOver(group, clauses) }
        for gap in diff.metadataGaps { result.passOver(gap, clauses) }
        result.isIncomplete = isIncomplete
        result.finish(pending, clauses)
        return result
    }
}

extension ExpectationResult {
    fileprivate init(_ expectation: Expectation) {
        self.init(
            must: expectation.must.map { Outcome($0) }, may: expectation.may.map { Outcome($0) },
            mustNot: expectation.mustNot.map { Outcome($0) }, allowsOther: expectation.allowsOther)
    }

    fileprivate mutating func add(_ tally: ExpectationTally, of entry: Int, _ clauses: ExpectationClauses) {
        for (clause, lines) in tally.found {
            change(clauses[clause]) { $0.add(lines.placed(in: entry)) }
        }
        for (clause, doubted) in tally.undecided {
            change(clauses[clause]) { if $0.undecided == nil { $0.doubt(doubted, in: entry) } }
        }
        for (clause, near) in tally.nearest { change(clauses[clause]) { $0.take(near, in: entry) } }
        note(tally.unallowed.placed(in: entry))
    }

    /// Takes it that nothing is known of what an app group holds.
    fileprivate mutating func passOver(_ group: [UInt8], _ clauses: ExpectationClauses) {
        for clause in clauses.guards(below: ContainerNames.appGroups + [RelativePath.slash] + group + [RelativePath.slash]) {
            change(clause) {
                if $0.undecided == nil { $0.undecided = .passedOver(group: String(decoding: group, as: UTF8.self)) }
            }
        }
    }

    /// Takes it that facts beside an entry's content were not compared. A clause has to ask for such facts to be in doubt.
    fileprivate mutating func passOver(_ gap: MetadataGap, _ clauses: ExpectationClauses) {
        for candidate in clauses.candidates(for: gap.path).all where clauses.isGuard(candidate) {
            guard clauses[candidate].match.mayFit(metadata: gap.facts) else { continue }
            change(clauses[candidate]) { if $0.undecided == nil { $0.undecided = .notHeld(gap) } }
        }
    }

    /// Says what nothing expected comes to.
    fileprivate mutating func finish(_ pending: [[Int]: ExpectationTally.Lines], _ clauses: ExpectationClauses) {
        for (fitting, lines) in pending.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
        where !fitting.contains(where: { mustNot[clauses[$0].number].isThere }) {
            note(lines)
        }
        unallowed.sort { ($0.entry, $0.order) < ($1.entry, $1.order) }
        unallowed = Array(unallowed.prefix(Self.keptFindings))
    }

    private mutating func note(_ lines: ExpectationTally.Lines) {
        unallowedCount += lines.count
        unallowed += lines.lines
        // What is kept of each entry is bounded; so is what is kept of all.
        if unallowed.count >= 2 * Self.keptFindings { unallowed = Array(unallowed.prefix(Self.keptFindings)) }
    }

    private mutating func change(_ clause: ExpectationClauses.Clause, _ body: (inout Outcome) -> Void) {
        switch clause.part {
        case .must: body(&must[clause.number])
        case .may: body(&may[clause.number])
        case .mustNot: body(&mustNot[clause.number])
        }
    }
}

extension ExpectationResult.Outcome {
    fileprivate mutating func add(_ more: ExpectationTally.Lines) {
        count += more.count
        lines += more.lines.prefix(max(0, ExpectationResult.keptLines - lines.count))
    }

    fileprivate mutating func doubt(_ doubted: ExpectationTally.Doubted, in entry: Int) {
        undecided = doubted.reason
        undecidedAt = doubted.line
        undecidedAt?.entry = entry
    }

    fileprivate mutating func take(_ other: ExpectationTally.Near, in entry: Int) {
        guard other.isNearer(than: near) else { return }
        near = other
        near?.line.entry = entry
    }
}

extension ChangeReference {
    /// Where it stands among the changes of its entry: those that aren't kept come last.
    fileprivate var order: Int { unshown == nil ? detail ?? -1 : .max }
}

/// The clauses of an expectation one after the other, ready to be held against changes.
struct ExpectationClauses: Sendable {
    struct Clause: Sendable {
        let part: ExpectationResult.Part
        /// The clause's number in its part.
        let number: Int
        let match: ChangeMatch
        /// Whether a change that it fits can break it.
        let isGuard: Bool
        /// Whether it asks for at least one change: where there is none, the nearest one is wanted.
        let asksForOne: Bool
    }

    let expectation: Expectation
    private let clauses: [Clause]
    private let paths: PathTable

    init(_ expectation: Expectation) {
        self.expectation = expectation
        var clauses: [Clause] = []
        let parts: [(ExpectationResult.Part, [Expectation.Clause])] = [
            (.must, expectation.must), (.may, expectation.may), (.mustNot, expectation.mustNot),
        ]
        for (part, list) in parts {
            for (number, clause) in list.enumerated() {
                clauses.append(
                    Clause(
                        part: part, number: number, match: clause.match, isGuard: part == .mustNot || clause.count != nil,
                        asksForOne: part == .must && !(clause.count?.contains(0) ?? false)))
            }
        }
        self.clauses = clauses
        paths = PathTable(clauses.lazy.map(\.match))
    }

    subscript(_ number: Int) -> Clause { clauses[number] }

    /// The clauses that an entry's path fits.
    func candidates(for entry: EntryChange) -> MatchCandidates {
        MatchCandidates(paths.candidates(for: entry)) { clauses[$0].match }
    }

    /// The clauses that a path fits.
    func candidates(for path: RelativePath) -> MatchCandidates {
        MatchCandidates(paths.candidates(for: path)) { clauses[$0].match }
    }

    /// Whether a change that the clause fits can break it: a clause of `MustNot`, or one that counts.
    func isGuard(_ clause: Int) -> Bool { clauses[clause].isGuard }

    /// Whether any clause asks for at least one change.
    var askForOne: Bool { !expectation.must.isEmpty }

    /// The guards whose paths may begin with these bytes.
    func guards(below start: [UInt8]) -> [Clause] {
        clauses.filter { $0.isGuard && $0.match.path?.mayMatch(startingWith: start) ?? true }
    }

    /// Whether a clause speaks of what may be noise: only what is allowed is asked nothing of noise.
    func speaks(_ clause: Int, of noise: NoiseClass?) -> Bool { clauses[clause].part != .may || !isUnasked(noise) }

    func isAllowing(_ fitting: [Int]) -> Bool { fitting.contains { clauses[$0].part != .mustNot } }

    func needsAllowing(_ noise: NoiseClass?) -> Bool { !expectation.allowsOther && !isUnasked(noise) }

    /// Whether what was not looked at may break the expectation.
    func isBroken(byGap noise: NoiseClass?, _ candidates: MatchCandidates) -> Bool {
        !isUnasked(noise) || candidates.all.contains { clauses[$0].part != .may }
    }

    private func isUnasked(_ noise: NoiseClass?) -> Bool { noise != nil && !expectation.checksNoise }
}
