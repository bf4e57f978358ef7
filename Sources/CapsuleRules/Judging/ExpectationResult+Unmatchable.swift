import CapsuleCore
import CapsulePropertyList

extension ExpectationResult {
    private static let suggestionLimit = 100

    private var unmatched: [ExpectationFinding.Rule] {
        let parts: [(Part, [ClauseResult])] = [(.must, must), (.may, may), (.mustNot, mustNot)]
        return parts.flatMap { part, outcomes in
            outcomes.enumerated().filter { $0.element.count == 0 && $0.element.undecided == nil }
                .map { ExpectationFinding.Rule(part, $0.offset, $0.element.clause) }
        }
    }

    /// Returns the clauses that no change can match, in the order of the document.
    ///
    /// Tables and columns are looked for in the databases that differ, and the pointers of guards in the property lists that do.
    func unmatchable(in diff: ContainerDiff) -> [UnmatchableClause] {
        guard let paths = diff.paths else { return [] }
        let rules = unmatched.filter {
            $0.clause.match.path != nil || $0.clause.match.namesTables || $0.clause.match.namesPlaces
        }
        guard !rules.isEmpty else { return [] }
        let known = KnownPaths(paths)
        let present = known.matched(by: rules.map(\.clause.match))
        let databases = Self.contents(in: diff, for: rules, \.tables)
        let documents = Self.contents(in: diff, for: rules, \.documents)
        var found: [UnmatchableClause] = []
        var asked = 0
        for (index, rule) in rules.enumerated() {
            let match = rule.clause.match
            if let pattern = match.path, !present[index] {
                asked += 1
                let near = asked > Self.suggestionLimit ? (words: [], isLast: true) : known.suggestions(for: pattern)
                // A path that a run may add doesn't have to exist, but its directory should.
                if match.isAboutNewPaths, near.isLast || near.words.isEmpty { continue }
                found.append(
                    UnmatchableClause(
                        rule: rule, subject: .path, name: String(decoding: pattern.pattern, as: UTF8.self),
                        suggestions: near.words))
            } else if match.namesTables, !databases[index].isEmpty {
                guard asked < Self.suggestionLimit, let missing = match.missing(from: databases[index]) else { continue }
                asked += 1
                let near = Suggestions(for: missing.name, among: missing.known).words
                // A database that doesn't differ may have the table, unless the clause names the one that does.
                if near.isEmpty, match.path?.literal == nil { continue }
                found.append(UnmatchableClause(rule: rule, subject: missing.subject, name: missing.name, suggestions: near))
            } else if rule.part == .mustNot || rule.clause.count != nil, match.namesPlaces, let pointer = match.pointer,
                !documents[index].isEmpty
            {
                guard asked < Self.suggestionLimit, !pointer.mayBe(in: documents[index]) else { continue }
                asked += 1
                let near = pointer.suggestions(in: documents[index])
                // A property list that doesn't differ may have the place, as above.
                if near.isEmpty, match.path?.literal == nil { continue }
                found.append(
                    UnmatchableClause(rule: rule, subject: .pointer, name: match.text(of: "Pointer") ?? "", suggestions: near))
            }
        }
        return found
    }

    private static func contents<Value>(
        in diff: ContainerDiff, for rules: [ExpectationFinding.Rule], _ contents: KeyPath<EntryChange, [Value]>
    ) -> [[Value]] {
        let table = PathTable(rules.lazy.map(\.clause.match))
        var entries: [[Int]] = rules.map { _ in [] }
        for (number, entry) in diff.entries.enumerated() where !entry[keyPath: contents].isEmpty {
            for rule in table.candidates(for: entry.path) { entries[rule].append(number) }
        }
        var joined: [[Int]: [Value]] = [:]
        return entries.map { numbers in
            if let known = joined[numbers] { return known }
            let values = numbers.flatMap { diff.entries[$0][keyPath: contents] }
            joined[numbers] = values
            return values
        }
    }

    package var warnings: [UnmatchableClause] { unmatchable.filter { $0.rule.part != .must || must[$0.rule.number - 1].isThere } }
}

extension ChangeMatch {
    /// True if the match is for a place in property lists that doesn't only come with a run.
    var namesPlaces: Bool { pointer != nil && !isAboutTables && !isAboutNewPaths }
    fileprivate var namesTables: Bool { isAboutTables && !(kinds?.contains(.schema) ?? false) }
    /// True if the match is for something that a run may add. Such a path doesn't have to exist yet.
    fileprivate var isAboutNewPaths: Bool { kinds?.contains(.added) ?? false }

    /// Returns the table or column that the match names and that is missing; nil if nothing is missing.
    ///
    /// - Parameter tables: the tables of all databases whose paths match.
    func missing(from tables: [NamedTable]) -> (subject: UnmatchableClause.Subject, name: String, known: [String])? {
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
