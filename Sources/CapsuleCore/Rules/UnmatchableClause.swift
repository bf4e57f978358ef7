package import CapsulePropertyList

/// A clause of an expectation that no change can match: what it names is on neither side.
public struct UnmatchableClause: Hashable, Sendable {
    /// What the clause names, and what is missing.
    public enum Subject: String, Hashable, Sendable {
        /// No entry has such a path.
        case path
        /// No database has such a table.
        case table
        /// No such table has such a column.
        case column
        /// No property list and no JSON has such a place.
        case pointer
    }

    /// The clause.
    public let rule: ExpectationFinding.Rule
    /// What is missing.
    public let subject: Subject
    /// Its name or pattern, as the clause has it.
    public let name: String
    /// What the clause may have been meant to say instead, the nearest first.
    public let suggestions: [String]

    package init(rule: ExpectationFinding.Rule, subject: Subject, name: String, suggestions: [String]) {
        self.rule = rule
        self.subject = subject
        self.name = name
        self.suggestions = suggestions
    }

    /// The list that the clause is in.
    public var part: ExpectationResult.Part { rule.part }
    /// The clause's number in the list, from 1.
    public var number: Int { rule.number }

    /// What is missing, on one line: `no table 'Notee' in **/B.sqlite on either side`.
    public var text: String {
        let match = rule.clause.match
        let path = match.text(of: "Path")
        switch subject {
        case .path: return "no path matches '\(name)' on either side"
        case .table: return "no table '\(name)'" + (path.map { " in \($0)" } ?? "") + " on either side"
        case .column:
            let table = match.text(of: "Table")
            let place = [table, path].compactMap { $0 }.joined(separator: " of ")
            return "no column '\(name)'" + (place.isEmpty ? "" : " in \(place)") + " on either side"
        case .pointer: return "no pointer matches '\(name)'" + (path.map { " in \($0)" } ?? "") + " on either side"
        }
    }

    /// What to do about it, if that is known.
    public var hint: String? {
        if subject == .path, let inside = ContainerNames.insideAppData(Array(name.utf8)), suggestions == [inside] {
            return ContainerNames.hint(forPathInside: inside)
        }
        if subject == .pointer, suggestions.isEmpty {
            return "for a key that a run may add, include 'added' in 'Kind'"
        }
        return Suggestions.hint(for: suggestions)
    }
}

extension UnmatchableClause {
    /// Clauses for which it is found out what they may have been meant to say.
    private static let suggestionLimit = 100

    /// Finds, of clauses that no change matches, those that none can.
    ///
    /// - Parameters:
    ///   - paths: the paths of both sides.
    ///   - isWhole: whether these are all paths.
    ///   - tables: tells the tables of all databases whose paths a pattern fits; nil where they are not known.
    ///   - places: hands the documents that a search is about to it.
    package static func find<Failure: Error>(
        among rules: [ExpectationFinding.Rule], in paths: KnownPaths, isWhole: Bool,
        tables: (Glob?) throws(Failure) -> [NamedTable]?, places: (inout PlaceSearch) throws(Failure) -> Void
    ) throws(Failure) -> [UnmatchableClause] {
        var found: [UnmatchableClause] = []
        var asked = 0
        let present = paths.matched(by: rules.map(\.clause.match))
        let naming = rules.indices.filter { present[$0] && rules[$0].clause.match.namesPlaces }
        var search = PlaceSearch(naming.map { rules[$0].clause.match })
        if isWhole, !naming.isEmpty { try places(&search) }
        let numbers = Dictionary(uniqueKeysWithValues: naming.enumerated().map { ($0.element, $0.offset) })
        for (index, rule) in rules.enumerated() {
            let match = rule.clause.match
            let isPresent = present[index]
            if let pattern = match.pathPattern, !isPresent {
                guard isWhole else { continue }
                asked += 1
                let near = asked > suggestionLimit ? (words: [], isLast: true) : paths.suggestions(for: pattern)
                // What a run may add need not be there, but its directory should be.
                if match.isAboutNewPaths, near.isLast || near.words.isEmpty { continue }
                found.append(
                    UnmatchableClause(
                        rule: rule, subject: .path, name: String(decoding: pattern.pattern, as: UTF8.self),
                        suggestions: near.words))
            } else if match.namesTables, let known = try tables(match.pathPattern) {
                guard let missing = match.missing(from: known) else { continue }
                asked += 1
                let near = asked > suggestionLimit ? [] : Suggestions(for: missing.name, among: missing.known).words
                found.append(
                    UnmatchableClause(rule: rule, subject: missing.subject, name: missing.name, suggestions: near))
            } else if isWhole, let number = numbers[index], let missing = search.missing(number) {
                asked += 1
                // So it is with a key that a run may add: the dictionaries around it should be there.
                if match.isAboutNewPaths, missing.isLast || missing.words.isEmpty { continue }
                found.append(
                    UnmatchableClause(
                        rule: rule, subject: .pointer, name: match.text(of: "Pointer") ?? "",
                        suggestions: asked > suggestionLimit ? [] : missing.words))
            }
        }
        return found
    }
}

