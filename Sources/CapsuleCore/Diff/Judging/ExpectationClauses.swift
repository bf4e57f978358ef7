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
