public import CapsulePropertyList

/// The document of an expectation, updated with a comparison.
///
/// A clause of `Must` that is not met takes the values or the count that the comparison has at its place, or is removed. Changes
/// that no clause mentions become new clauses. `May`, `MustNot`, notes and everything else stay.
public struct ExpectationUpdate: Sendable {
    /// The document that allows the changes that were found.
    public private(set) var document: PlistValue
    /// The new clauses.
    public private(set) var added: [Expectation.Clause] = []
    /// The clauses whose values or counts changed, before and after.
    public private(set) var changed: [(old: Expectation.Clause, new: Expectation.Clause)] = []
    /// The clauses that were removed.
    public private(set) var removed: [Expectation.Clause] = []

    /// True if the document changed.
    public var isChanged: Bool { !(added.isEmpty && changed.isEmpty && removed.isEmpty) }

    /// Updates an expectation.
    ///
    /// - Parameters:
    ///   - document: the document that the expectation was read from.
    ///   - expectation: the expectation in the document.
    ///   - diff: a comparison that kept all changes, with its noise classified.
    /// - Throws: `limit` if the comparison is not complete, did not keep all changes, or has too many.
    public init(_ document: PlistValue, _ expectation: Expectation, _ diff: ContainerDiff) throws(OverlayError) {
        self.document = document
        guard var entries = document.dictionary else { return }
        guard diff.isExact else {
            throw OverlayError(.limit, "can't update an expectation from an incomplete comparison: \(diff.gapText)")
        }
        guard diff.entries.allSatisfy(\.unshown.isEmpty) else {
            throw OverlayError(.limit, "the comparison did not keep all changes")
        }
        let changes = expectation.checksNoise ? diff.withoutNoise : diff
        let result = expectation.evaluate(diff)
        var must: [PlistValue] = []
        var rest = expectation
        rest.must = []
        for (element, outcome) in zip(entries["Must"]?.array ?? [], result.must) {
            if outcome.isThere {
                must.append(element)
                rest.must.append(outcome.clause)
            } else if let clause = element.dictionary, let updated = try Self.update(clause, outcome, with: changes) {
                must.append(.dictionary(updated.clause))
                rest.must.append(updated.asRead)
                changed.append((outcome.clause, updated.asRead))
            } else {
                removed.append(outcome.clause)
            }
        }
        if !expectation.allowsOther {
            let new = try Self.clauses(
                of: changes.unspoken(by: rest), countedIn: changes,
                isLoose: !expectation.must.isEmpty && expectation.must.allSatisfy { $0.pin == nil })
            must += new.entries.map { .dictionary($0) }
            added = new.clauses
        }
        guard isChanged else { return }
        entries["Must"] = .array(must)
        self.document = .dictionary(entries)
    }

    /// Returns a clause for each change, as it is written and as it is read.
    private static func clauses(
        of changes: ContainerDiff, countedIn diff: ContainerDiff, isLoose: Bool = true
    ) throws(OverlayError) -> (entries: [PlistDictionary], clauses: [Expectation.Clause]) {
        let describer = try ChangeDescriber(changes, isLoose: isLoose)
        let document = describer.document(describer.expectation.evaluate(diff))
        return ((document.dictionary?["Must"]?.array ?? []).compactMap(\.dictionary), describer.expectation.must)
    }

    /// Returns a clause that is not met, with the values that were found; nil if no change was found that it could mean.
    private static func update(
        _ clause: PlistDictionary, _ outcome: ExpectationResult.ClauseResult, with diff: ContainerDiff
    ) throws(OverlayError) -> (clause: PlistDictionary, asRead: Expectation.Clause)? {
        var clause = clause
        if outcome.count > 0 {
            clause["Count"] = .integer(PlistInteger(outcome.count))
            return (
                clause,
                Expectation.Clause(
                    outcome.clause.match, count: outcome.count...outcome.count, pin: outcome.clause.pin, note: outcome.clause.note
                )
            )
        }
        if outcome.clause.pin != nil, let entry = diff.entry(fitting: outcome.clause.match) {
            FilePin.renew(&clause, with: entry)
            return try counted(clause, outcome, in: diff)
        }
        guard let seen = try seen(at: outcome.clause.match, in: diff) else { return nil }
        let values: [PlistString] = ["From", "To", "Value"].filter { clause[$0] != nil }
        for key in values { clause[key] = seen[key == "Value" ? "To" : key] }
        let isGone = values.contains { clause[$0] == nil }
        // Keys that the clause doesn't have are not added, unless it would otherwise ask for less than before.
        if isGone { for key: PlistString in ["From", "To"] where seen[key] != nil { clause[key] = seen[key] } }
        if clause["To"] != nil { clause["Value"] = nil }
        if clause["Kind"] != nil || isGone { clause["Kind"] = seen["Kind"] }
        return try counted(clause, outcome, in: diff)
    }

