import CapsuleCore

extension ExpectationTally {
    /// Tests an entry whose noise is classified, and which no comparison tested by this expectation.
    init(of entry: EntryChange, _ clauses: ExpectationClauses) {
        self.init(clauses.expectation)
        let clauses = clauses.candidates(for: entry)
        for (number, detail) in entry.details.enumerated() { add(detail, at: entry.path, number, clauses) }
        isIncomplete = isIncomplete || !entry.unshown.isEmpty
        addLine(of: entry, clauses)
    }

    /// Takes the entry's own line, after all details were taken: clauses that match a detail don't count this line.
    mutating func addLine(of entry: EntryChange, _ clauses: EntryClauses) {
        let inside = Set(found.keys)
        // A line that only introduces noise is noise.
        let noise = entry.noise ?? (entry.countsItself || !entry.isNoise ? nil : entry.details.lazy.compactMap(\.noise).first)
        let fitting = clauses.all.filter { clauses[$0].match.fitsLine(of: entry) && clauses.speaks($0, of: noise) }
        let line = ChangeReference(entry: 0)
        for candidate in fitting where !inside.contains(candidate) { record(candidate, line, noise) }
        for candidate in clauses.all where clauses[candidate].asksForOne {
            recordNearMiss(candidate, clauses[candidate].match.distance(to: entry), noise, line)
        }
        if entry.countsItself, clauses.needsAllowing(entry.noise) { judge(fitting, clauses, line) }
        addOtherContent(entry, clauses)
    }

    /// Records the entry as the nearest change to clauses that match everything about it but its content.
    private mutating func addOtherContent(_ entry: EntryChange, _ clauses: EntryClauses) {
        for candidate in clauses.pinned where clauses[candidate].asksForOne {
            let match = clauses[candidate].match
            var line = match.fitsLine(of: entry) ? ChangeReference(entry: 0) : nil
            let detail = entry.details.firstIndex { DetailPart.parts(of: $0).contains { match.fits($0) } }
            if let detail, !entry.countsItself || line == nil { line = ChangeReference(entry: 0, detail: detail) }
            if let line { recordNearMiss(candidate, .otherValue, nil, line) }
        }
    }
}

extension ExpectationClauses {
    func candidates(for entry: EntryChange) -> EntryClauses {
        candidates(among: paths.candidates(for: entry)) { $0.fits(entry) }
    }
}
