package import CapsulePropertyList

/// A clause of an expectation that no change can match, because neither side has something that it names.
public struct UnmatchableClause: Hashable, Sendable {
    /// The part of the clause that names something missing.
    public enum Subject: String, Hashable, Sendable {
        /// No entry has a matching path.
        case path
        /// No database has a matching table.
        case table
        /// No matching table has the column.
        case column
        /// No property list and no JSON has a matching place.
        case pointer
    }

    /// The clause that no change can match.
    public let rule: ExpectationFinding.Rule
    /// The kind of what is missing.
    public let subject: Subject
    /// The missing name or pattern, as the clause has it.
    public let name: String
    /// The names that the clause may have meant, the nearest first.
    public let suggestions: [String]

    package init(rule: ExpectationFinding.Rule, subject: Subject, name: String, suggestions: [String]) {
        self.rule = rule
        self.subject = subject
        self.name = name
        self.suggestions = suggestions
    }

    /// The list that contains the clause.
    public var part: ExpectationResult.Part { rule.part }
    /// The number of the clause in the list, from 1.
    public var number: Int { rule.number }

    /// The problem on one line: `no table 'Notee' in **/B.sqlite on either side`.
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

    /// The suggested correction, if one is known.
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
    /// The most clauses for which suggestions are searched.
    private static let suggestionLimit = 100

    /// Finds the clauses that no change can match, among clauses that no change matches.
    ///
    /// - Parameters:
    ///   - paths: the paths of both sides.
    ///   - isWhole: true if these are all paths.
    ///   - tables: returns the tables of all databases whose paths match a pattern; nil if they are not known.
    ///   - places: passes the documents that a search concerns to the search.
    package static func find<Failure: Error>(
        among rules: [ExpectationFinding.Rule], in paths: KnownPaths, isWhole: Bool,
        tables: (Glob?) throws(Failure) -> [NamedTable]?, places: (inout ClausePointerSearch) throws(Failure) -> Void
    ) throws(Failure) -> [UnmatchableClause] {
        var found: [UnmatchableClause] = []
        var asked = 0
        let present = paths.matched(by: rules.map(\.clause.match))
        let naming = rules.indices.filter { present[$0] && rules[$0].clause.match.namesPlaces }
        var search = ClausePointerSearch(naming.map { rules[$0].clause.match })
        if isWhole, !naming.isEmpty { try places(&search) }
        let numbers = Dictionary(uniqueKeysWithValues: naming.enumerated().map { ($0.element, $0.offset) })
        for (index, rule) in rules.enumerated() {
            let match = rule.clause.match
            let isPresent = present[index]
            if let pattern = match.pathPattern, !isPresent {
                guard isWhole else { continue }
                asked += 1
                let near = asked > suggestionLimit ? (words: [], isLast: true) : paths.suggestions(for: pattern)
                // A path that a run may add doesn't have to exist, but its directory should.
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
                // A key that a run may add doesn't have to exist either, but the dictionaries around it should.
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
    /// Returns the clauses that nothing can match in one property list.
    ///
    /// - Parameter documents: the contents of the file on both sides.
    package func unmatchable(
        in diff: ContainerDiff, ofFileAt path: RelativePath, holding documents: [PlistValue]
    ) -> [UnmatchableClause] {
        UnmatchableClause.find(among: evaluate(diff).unmatched, in: KnownPaths([path]), isWhole: true) { _ in
            []
        } places: { search in
            for document in documents { search.look(into: document, at: path) }
        }
    }

    /// Returns the clauses with the numbers that they have in this expectation, which has a different `Must` than the one they are
    /// from.
    ///
    /// A clause of `Must` that this expectation doesn't have is left out.
    package func renumbered(_ clauses: [UnmatchableClause]) -> [UnmatchableClause] {
        let indices = Dictionary(must.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
        return clauses.compactMap { clause in
            guard clause.part == .must else { return clause }
            guard let index = indices[clause.rule.clause] else { return nil }
            return UnmatchableClause(
                rule: ExpectationFinding.Rule(.must, index, clause.rule.clause), subject: clause.subject, name: clause.name,
                suggestions: clause.suggestions)
        }
    }
}

/// A table, with the names that matches may use for it, and its columns.
package struct NamedTable: Hashable, Sendable {
    /// The SQL name of the table, of its Core Data entity, and of the virtual table whose data it holds.
    package let names: [String]
    /// The entities that its rows may have besides the one that the table is named after.
    package let rowEntities: [String]
    /// The SQL names and the attributes of the columns.
    package let columns: [String]

    package init(names: [String], rowEntities: [String], columns: [String]) {
        self.names = names
        self.rowEntities = rowEntities
        self.columns = columns
    }
}

extension ExpectationResult {
    /// The clauses that are known to match no change.
    package var unmatched: [ExpectationFinding.Rule] {
        let parts: [(Part, [ClauseResult])] = [(.must, must), (.may, may), (.mustNot, mustNot)]
        return parts.flatMap { part, outcomes in
            outcomes.enumerated().filter { $0.element.count == 0 && $0.element.undecided == nil }
                .map { ExpectationFinding.Rule(part, $0.offset, $0.element.clause) }
        }
    }

    /// Returns the unmatchable clauses that are not also findings.
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

    /// The pattern for the path; nil for any path.
    package var pathPattern: Glob? { path }

    /// True if the match is about rows or tables that should exist in a database.
    package var namesTables: Bool { isAboutTables && !(kinds?.contains(.schema) ?? false) }

    /// True if the match is about places in documents of their own. Places in columns are not included, as only rows show them.
    package var namesPlaces: Bool { pointer != nil && !isAboutTables }

    /// True if the match is for something that a run may add. Such a path doesn't have to exist yet.
    package var isAboutNewPaths: Bool { kinds?.contains(.added) ?? false }

    /// Returns the table or column that the match names and that is missing; nil if nothing is missing.
    ///
    /// - Parameter tables: the tables of all databases whose paths match.
    package func missing(from tables: [NamedTable]) -> (subject: UnmatchableClause.Subject, name: String, known: [String])? {
        var named = tables
        if let table {
            named = tables.filter { $0.names.contains { table.matches($0) } }
            // Only its rows show which columns a subentity has.
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
            // A row that is tested for NULL or absence may lack the column.
            if test.form.fits(nil) { continue }
            return (.column, test.column.string, columns.sorted())
        }
        return nil
    }
}
