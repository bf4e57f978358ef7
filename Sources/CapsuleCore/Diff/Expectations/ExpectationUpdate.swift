public import CapsulePropertyList

/// An expectation that is brought up to date with a comparison, as its document.
///
/// Clauses of `Must` that no change meets take the values that were seen at their place, or go. Changes that nothing speaks of
/// become new ones. `May`, `MustNot`, notes and all else stay.
public struct ExpectationUpdate: Sendable {
    /// The document that allows what was found.
    public private(set) var document: PlistValue
    /// How many clauses are new.
    public private(set) var added = 0
    /// How many clauses have other values or counts.
    public private(set) var changed = 0
    /// The clauses that are gone.
    public private(set) var removed: [Expectation.Clause] = []

    /// Whether the document is another one.
    public var isChanged: Bool { added + changed + removed.count > 0 }

    /// - Parameters:
    ///   - document: what the expectation was read from.
    ///   - expectation: the same, read.
    ///   - diff: a comparison that kept all changes, its noise classed.
    /// - Throws: `limit` for a comparison that is not complete, or has too many changes.
    public init(_ document: PlistValue, _ expectation: Expectation, _ diff: ContainerDiff) throws(OverlayError) {
        self.document = document
        guard var entries = document.dictionary else { return }
        guard diff.isExact else {
            throw OverlayError(.limit, "can't update an expectation from an incomplete comparison: \(diff.gapText)")
        }
        guard diff.entries.allSatisfy(\.unshown.isEmpty) else {
            throw OverlayError(.limit, "the comparison did not keep all changes")
        }
        let result = expectation.evaluate(diff)
        var new = try Self.clauses(of: diff.unspoken(by: expectation.without(result)), countedIn: diff)
        var must: [PlistValue] = []
        for (element, outcome) in zip(entries["Must"]?.array ?? [], result.must) {
            if outcome.isThere {
                must.append(element)
            } else if let clause = element.dictionary, let updated = Self.update(clause, outcome, from: &new) {
                must.append(.dictionary(updated))
                changed += 1
            } else {
                removed.append(outcome.clause)
            }
        }
        if !expectation.allowsOther {
            must += new.map { .dictionary($0) }
            added = new.count
        }
        guard isChanged else { return }
        entries["Must"] = .array(must)
        self.document = .dictionary(entries)
    }

    /// A clause for each change.
    private static func clauses(
        of changes: ContainerDiff, countedIn diff: ContainerDiff
    ) throws(OverlayError) -> [PlistDictionary] {
        let describer = try ChangeDescriber(changes)
        let document = describer.document(describer.expectation.evaluate(diff))
        return (document.dictionary?["Must"]?.array ?? []).compactMap(\.dictionary)
    }

    /// A clause that does not hold, with what was seen; nil if nothing of the kind was.
    ///
    /// - Parameter new: clauses of changes that nothing speaks of; one that is taken is no longer new.
    private static func update(
        _ clause: PlistDictionary, _ outcome: ExpectationResult.Outcome, from new: inout [PlistDictionary]
    ) -> PlistDictionary? {
        var clause = clause
        if outcome.count > 0 {
            clause["Count"] = .integer(PlistInteger(outcome.count))
            return clause
        }
        let match = outcome.clause.match
        guard let place = new.firstIndex(where: { match.isAboutSamePlace(as: $0) }) else { return nil }
        let seen = new.remove(at: place)
        // What a clause does not ask for it is not made to ask for; one whose value is gone needs a kind to mean something.
        let values: [PlistString] = ["From", "To"].filter { clause[$0] != nil }
        for key in values { clause[key] = seen[key] }
        if clause["Kind"] != nil || values.contains(where: { seen[$0] == nil }) { clause["Kind"] = seen["Kind"] }
        if clause["Count"] != nil || seen["Count"] != nil { clause["Count"] = seen["Count"] }
        return clause
    }
}

extension ChangeMatch {
    /// Whether a clause that describes one change is about a place that this match is about, whatever the values there.
    fileprivate func isAboutSamePlace(as described: PlistDictionary) -> Bool {
        guard (described["Pointer"] == nil) == (pointer == nil), (described["Table"] == nil) == (table == nil),
            (described["Column"] == nil) == (column == nil)
        else { return false }
        if needsDetail != (described["Pointer"] != nil || described["Table"] != nil) { return false }
        if let path {
            guard let other = described["Path"]?.string, path.matches(Array(other.utf8)) else { return false }
        }
        if let pointer {
            guard let text = described["Pointer"]?.string, let other = try? PlistPointer(text.string) else { return false }
            if !pointer.matches(other.steps) { return false }
        }
        if let table { guard let other = described["Table"]?.string, table.matches(other) else { return false } }
        if let column { guard let other = described["Column"]?.string, column.matches(other) else { return false } }
        let tests = described["Row"]?.dictionary ?? [:]
        return (entries["Row"]?.dictionary ?? [:]).allSatisfy { tests[$0.key] == $0.value }
    }
}

extension Expectation {
    /// Without the clauses of `Must` that no change meets.
    fileprivate func without(_ result: ExpectationResult) -> Expectation {
        var rest = self
        rest.must = zip(must, result.must).filter { $0.1.count > 0 }.map(\.0)
        return rest
    }
}

extension ContainerDiff {
    /// The changes that no clause speaks of, not even to forbid them.
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
            // A line that is spoken of is not described, though what is inside of the entry is.
            if isSpokenItself { left.kind = .modified }
            return left
        }
        return rest
    }
}

extension ChangeDetail {
    /// What is left of a line without the parts that are spoken of; nil for nothing.
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
