import CapsuleCore
import CapsulePropertyList

/// The results of testing the changes of one entry against the clauses of an expectation.
struct ExpectationTally: Hashable, Sendable {
    /// A number of changes, with references to the first of them.
    struct Lines: Hashable, Sendable {
        private(set) var count: UInt64 = 0
        private(set) var noise: UInt64 = 0
        private(set) var lines: [ChangeReference] = []

        mutating func record(_ line: @autoclosure () -> ChangeReference, isNoise: Bool, limit: Int) {
            count += 1
            if isNoise { noise += 1 }
            if lines.count < limit { lines.append(line()) }
        }

        mutating func add(_ other: Lines, limit: Int) {
            count += other.count
            noise += other.noise
            lines += other.lines.prefix(max(0, limit - lines.count))
        }

        func placed(in entry: Int) -> Lines {
            var placed = self
            for place in placed.lines.indices { placed.lines[place].entry = entry }
            return placed
        }
    }

    let expectation: Expectation
    private(set) var found: [Int: Lines] = [:]
    private(set) var unallowed = Lines()
    /// The changes that only these clauses of `MustNot` match, by the numbers of the clauses. If none of the clauses turns out to
    /// be broken, nothing allows the changes.
    private(set) var pending: [[Int]: Lines] = [:]
    /// The reason why it is unknown if a clause matches, by the number of the clause.
    private(set) var undecided: [Int: UndecidedClause] = [:]
    /// The nearest change to a clause that asks for a change and has no match yet, by the number of the clause.
    private(set) var nearest: [Int: NearMiss] = [:]
    /// True if changes that break the expectation may have been missed.
    var isIncomplete = false

    /// The reason why it is unknown if a clause matches, with the first change for which it is.
    struct UndecidedClause: Hashable, Sendable {
        let reason: ExpectationResult.Doubt
        var line: ChangeReference
    }

    /// A change that doesn't match a clause, with its distance from a match.
    struct NearMiss: Hashable, Sendable {
        let distance: MatchDistance
        /// True if the change is noise, which is further away than anything else at the same distance.
        let isNoise: Bool
        var line: ChangeReference

        func isFurther(than distance: MatchDistance, _ isNoise: Bool) -> Bool {
            (distance.rawValue, isNoise ? 1 : 0) < (self.distance.rawValue, self.isNoise ? 1 : 0)
        }

        func isNearer(than other: NearMiss?) -> Bool { other?.isFurther(than: distance, isNoise) ?? true }
    }

    init(_ expectation: Expectation) {
        self.expectation = expectation
    }

    /// - Parameter number: the index of the detail in the entry; nil for a change that isn't kept.
    mutating func add(_ detail: ChangeDetail, at path: RelativePath, _ number: Int?, _ clauses: EntryClauses) {
        if detail.isChange {
            add(ChangePlace(path, detail), number, clauses)
        } else if detail.isGap {
            isIncomplete = isIncomplete || clauses.isBroken(byGap: detail.noise)
        } else if case .fallback(let fallback) = detail.content {
            add(fallback, clauses)
        }
    }

    private mutating func add(_ place: ChangePlace, _ number: Int?, _ clauses: EntryClauses) {
        let detail = place.detail
        guard case .row(let row) = detail.content, row.operation == .modified, !row.columns.isEmpty else {
            let fitting = fitting(.whole(detail), detail.noise, place, clauses)
            recordNearMiss(.whole(detail), fitting, detail.noise, place, number, clauses)
            for candidate in fitting.counted { record(candidate, Self.line(place, number), detail.noise) }
            if clauses.needsAllowing(detail.noise) { judge(fitting.judged, clauses, Self.line(place, number)) }
            return
        }
        // A row counts once for a clause, however many of its columns match.
        var noted: Set<Int> = []
        for column in row.columns {
            let noise = column.noise ?? detail.noise
            var place = place
            place.column = column.name
            // A column is allowed if all places inside it are.
            var weakest: [Int]?
            for part in DetailPart.parts(of: column, in: row) {
                let fitting = fitting(part, noise, place, clauses)
                recordNearMiss(part, fitting, noise, place, number, clauses)
                for candidate in fitting.counted where noted.insert(candidate).inserted {
                    record(candidate, Self.line(place, number), detail.noise)
                }
                if weakest == nil || (weakest != [] && !clauses.isAllowing(fitting.judged)) { weakest = fitting.judged }
            }
            if clauses.needsAllowing(noise) { judge(weakest ?? [], clauses, Self.line(place, number)) }
        }
    }

