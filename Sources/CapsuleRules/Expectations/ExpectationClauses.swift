import CapsuleCore

/// The clauses of an expectation in one list, prepared for matching changes.
struct ExpectationClauses: Sendable {
    struct Clause: Sendable {
        let part: ExpectationResult.Part
        let number: Int
        let match: ChangeMatch
        let pin: FilePin?
        let isGuard: Bool
        /// True if the clause asks for at least one change. If none matches, the nearest one is reported.
        let asksForOne: Bool
    }

    let expectation: Expectation
    private let clauses: [Clause]
    private let hasPins: Bool
    let paths: PathTable

    init(_ expectation: Expectation) {
        self.expectation = expectation
        var clauses: [Clause] = []
        let parts: [(ExpectationResult.Part, [Expectation.Clause])] = [
            (.must, expectation.must), (.may, expectation.may), (.mustNot, expectation.mustNot),
        ]
        clauses.reserveCapacity(parts.reduce(0) { $0 + $1.1.count })
        for (part, list) in parts {
            for (number, clause) in list.enumerated() {
                clauses.append(
                    Clause(
                        part: part, number: number, match: clause.match, pin: clause.pin,
                        isGuard: part == .mustNot || clause.count != nil,
                        asksForOne: part == .must && !(clause.count?.contains(0) ?? false)))
            }
        }
        self.clauses = clauses
        hasPins = clauses.contains { $0.pin != nil }
        paths = PathTable(clauses.lazy.map(\.match))
    }

    subscript(_ number: Int) -> Clause { clauses[number] }

    /// Returns the clauses without pins whose path patterns match a path.
    func candidates(for path: RelativePath) -> EntryClauses {
        candidates(among: paths.candidates(for: path)) { _ in false }
    }

    func candidates(among found: [Int], fits: (FilePin) -> Bool) -> EntryClauses {
        guard hasPins else { return EntryClauses(self, found) }
        let isOther = found.map { clauses[$0].pin.map { !fits($0) } ?? false }
        let (fitting, others) = (zip(found, isOther).filter { !$1 }, zip(found, isOther).filter { $1 })
        return EntryClauses(self, fitting.map(\.0), pinned: others.map(\.0))
    }

    func guards(below start: [UInt8]) -> [Clause] {
        clauses.filter { $0.isGuard && $0.match.path?.mayMatch(startingWith: start) ?? true }
    }
}

/// The clauses that may apply to one entry.
struct EntryClauses: Sendable {
    private let clauses: ExpectationClauses
    private let candidates: MatchCandidates
    /// The numbers of the clauses whose paths fit but whose pins don't, or are not known to.
    let pinned: [Int]

    fileprivate init(_ clauses: ExpectationClauses, _ all: [Int], pinned: [Int] = []) {
        self.clauses = clauses
        self.pinned = pinned
        candidates = MatchCandidates(all) { clauses[$0].match }
    }

    var expectation: Expectation { clauses.expectation }
    var all: [Int] { candidates.all }
    subscript(_ number: Int) -> ExpectationClauses.Clause { clauses[number] }
    func candidates(for part: DetailPart) -> [Int] { candidates.candidates(for: part) }
    func candidates(inside part: DetailPart) -> [Int] { candidates.candidates(inside: part) }
    func hasGuard(where isWanted: (ChangeMatch) -> Bool) -> Bool {
        all.contains { clauses[$0].isGuard && isWanted(clauses[$0].match) }
    }

    /// Returns true if a clause applies to changes of a class of noise. Clauses of `May` apply to noise only if the expectation
    /// checks it.
    func speaks(_ clause: Int, of noise: NoiseClass?) -> Bool { clauses[clause].part != .may || !isUnasked(noise) }
    func isAllowing(_ fitting: [Int]) -> Bool { fitting.contains { clauses[$0].part != .mustNot } }
    func needsAllowing(_ noise: NoiseClass?) -> Bool { !expectation.allowsOther && !isUnasked(noise) }

    func isBroken(byGap noise: NoiseClass?) -> Bool {
        !isUnasked(noise) || candidates.all.contains { clauses[$0].part != .may }
    }

    private func isUnasked(_ noise: NoiseClass?) -> Bool { noise != nil && !expectation.checksNoise }
}