extension Expectation {
    /// The clauses that nothing can match in one property list.
    ///
    /// - Parameter documents: what the file holds on both sides.
    package func unmatchable(
        in diff: ContainerDiff, ofFileAt path: RelativePath, holding documents: [PlistValue]
    ) -> [UnmatchableClause] {
        UnmatchableClause.find(among: evaluate(diff).unmatched, in: KnownPaths([path]), isWhole: true) { _ in
            []
        } places: { search in
            for document in documents { search.look(into: document, at: path) }
        }
    }

    /// Clauses that nothing can match, under the numbers that they have in this expectation, of which `Must` alone is another.
    package func renumbered(_ clauses: [UnmatchableClause]) -> [UnmatchableClause] {
        clauses.compactMap { clause in
            guard clause.part == .must else { return clause }
            guard let index = must.firstIndex(of: clause.rule.clause) else { return nil }
            return UnmatchableClause(
                rule: ExpectationFinding.Rule(.must, index, clause.rule.clause), subject: clause.subject, name: clause.name,
                suggestions: clause.suggestions)
        }
    }
}

/// A table as matches may call it, with its columns.
package struct NamedTable: Hashable, Sendable {
    /// Its SQL name, its Core Data entity's, and that of the virtual table whose data it holds.
    package let names: [String]
    /// Entities that its rows may have beside the one that it is named after.
    package let rowEntities: [String]
    /// SQL names and attributes.
    package let columns: [String]

    package init(names: [String], rowEntities: [String], columns: [String]) {
        self.names = names
        self.rowEntities = rowEntities
        self.columns = columns
    }
}

extension ExpectationResult {
    /// The clauses that no change matches, though it is known that none does.
    package var unmatched: [ExpectationFinding.Rule] {
        let parts: [(Part, [Outcome])] = [(.must, must), (.may, may), (.mustNot, mustNot)]
        return parts.flatMap { part, outcomes in
            outcomes.enumerated().filter { $0.element.count == 0 && $0.element.undecided == nil }
                .map { ExpectationFinding.Rule(part, $0.offset, $0.element.clause) }
        }
    }

    /// Of clauses that nothing can match, those that are no finding by that.
    public func unnoticed(_ clauses: [UnmatchableClause]) -> [UnmatchableClause] {
        clauses.filter { clause in
            let outcomes = outcomes(of: clause.part)
            guard outcomes.indices.contains(clause.number - 1), clause.part == .must else { return true }
            return outcomes[clause.number - 1].isThere
        }
    }
}

extension ChangeMatch {
    fileprivate func text(of key: String) -> String? {
        entries.first { $0.key.string == key }?.value.string?.string
    }

    /// The paths that it is about; nil for any.
    package var pathPattern: Glob? { path }

    /// Whether it is about rows or tables of databases that should be there.
    package var namesTables: Bool { isAboutTables && !(kinds?.contains(.schema) ?? false) }

    /// Whether it is about places in documents of their own; those in columns are only known where rows are.
    package var namesPlaces: Bool { pointer != nil && !isAboutTables }

    /// Whether it says that it is about what a run may add: such a path need not be there yet.
    package var isAboutNewPaths: Bool { kinds?.contains(.added) ?? false }

    /// What is missing of the table and the columns that it names.
    ///
    /// - Parameter tables: those of all databases whose paths it fits.
    package func missing(from tables: [NamedTable]) -> (subject: UnmatchableClause.Subject, name: String, known: [String])? {
        var named = tables
        if let table {
            named = tables.filter { $0.names.contains { table.matches($0) } }
            // Which columns a subentity has, only its rows tell.
            let isSubentity = tables.contains { $0.rowEntities.contains { table.matches($0) } }
            if named.isEmpty, isSubentity { named = tables.filter { !$0.rowEntities.isEmpty } }
            guard !named.isEmpty else {
                return (.table, text(of: "Table") ?? "", Set(tables.flatMap { $0.names + $0.rowEntities }).sorted())
            }
        }
        let columns = Set(named.flatMap(\.columns))
        if let column, !columns.contains(where: { column.matches($0) }) {
            return (.column, text(of: "Column") ?? "", columns.sorted())
        }
        for test in row where !columns.contains(test.column.string) {
            // A row of which NULL or nothing is asked may lack the column.
            if test.form.fits(nil) { continue }
            return (.column, test.column.string, columns.sorted())
        }
        return nil
    }
}