    /// Returns an updated clause with the number of changes that match it; nil if none does.
    private static func counted(
        _ clause: PlistDictionary, _ outcome: ExpectationResult.ClauseResult, in diff: ContainerDiff
    ) throws(OverlayError) -> (clause: PlistDictionary, asRead: Expectation.Clause)? {
        var clause = clause
        let keys = Set(ChangeMatch.keys + FilePin.keys)
        let entries = PlistDictionary(clause.filter { keys.contains($0.key.string) }.map { ($0.key, $0.value) })
        guard let read = try? Expectation.Clause(reading: entries, count: 0...UInt64.max) else { return nil }
        let any = Expectation(must: [read], allowsOther: true)
        let count = any.evaluate(diff).must[0].count
        guard count > 0 else { return nil }
        let isCounted = clause["Count"] != nil
        if isCounted { clause["Count"] = .integer(PlistInteger(count)) }
        return (
            clause,
            Expectation.Clause(read.match, count: isCounted ? count...count : nil, pin: read.pin, note: outcome.clause.note)
        )
    }

    /// Returns the change at the place of a match, whatever its values, as a clause; nil if there is none.
    private static func seen(at match: ChangeMatch, in diff: ContainerDiff) throws(OverlayError) -> PlistDictionary? {
        var entries = match.entries
        for key: PlistString in ["From", "To", "Value"] { entries[key] = nil }
        if match.kinds?.isDisjoint(with: [.metadata, .encoding, .schema, .cookie, .image, .text]) ?? true {
            entries["Kind"] = nil
        }
        guard let place = try? ChangeMatch(.dictionary(entries)) else { return nil }
        if place.needsDetail || place.kinds != nil {
            guard let found = diff.first(fitting: place) else { return nil }
            return try clauses(of: found, countedIn: diff).entries.first
        }
        // The match has only a path. If that is a pattern, it is unknown which entry is meant.
        let entry = diff.entries.first { entries["Path"] == .string(PlistString("\($0.path)")) }
        return entry.map { ["Kind": .string(PlistString($0.word))] }
    }
}

extension ContainerDiff {
    /// Returns the first entry that a match fits, itself or by a change inside it.
    fileprivate func entry(fitting match: ChangeMatch) -> EntryChange? {
        entries.first { entry in
            match.fitsPath(of: entry)
                && (match.fitsLine(of: entry)
                    || entry.details.contains { DetailPart.parts(of: $0).contains { match.fits($0) } })
        }
    }

    /// Returns a comparison with only the first change inside an entry that matches; nil if none does.
    fileprivate func first(fitting match: ChangeMatch) -> ContainerDiff? {
        for entry in entries where match.fitsPath(of: entry) {
            for detail in entry.details {
                guard let part = detail.unspoken({ !match.fits($0) }) else { continue }
                var alone = entry
                alone.kind = .modified
                alone.details = [part]
                var found = self
                found.entries = [alone]
                return found
            }
        }
        return nil
    }

    /// The same comparison, with noise as ordinary changes.
    fileprivate var withoutNoise: ContainerDiff {
        var diff = self
        for entry in diff.entries.indices {
            diff.entries[entry].noise = nil
            for detail in diff.entries[entry].details.indices {
                diff.entries[entry].details[detail].noise = nil
                guard case .row(var row) = diff.entries[entry].details[detail].content else { continue }
                for column in row.columns.indices { row.columns[column].noise = nil }
                diff.entries[entry].details[detail].content = .row(row)
            }
        }
        return diff
    }
}

extension ContainerDiff {
    /// Returns the changes that no clause mentions, not even to forbid them.
    fileprivate func unspoken(by expectation: Expectation) -> ContainerDiff {
        let clauses = ExpectationClauses(expectation)
        var rest = self
        rest.entries = entries.compactMap { entry in
            let candidates = clauses.candidates(for: entry)
            func isSpoken(_ part: DetailPart) -> Bool {
                candidates.candidates(for: part).contains { clauses[$0].match.fits(part) }
            }
            var left = entry
            left.details = entry.details.compactMap { $0.unspoken(isSpoken) }
            let isSpokenItself = candidates.all.contains { clauses[$0].match.fitsLine(of: entry) }
            if left.details.isEmpty, !entry.countsItself || isSpokenItself { return nil }
            // An entry's line that a clause mentions is not described, but the content of the entry is.
            if isSpokenItself { left.kind = .modified }
            return left
        }
        return rest
    }
}

extension ChangeDetail {
    /// Returns the detail without the parts that clauses mention; nil if nothing is left.
    fileprivate func unspoken(_ isSpoken: (DetailPart) -> Bool) -> ChangeDetail? {
        guard case .row(var row) = content, row.operation == .modified, !row.columns.isEmpty else {
            return DetailPart.parts(of: self).contains { !isSpoken($0) } ? self : nil
        }
        row.columns = row.columns.compactMap { column in
            guard !column.nested.isEmpty else { return isSpoken(.column(row, column, nil)) ? nil : column }
            var column = column
            column.nested = column.nested.filter { !isSpoken(.column(row, column, $0)) }
            return column.nested.isEmpty ? nil : column
        }
        if row.columns.isEmpty { return nil }
        var left = self
        left.content = .row(row)
        return left
    }
}
