import CapsulePropertyList

/// Collects a clause for each change.
struct ChangeDescriber {
    private struct Clause {
        let match: PlistDictionary
        /// Whether no other change has this place.
        let isExact: Bool
    }

    private var clauses: [Clause] = []
    /// What is there already, spelled out: dictionaries that are much alike have few hashes.
    private var known: Set<PlistString> = []

    /// - Parameter diff: the comparison that is described.
    func document(counting diff: ContainerDiff) -> PlistValue {
        let matches = clauses.compactMap { try? ChangeMatch(.dictionary($0.match)) }
        let result = Expectation(must: matches.map { Expectation.Clause($0) }, allowsOther: true).evaluate(diff)
        let must: [PlistValue] = zip(clauses, result.must).map { clause, outcome in
            var entries = clause.match
            if !clause.isExact { entries["Count"] = .integer(PlistInteger(outcome.count)) }
            return .dictionary(entries)
        }
        return ["CapsuleExpectation": 1, "Must": .array(must), "Other": "fail", "Noise": "ignore"]
    }

    mutating func add(_ entry: EntryChange) {
        let name = GeneratedText(entry.path.bytes, isUUIDOnly: true)
        let path = DescribedForm(pattern: name)
        if entry.countsItself, entry.noise == nil {
            add(["Path": path.value, "Kind": .string(PlistString(entry.word))], isExact: path.isExact)
        }
        for detail in entry.details where detail.isChange && detail.noise == nil { add(detail, path) }
    }

    private mutating func add(_ detail: ChangeDetail, _ path: DescribedForm) {
        let start: PlistDictionary = ["Path": path.value]
        switch detail.content {
        case .value(let change):
            add(change, start, path.isExact)
        case .row(let row) where row.operation == .modified && !row.columns.isEmpty:
            add(row, start, path.isExact)
        case .row(let row):
            var match = start
            var isExact = path.isExact
            match["Table"] = .string(PlistString(row.table))
            isExact = self.row(row, allColumns: true, into: &match) && isExact
            match["Kind"] = .string(PlistString(row.operation.rawValue))
            add(match, isExact: isExact)
        case .metadata(let change):
            var match = start
            match["Kind"] = "metadata"
            sides((change.old, change.new), into: &match, tellsAbsence: true)
            add(match, isExact: false)
        case .encoding(let change):
            var match = start
            match["Kind"] = "encoding"
            sides((.text(change.old), .text(change.new)), into: &match)
            add(match, isExact: false)
        case .schema, .text, .bytes, .image, .cookie, .fallback, .limit:
            var match = start
            match["Kind"] = .string(PlistString(detail.word))
            add(match, isExact: false)
        }
    }

    private mutating func add(_ change: PlistChange, _ start: PlistDictionary, _ isExact: Bool) {
        var match = start
        let steps = change.pointer.steps.map { GeneratedText(Array($0.utf8), isUUIDOnly: true) }
        let pointer = PlistPointer(steps: steps.map { PlistString($0.step) }).description
        match["Pointer"] = .string(PlistString(pointer))
        match["Kind"] = .string(PlistString(change.name))
        sides(change.sides, into: &match)
        add(match, isExact: isExact && !pointer.utf8.contains(UInt8(ascii: "*")))
    }

    private mutating func add(_ row: RowChange, _ start: PlistDictionary, _ isExact: Bool) {
        var start = start
        start["Table"] = .string(PlistString(row.table))
        let isExact = self.row(row, allColumns: false, into: &start) && isExact
        for column in row.columns where column.noise == nil {
            var match = start
            match["Column"] = .string(PlistString(column.name))
            for nested in column.nested { add(nested, match, isExact) }
            guard column.nested.isEmpty else { continue }
            match["Kind"] = "modified"
            sides((column.old, column.new), into: &match)
            add(match, isExact: isExact)
        }
    }

    /// Says by what a row is known.
    private func row(_ row: RowChange, allColumns: Bool, into match: inout PlistDictionary) -> Bool {
        var tests = PlistDictionary()
        // NULL is not told of a row that one side alone has, and a row without a key may have a twin.
        var isExact = !row.key.isEmpty
        let columns = allColumns ? row.columns.map { ($0.name, $0.new ?? $0.old) } : []
        for (name, value) in row.key.map({ ($0.column, Optional($0.value)) }) + columns {
            guard let form = DescribedForm(value) else { continue }
            isExact = isExact && form.isExact
            tests[PlistString(name)] = form.value
        }
        if row.key.contains(where: { DescribedForm($0.value) == nil }) { isExact = false }
        if !tests.isEmpty { match["Row"] = .dictionary(tests) }
        return isExact
    }

    private func sides(
        _ sides: (old: ShownValue?, new: ShownValue?), into match: inout PlistDictionary, tellsAbsence: Bool = false
    ) {
        for (key, side) in [("From" as PlistString, sides.old), ("To", sides.new)] {
            if let form = DescribedForm(side) {
                match[key] = form.value
            } else if side == nil, tellsAbsence {
                match[key] = ["Is": "absent"]
            }
        }
    }

    private mutating func add(_ match: PlistDictionary, isExact: Bool) {
        let text = PlistValue.dictionary(match).line(length: nil, values: .max)
        if known.insert(PlistString(text)).inserted { clauses.append(Clause(match: match, isExact: isExact)) }
    }
}
