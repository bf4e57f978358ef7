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
