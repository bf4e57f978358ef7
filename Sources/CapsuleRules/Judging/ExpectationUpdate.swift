package import CapsuleCore
package import CapsulePropertyList

/// The document of an expectation, updated with a comparison.
///
/// A clause of `Must` that is met stays. One that is not met is removed, and the changes at its place become new clauses, as do
/// changes that no clause mentions. `May`, `MustNot` and everything else stay.
package struct ExpectationUpdate: Sendable {
    package private(set) var document: PlistValue
    package private(set) var added: [Expectation.Clause] = []
    package private(set) var removed: [Expectation.Clause] = []

    package var isChanged: Bool { !(added.isEmpty && removed.isEmpty) }

    /// - Parameters:
    ///   - diff: a comparison that kept all changes, with its noise classified.
    /// - Throws: `limit` if the comparison is not complete, did not keep all changes, or has too many.
    package init(_ document: PlistValue, _ expectation: Expectation, _ diff: ContainerDiff) throws(OverlayError) {
        self.document = document
        guard var entries = document.dictionary else { return }
        guard diff.isExact else {
            throw OverlayError(.limit, "can't update an expectation from an incomplete comparison: \(diff.gapText)")
        }
        guard diff.entries.allSatisfy(\.unshown.isEmpty) else {
            throw OverlayError(.limit, "the comparison did not keep all changes")
        }
        var must: [PlistValue] = []
        var rest = expectation
        rest.must = []
        for (element, outcome) in zip(entries["Must"]?.array ?? [], expectation.evaluate(diff).must) {
            if outcome.isThere {
                must.append(element)
                rest.must.append(outcome.clause)
            } else {
                removed.append(outcome.clause)
            }
        }
        let changes = expectation.checksNoise ? diff.withoutNoise : diff
        // Clauses about values and rows have no pins either way.
        let isLoose = expectation.must.allSatisfy { $0.pin == nil } && expectation.must.contains { $0.match.isAboutContent }
        let describer = try ChangeDescriber(changes.undescribed(by: rest, without: removed), isLoose: isLoose)
        added = describer.expectation.must
        guard isChanged else { return }
        must += describer.document(describer.expectation.evaluate(changes)).dictionary?["Must"]?.array ?? []
        entries["Must"] = .array(must)
        self.document = .dictionary(entries)
    }
}

extension ContainerDiff {
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
    /// Returns the changes that an updated expectation does not describe yet.
    ///
    /// - Parameters:
    ///   - removed: the clauses that were not met. The changes at their places are described even if other changes are allowed.
    fileprivate func undescribed(by expectation: Expectation, without removed: [Expectation.Clause]) -> ContainerDiff {
        let clauses = ExpectationClauses(expectation)
        let places = ExpectationClauses(Expectation(must: removed.map { Expectation.Clause($0.match.place) }, allowsOther: true))
        var rest = self
        rest.entries = entries.compactMap { entry in
            let (staying, gone) = (clauses.candidates(for: entry), places.candidates(for: entry))
            func isDescribed(by kept: [Int], _ isAtPlace: Bool) -> Bool {
                let parts = Set(kept.map { clauses[$0].part })
                if isAtPlace { return !parts.isDisjoint(with: [.must, .mustNot]) }
                return expectation.allowsOther || !parts.isEmpty
            }
            func isDescribed(_ part: DetailPart) -> Bool {
                isDescribed(
                    by: staying.candidates(for: part).filter { clauses[$0].match.fits(part) },
                    gone.candidates(for: part).contains { places[$0].match.fits(part) })
            }
            var left = entry
            left.details = entry.details.compactMap { $0.without(isDescribed) }
            let isDescribedItself = isDescribed(
                by: staying.all.filter { clauses[$0].match.fitsLine(of: entry) },
                gone.all.contains { places[$0].match.fitsLine(of: entry) })
            if left.details.isEmpty, !entry.countsItself || isDescribedItself { return nil }
            // An entry's line that a clause mentions is not described, but the content of the entry is.
            if isDescribedItself { left.kind = .modified }
            return left
        }
        return rest
    }
}

extension ChangeMatch {
    /// True if an expectation that is not loose pins the content of what the match fits.
    fileprivate var isAboutContent: Bool {
        !needsDetail && kinds.map { !$0.isDisjoint(with: [.added, .type, .text, .bytes, .image]) } ?? true
    }

    /// The match without the values and operations that it asks for: all changes at its place fit.
    fileprivate var place: ChangeMatch {
        var entries = entries
        for key: PlistString in ["From", "To", "Value"] { entries[key] = nil }
        if kinds?.isDisjoint(with: [.metadata, .encoding, .schema, .cookie, .image, .text]) ?? true { entries["Kind"] = nil }
        return (try? ChangeMatch(.dictionary(entries))) ?? self
    }
}

extension ChangeDetail {
    fileprivate func without(_ isDescribed: (DetailPart) -> Bool) -> ChangeDetail? {
        guard case .row(var row) = content, row.operation == .modified, !row.columns.isEmpty else {
            return DetailPart.parts(of: self).contains { !isDescribed($0) } ? self : nil
        }
        row.columns = row.columns.compactMap { column in
            guard !column.nested.isEmpty else { return isDescribed(.column(row, column, nil)) ? nil : column }
            var column = column
            column.nested = column.nested.filter { !isDescribed(.column(row, column, $0)) }
            return column.nested.isEmpty ? nil : column
        }
        if row.columns.isEmpty { return nil }
        var left = self
        left.content = .row(row)
        return left
    }
}