    /// Marks the guards that may match a change that a fallback comparison missed as undecided.
    ///
    /// - Parameter isInside: true if the content of an entry that only one side has was not read.
    mutating func add(
        _ fallback: HandlerFallback, _ clauses: EntryClauses, isInside: Bool = false
    ) {
        for candidate in clauses.all where clauses[candidate].isGuard && undecided[candidate] == nil {
            let match = clauses[candidate].match
            guard match.mayFit(behind: fallback), match.needsDetail || !isInside else { continue }
            undecided[candidate] = UndecidedClause(
                reason: .notCompared(as: fallback.from, reason: fallback.reason), line: ChangeReference(entry: 0))
        }
    }

    mutating func add(_ other: ExpectationTally) {
        for (clause, lines) in other.found { found[clause, default: Lines()].add(lines, limit: ExpectationResult.keptLines) }
        for (fitting, lines) in other.pending {
            pending[fitting, default: Lines()].add(lines, limit: ExpectationResult.keptFindings)
        }
        // Some of them turn out to be mismatches, which are listed elsewhere.
        unallowed.add(other.unallowed, limit: 2 * ExpectationResult.keptFindings)
        isIncomplete = isIncomplete || other.isIncomplete
        undecided.merge(other.undecided) { own, _ in own }
        nearest.merge(other.nearest) { own, other in other.isNearer(than: own) ? other : own }
    }

    /// Returns the tally of an entry with references to the entry's index in a comparison.
    func placed(in entry: Int) -> ExpectationTally {
        var placed = self
        placed.found = found.mapValues { $0.placed(in: entry) }
        placed.pending = pending.mapValues { $0.placed(in: entry) }
        placed.unallowed = unallowed.placed(in: entry)
        for clause in undecided.keys { placed.undecided[clause]?.line.entry = entry }
        for clause in nearest.keys { placed.nearest[clause]?.line.entry = entry }
        return placed
    }

    private static func line(_ place: ChangePlace, _ number: Int?) -> ChangeReference {
        guard let number else { return ChangeReference(unshown: place) }
        return ChangeReference(entry: 0, detail: number, column: place.column)
    }

    /// Takes a change inside an entry that only one side has. Only guards are tested, because the entry's own line reports the
    /// change.
    mutating func addNested(_ place: ChangePlace, _ clauses: EntryClauses) {
        for part in DetailPart.parts(of: place.detail) {
            let fitting = fitting(part, place.detail.noise, place, clauses)
            for candidate in fitting.counted where clauses[candidate].isGuard && clauses[candidate].match.needsDetail {
                record(candidate, Self.line(place, part, inside: clauses[candidate].match), place.detail.noise)
            }
        }
    }

    private static func line(_ place: ChangePlace, _ part: DetailPart, inside match: ChangeMatch) -> ChangeReference {
        guard !match.fits(part), let change = match.placeInside(part) else { return line(place, nil) }
        return ChangeReference(unshown: ChangePlace(place.path, ChangeDetail(.value(change))))
    }

    private struct Fitting {
        var counted: [Int]
        /// The clauses that decide if the part is allowed. A clause for a place inside a value does not allow the value.
        var judged: [Int]
    }

    private mutating func fitting(
        _ part: DetailPart, _ noise: NoiseClass?, _ place: ChangePlace,
        _ clauses: EntryClauses
    ) -> Fitting {
        if part.hasUnknownValue {
            for candidate in clauses.all where clauses[candidate].isGuard && undecided[candidate] == nil {
                let match = clauses[candidate].match
                guard clauses.speaks(candidate, of: noise), match.asksForValues, !match.fits(part),
                    match.fits(part, assumingUnknown: true)
                else { continue }
                undecided[candidate] = UndecidedClause(
                    reason: part.doubt(of: match, at: place.hidingSecrets.text), line: ChangeReference(unshown: place))
            }
        }
        let fitting = clauses.candidates(for: part).filter { clauses[$0].match.fits(part) && clauses.speaks($0, of: noise) }
        let inside = inside(part, noise, place, clauses).filter { !fitting.contains($0) }
        if inside.isEmpty { return Fitting(counted: fitting, judged: fitting) }
        return Fitting(
            counted: (fitting + inside).sorted(),
            judged: (fitting + inside.filter { clauses[$0].part == .mustNot }).sorted())
    }

    private mutating func inside(
        _ part: DetailPart, _ noise: NoiseClass?, _ place: ChangePlace,
        _ clauses: EntryClauses
    ) -> [Int] {
        clauses.candidates(inside: part).filter { candidate in
            guard clauses[candidate].isGuard, clauses.speaks(candidate, of: noise) else { return false }
            switch clauses[candidate].match.fitsInside(part) {
            case .aChange: return true
            case .nothing: return false
            case .unknown:
                if undecided[candidate] == nil {
                    undecided[candidate] = UndecidedClause(
                        reason: .notInside(at: place.hidingSecrets.text), line: ChangeReference(unshown: place))
                }
                return false
            }
        }
    }

