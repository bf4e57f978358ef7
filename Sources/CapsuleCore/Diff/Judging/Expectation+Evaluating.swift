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
