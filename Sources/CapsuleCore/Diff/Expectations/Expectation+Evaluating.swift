extension Expectation {
    /// Holds a comparison, whose noise is classed, against what is expected.
    public func evaluate(_ diff: ContainerDiff) -> ExpectationResult {
        var run = ExpectationRun(self, isIncomplete: !diff.isComplete)
        for number in diff.entries.indices { run.take(diff.entries[number], number) }
        return run.finish()
    }
}

/// One look through a comparison.
private struct ExpectationRun {
    private enum Part { case must, may, mustNot }

    let expectation: Expectation
    /// All clauses one after the other.
    private let clauses: [(part: Part, number: Int, match: ChangeMatch)]
    private let paths: PathTable
    private var result: ExpectationResult
    /// What nothing speaks of but clauses of `MustNot`, which may turn out to hold.
    private var pending: [(found: [Int], place: ChangeReference)] = []

    init(_ expectation: Expectation, isIncomplete: Bool) {
        self.expectation = expectation
        var clauses: [(part: Part, number: Int, match: ChangeMatch)] = []
        for (number, clause) in expectation.must.enumerated() { clauses.append((.must, number, clause.match)) }
        for (number, clause) in expectation.may.enumerated() { clauses.append((.may, number, clause.match)) }
        for (number, clause) in expectation.mustNot.enumerated() { clauses.append((.mustNot, number, clause.match)) }
        self.clauses = clauses
        paths = PathTable(clauses.lazy.map(\.match))
        result = ExpectationResult(
            must: expectation.must.map { ExpectationResult.Outcome($0) },
            may: expectation.may.map { ExpectationResult.Outcome($0) },
            mustNot: expectation.mustNot.map { ExpectationResult.Outcome($0) }, isIncomplete: isIncomplete,
            allowsOther: expectation.allowsOther)
    }

    mutating func take(_ entry: EntryChange, _ number: Int) {
        let candidates = MatchCandidates(paths.candidates(for: entry)) { clauses[$0].match }
        // Clauses that a line inside fits do not look at the entry's own line.
        var foundInside: Set<Int> = []
        for (place, detail) in entry.details.enumerated() where detail.isChange {
            take(detail, at: ChangeReference(entry: number, detail: place), candidates, &foundInside)
        }
        let found = candidates.all.filter { candidate in
            clauses[candidate].match.fitsLine(of: entry) && !(clauses[candidate].part == .may && isUnasked(entry.noise))
        }
        for candidate in found where !foundInside.contains(candidate) { note(candidate, ChangeReference(entry: number)) }
        if entry.countsItself, needsAllowing(entry.noise) { judge(ChangeReference(entry: number), found) }
    }

    /// Says what nothing expected comes to.
    mutating func finish() -> ExpectationResult {
        for (found, place) in pending where !found.contains(where: { result.mustNot[clauses[$0].number].isThere }) {
            result.unallowed.append(place)
        }
        result.unallowed.sort { ($0.entry, $0.detail ?? -1) < ($1.entry, $1.detail ?? -1) }
        return result
    }

    /// Notes a place that no clause fits, or none that allows it.
    private mutating func judge(_ place: ChangeReference, _ found: [Int]) {
        if found.isEmpty {
            result.unallowed.append(place)
        } else if found.allSatisfy({ clauses[$0].part == .mustNot }) {
            pending.append((found, place))
        }
    }

    private mutating func take(
        _ detail: ChangeDetail, at place: ChangeReference, _ candidates: MatchCandidates, _ foundInside: inout Set<Int>
    ) {
        // A line counts once for a clause, however many of its columns fit.
        var noted: Set<Int> = []
        func fitting(_ part: DetailPart, _ noise: NoiseClass?) -> [Int] {
            candidates.candidates(for: part).filter { candidate in
                clauses[candidate].match.fits(part) && !(clauses[candidate].part == .may && isUnasked(noise))
            }
        }
        guard case .row(let row) = detail.content, row.operation == .modified, !row.columns.isEmpty else {
            let found = fitting(.whole(detail), detail.noise)
            for candidate in found { note(candidate, place) }
            foundInside.formUnion(found)
            if needsAllowing(detail.noise) { judge(place, found) }
            return
        }
        for column in row.columns {
            let noise = column.noise ?? detail.noise
            var place = place
            place.column = column.name
            // A column is allowed if all places inside of it are.
            var weakest: [Int]?
            for part in DetailPart.parts(of: column, in: row) {
                let found = fitting(part, noise)
                for candidate in found where noted.insert(candidate).inserted { note(candidate, place) }
                if weakest == nil || (weakest != [] && !isAllowing(found)) { weakest = found }
            }
            if needsAllowing(noise) { judge(place, weakest ?? []) }
        }
        foundInside.formUnion(noted)
    }

    private func isAllowing(_ found: [Int]) -> Bool { found.contains { clauses[$0].part != .mustNot } }

    private func isUnasked(_ noise: NoiseClass?) -> Bool { noise != nil && !expectation.checksNoise }

    private func needsAllowing(_ noise: NoiseClass?) -> Bool { !expectation.allowsOther && !isUnasked(noise) }

    private mutating func note(_ candidate: Int, _ place: ChangeReference) {
        let (part, number, _) = clauses[candidate]
        switch part {
        case .must: result.must[number].note(place)
        case .may: result.may[number].note(place)
        case .mustNot: result.mustNot[number].note(place)
        }
    }
}

extension ExpectationResult.Outcome {
    fileprivate mutating func note(_ place: ChangeReference) {
        count += 1
        if lines.count < ExpectationResult.keptLines { lines.append(place) }
    }
}