    private mutating func recordNearMiss(
        _ part: DetailPart, _ fitting: Fitting, _ noise: NoiseClass?, _ place: ChangePlace, _ number: Int?,
        _ clauses: EntryClauses
    ) {
        if expectation.must.isEmpty { return }
        for candidate in clauses.candidates(for: part) where clauses[candidate].asksForOne && found[candidate] == nil {
            // Nothing is nearer than the same change with another value.
            if let near = nearest[candidate], near.distance == .otherValue, !near.isNoise { continue }
            if fitting.counted.contains(candidate) { continue }
            recordNearMiss(candidate, clauses[candidate].match.distance(to: part), noise, Self.line(place, number))
        }
    }

    mutating func recordNearMiss(
        _ clause: Int, _ distance: MatchDistance?, _ noise: NoiseClass?, _ line: @autoclosure () -> ChangeReference
    ) {
        guard let distance, found[clause] == nil else { return }
        if let known = nearest[clause], !known.isFurther(than: distance, noise != nil) { return }
        nearest[clause] = NearMiss(distance: distance, isNoise: noise != nil, line: line())
    }

    mutating func record(_ clause: Int, _ line: @autoclosure () -> ChangeReference, _ noise: NoiseClass?) {
        found[clause, default: Lines()].record(line(), isNoise: noise != nil, limit: ExpectationResult.keptLines)
    }

    mutating func judge(
        _ fitting: [Int], _ clauses: EntryClauses, _ line: @autoclosure () -> ChangeReference
    ) {
        if fitting.isEmpty {
            unallowed.record(line(), isNoise: false, limit: ExpectationResult.keptFindings)
        } else if !clauses.isAllowing(fitting) {
            pending[fitting, default: Lines()].record(line(), isNoise: false, limit: ExpectationResult.keptFindings)
        }
    }
}

/// The distance of a change from a match, in increasing order.
enum MatchDistance: Int, Comparable {
    case otherValue, otherOperation
    /// The match asks for the content of a file that was added, deleted or moved as a whole.
    case wholeFile
    case otherRow, otherRowAndValue

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension ChangeMatch {
    /// Returns the distance of a part of a detail, provided that the entry's path matches; nil if the part is about another place.
    func distance(to part: DetailPart) -> MatchDistance? {
        switch part {
        case .whole(let detail):
            guard detail.isChange else { return nil }
            switch detail.content {
            case .value(let change):
                guard !isAboutTables, pointer?.matches(change.pointer.steps) ?? asksForSides else { return nil }
                return fits(detail.kinds) ? .otherValue : .otherOperation
            case .row(let row):
                guard pointer == nil, isAboutTables, column == nil || row.columns.contains(where: { fitsName(of: $0) }) else {
                    return nil
                }
                return distance(to: row, detail.kinds) {
                    row.columns.contains { fitsName(of: $0) && fits(($0.old, $0.new), false) }
                }
            case .metadata, .encoding, .cookie:
                return pointer == nil && !isAboutTables && asksForSides && fits(detail.kinds) ? .otherValue : nil
            case .schema, .text, .bytes, .image, .fallback, .limit:
                return nil
            }
        case .column(let row, let column, let nested):
            guard isAboutTables || pointer != nil, fitsName(of: column) else { return nil }
            let kinds: ChangeKinds = [.row, row.operation.kinds]
            guard let pointer else { return distance(to: row, kinds) { fits((column.old, column.new), false) } }
            guard let nested, pointer.matches(nested.pointer.steps) else { return nil }
            return distance(to: row, kinds.union(nested.kinds)) { fits(nested.sides, false) }
        }
    }

    /// - Parameter hasValues: returns true if the values match.
    private func distance(to found: RowChange, _ kinds: ChangeKinds, _ hasValues: () -> Bool) -> MatchDistance? {
        guard table.map({ table in found.tableNames.contains { table.matches($0) } }) ?? true else { return nil }
        let hasKind = fits(kinds)
        if fitsPlace(of: found, false) { return hasKind ? .otherValue : .otherOperation }
        guard hasKind else { return nil }
        return from == nil && to == nil || hasValues() ? .otherRow : .otherRowAndValue
    }

    private var asksForSides: Bool { from != nil || to != nil }
    /// True if the match names a path, and not everything in a directory or in the container.
    var namesPath: Bool { path.map { $0.steps.last != .deepRun } ?? false }
}
