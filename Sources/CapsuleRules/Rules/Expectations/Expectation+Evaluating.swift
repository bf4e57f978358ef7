import CapsuleCore

extension Expectation {
    /// Evaluates a comparison, whose noise is classified, against the expectation.
    ///
    /// The verdict covers all changes, because the entries were judged while the comparison ran, if it was given this expectation
    /// (`Judging.expectation`). If it was not, and there are changes that it did not keep, the expectation is not met.
    package func evaluate(_ diff: ContainerDiff) -> ExpectationResult {
        let expectation = bound(to: diff.captured)
        let clauses = ExpectationClauses(expectation)
        var tally = ExpectationTally(expectation)
        for (number, entry) in diff.entries.enumerated() {
            let known = entry.tally.flatMap { $0.expectation == expectation ? $0 : nil }
            tally.add((known ?? ExpectationTally(of: entry, clauses)).placed(in: number))
        }
        var result = ExpectationResult(tally, clauses)
        for group in diff.skippedGroups { result.recordSkipped(group, clauses) }
        for gap in diff.metadataGaps { result.recordSkipped(gap, clauses) }
        for excluded in diff.excluded { result.recordSkipped(excluded, clauses) }
        result.isIncomplete = tally.isIncomplete || !diff.isComplete && !diff.saysWhatIsMissing
        result.finish(tally.pending, clauses)
        result.unmatchable = result.unmatchable(in: diff)
        return result
    }
}

extension Expectation {
    /// Returns the expectation with what `recent` means for a container of this time.
    func bound(to captured: Double?) -> Expectation {
        func bound(_ clauses: [Clause]) -> [Clause] {
            clauses.map { Clause($0.match.bound(to: captured), count: $0.count, pin: $0.pin, note: $0.note) }
        }
        return Expectation(
            must: bound(must), may: bound(may), mustNot: bound(mustNot), allowsOther: allowsOther, checksNoise: checksNoise)
    }
}

extension ExpectationResult {
    fileprivate init(_ tally: ExpectationTally, _ clauses: ExpectationClauses) {
        let expectation = tally.expectation
        self.init(
            must: expectation.must.map { ClauseResult($0) }, may: expectation.may.map { ClauseResult($0) },
            mustNot: expectation.mustNot.map { ClauseResult($0) }, allowsOther: expectation.allowsOther)
        for (clause, found) in tally.found {
            change(clauses[clause]) { ($0.count, $0.noise, $0.lines) = (found.count, found.noise, found.lines) }
        }
        for (clause, doubted) in tally.undecided {
            change(clauses[clause]) { ($0.undecided, $0.undecidedAt) = (doubted.reason, doubted.line) }
        }
        for (clause, near) in tally.nearest { change(clauses[clause]) { $0.near = near } }
        (unallowed, unallowedCount) = (tally.unallowed.lines, tally.unallowed.count)
    }

    /// Marks the guards that may match a change in an app group as undecided, because the group was not compared.
    fileprivate mutating func recordSkipped(_ group: [UInt8], _ clauses: ExpectationClauses) {
        for clause in clauses.guards(below: ContainerNames.appGroups + [RelativePath.slash] + group + [RelativePath.slash]) {
            change(clause) {
                if $0.undecided == nil { $0.undecided = .skippedGroup(group: String(decoding: group, as: UTF8.self)) }
            }
        }
    }

    /// Marks the guards that may match facts that were not compared as undecided. Only a clause that asks for metadata is affected.
    fileprivate mutating func recordSkipped(_ gap: MetadataGap, _ clauses: ExpectationClauses) {
        for candidate in clauses.candidates(for: gap.path).all where clauses[candidate].isGuard {
            guard clauses[candidate].match.mayFit(metadata: gap.facts) else { continue }
            change(clauses[candidate]) { if $0.undecided == nil { $0.undecided = .notHeld(gap) } }
        }
    }

    /// Marks the clauses that may match a change of an excluded entry as undecided.
    fileprivate mutating func recordSkipped(_ excluded: ContainerDiff.Excluded, _ clauses: ExpectationClauses) {
        for path in excluded.paths.sorted() {
            for candidate in clauses.candidates(for: path).all {
                change(clauses[candidate]) {
                    if $0.undecided == nil { $0.undecided = .excluded(path: path, pattern: excluded.pattern) }
                }
            }
        }
    }

    /// Adds the pending changes unless a `MustNot` clause that matches them is broken. Then sorts and shortens the list of what
    /// nothing allows.
    fileprivate mutating func finish(_ pending: [[Int]: ExpectationTally.Lines], _ clauses: ExpectationClauses) {
        for (fitting, lines) in pending.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
        where !fitting.contains(where: { mustNot[clauses[$0].number].isThere }) {
            unallowed += lines.lines
            unallowedCount += lines.count
        }
        joinMismatches()
        unallowed.sort { ($0.entry, $0.order) < ($1.entry, $1.order) }
        unallowed = Array(unallowed.prefix(Self.keptFindings))
    }

    /// Finds the missing changes that happened with another value. One that nothing allows is not also a finding of its own.
    private mutating func joinMismatches() {
        var places = Dictionary(unallowed.enumerated().map { ($1, $0) }) { first, _ in first }
        var joined: Set<Int> = []
        for number in must.indices where must[number].count == 0 && !must[number].isThere {
            guard let near = must[number].near, near.distance <= .otherOperation, must[number].clause.match.namesOnePath else {
                continue
            }
            must[number].mismatch = near.line
            if let place = places.removeValue(forKey: near.line) { joined.insert(place) }
        }
        if joined.isEmpty { return }
        unallowed = unallowed.enumerated().filter { !joined.contains($0.offset) }.map(\.element)
        unallowedCount -= UInt64(joined.count)
    }

    private mutating func change(_ clause: ExpectationClauses.Clause, _ body: (inout ClauseResult) -> Void) {
        switch clause.part {
        case .must: body(&must[clause.number])
        case .may: body(&may[clause.number])
        case .mustNot: body(&mustNot[clause.number])
        }
    }
}

extension ChangeReference {
    /// The position among the changes of the same entry. Changes that aren't kept come last.
    fileprivate var order: Int { unshown == nil ? detail ?? -1 : .max }
}

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
    private let paths: PathTable

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

    func candidates(for entry: EntryChange) -> EntryClauses {
        candidates(among: paths.candidates(for: entry)) { $0.fits(entry) }
    }

    /// Returns the clauses without pins whose path patterns match a path.
    func candidates(for path: RelativePath) -> EntryClauses {
        candidates(among: paths.candidates(for: path)) { _ in false }
    }

    private func candidates(among found: [Int], fits: (FilePin) -> Bool) -> EntryClauses {
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
