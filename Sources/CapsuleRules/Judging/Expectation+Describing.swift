package import CapsuleCore
package import CapsulePropertyList

extension Expectation {
    /// Returns the expectation of exactly the changes of a comparison that are not noise, as a document.
    ///
    /// A run that makes the same changes meets the expectation, even if dates, UUIDs and the container's path differ. A run that
    /// makes further changes does not. Long values are not in the document, and secrets only as digests.
    ///
    /// - Throws: `limit` if the comparison is not complete, did not keep all changes, or has too many.
    package static func describing(_ diff: ContainerDiff, isLoose: Bool = false) throws(OverlayError) -> PlistValue {
        let describer = try ChangeDescriber(diff, isLoose: isLoose)
        return describer.document(describer.expectation.evaluate(diff))
    }
}

/// Collects a clause for each change.
package struct ChangeDescriber: Hashable, Sendable {
    private struct Clause: Hashable {
        var match: PlistDictionary
        /// True if no other change can have this place.
        let isExact: Bool
    }

    /// The most clauses of one document. Nobody reads a longer document, and memory must be bounded.
    private static let clauseLimit = 200_000
    /// The seconds by which the lifetimes of a server's cookie may differ.
    private static let clockTolerance = 60.0

    private var clauses: [Clause] = []
    /// The clauses so far, as text. Dictionaries with similar content have few distinct hash values.
    private var known: Set<PlistString> = []
    private var isFull = false
    private let isLoose: Bool
    /// The time of the newer side as a property list's date; nil if it is not known.
    private let captured: Double?

    init(isLoose: Bool, captured: Double? = nil) {
        self.isLoose = isLoose
        self.captured = captured
    }

    /// Creates the clauses of all changes of a comparison that are not noise.
    ///
    /// - Throws: `limit` if there are too many clauses, if the comparison is not complete, or if it did not keep all changes.
    package init(_ diff: ContainerDiff, isLoose: Bool = false) throws(OverlayError) {
        self.init(isLoose: isLoose, captured: diff.captured)
        guard diff.isExact else {
            throw OverlayError(.limit, "can't write an expectation from an incomplete comparison: \(diff.gapText)")
        }
        guard diff.entries.allSatisfy(\.unshown.isEmpty) else {
            throw OverlayError(.limit, "there are too many changes to write an expectation of them")
        }
        for entry in diff.entries { add(entry) }
        guard !isFull else {
            throw OverlayError(
                .limit, "the changes need more than \(Self.clauseLimit) clauses, the most that an expectation can have")
        }
    }

    /// The clauses as an expectation. Each may match any number of changes, and has a count so that a number that is unknown is
    /// reported.
    package var expectation: Expectation {
        let read = clauses.compactMap { try? Expectation.Clause(reading: $0.match, count: 0...UInt64.max) }
        return Expectation(must: read, allowsOther: true)
    }

    /// - Parameter result: the result of evaluating the described comparison against ``expectation``.
    package func document(_ result: ExpectationResult) -> PlistValue {
        let must: [PlistValue] = zip(clauses, result.must).map { clause, outcome in
            var entries = clause.match
            // A count that the comparison doesn't know is left out.
            if !clause.isExact, outcome.undecided == nil { entries["Count"] = .integer(PlistInteger(outcome.count)) }
            return .dictionary(entries)
        }
        return ["CapsuleExpectation": 1, "Must": .array(must), "Other": "fail", "Noise": "ignore"]
    }

    private mutating func add(_ entry: EntryChange) {
        let path = Self.path(entry.path)
        let pin = isLoose ? nil : FilePin(entry)
        if entry.countsItself, entry.noise == nil {
            add(["Path": path.value, "Kind": .string(PlistString(entry.word))], isExact: path.isExact, pin)
        }
        for detail in entry.details where detail.isChange && detail.noise == nil { add(detail, path, pin) }
    }

    private static func path(_ path: RelativePath) -> DescribedForm {
        DescribedForm(pattern: GeneratedText(path.bytes, isUUIDOnly: true))
    }

    /// - Parameter pin: the content of the whole file, for changes that don't describe theirs; nil to leave it out.
    private mutating func add(_ detail: ChangeDetail, _ path: DescribedForm, _ pin: FilePin? = nil) {
        let start: PlistDictionary = ["Path": path.value]
        var (hidden, cover) = (detail.content, SecretCover())
        cover.hide(&hidden)
        switch (detail.content, hidden) {
        case (.value(let change), .value(let hidden)):
            add(change, hidden, start, path.isExact)
        case (.row(let row), .row(let hidden)) where row.operation == .modified && !row.columns.isEmpty:
            add(row, hidden, start, path.isExact)
        case (.row(let row), .row(let hidden)):
            var match = start
            var isExact = path.isExact
            match["Table"] = .string(PlistString(GeneratedText.nameEscaping(row.table)))
            isExact = self.row(row, hidden, allColumns: true, into: &match) && isExact
            match["Kind"] = .string(PlistString(row.operation.rawValue))
            add(match, isExact: isExact)
        case (.metadata(let change), .metadata(let hidden)):
            var match = start
            match["Kind"] = "metadata"
            if case .attribute(let name) = change.field {
                match["Attribute"] = .string(PlistString(GeneratedText.nameEscaping(String(decoding: name, as: UTF8.self))))
            }
            sides((change.old, change.new), (hidden.old, hidden.new), into: &match, tellsAbsence: true)
            add(match, isExact: false)
        case (.encoding(let change), _):
            var match = start
            let words: (DisplayValue?, DisplayValue?) = (.text(change.old), .text(change.new))
            match["Kind"] = "encoding"
            sides(words, words, into: &match)
            add(match, isExact: false)
        case (.schema(let change), _):
            var match = Self.clause(start, detail.word)
            let texts: (DisplayValue?, DisplayValue?) = (change.old.map { .text($0) }, change.new.map { .text($0) })
            sides(texts, texts, into: &match)
            add(match, isExact: false)
        case (.cookie(let change), _) where !isLoose:
            add(change, start)
        case (.cookie(let change), .cookie(let hidden)):
            var match = Self.clause(start, detail.word)
            let value = (change.fields.first { $0.name == "value" }, hidden.fields.first { $0.name == "value" })
            sides((value.0?.old, value.0?.new), (value.1?.old, value.1?.new), into: &match)
            add(match, isExact: false)
        default:
            let isWhole: Bool
            switch detail.content {
            case .text, .bytes, .image: isWhole = true
            default: isWhole = false
            }
            add(Self.clause(start, detail.word), isExact: false, isWhole ? pin : nil)
        }
    }

    private mutating func add(_ change: PlistChange, _ hidden: PlistChange, _ start: PlistDictionary, _ isExact: Bool) {
        var match = start
        let steps: [PlistString] = zip(change.pointer.steps, hidden.pointer.steps).map { step, shown in
            step == shown ? PlistString(GeneratedText(Array(step.utf8), isUUIDOnly: true).step) : "*"
        }
        let pointer = PlistPointer(steps: steps).description
        match["Pointer"] = .string(PlistString(pointer))
        match["Kind"] = .string(PlistString(change.name))
        sides(change.sides, hidden.sides, into: &match)
        add(match, isExact: isExact && !pointer.utf8.contains(UInt8(ascii: "*")))
    }

    private mutating func add(_ row: RowChange, _ hidden: RowChange, _ start: PlistDictionary, _ isExact: Bool) {
        var start = start
        start["Table"] = .string(PlistString(GeneratedText.nameEscaping(row.table)))
        let isExact = self.row(row, hidden, allColumns: false, into: &start) && isExact
        for (column, shown) in zip(row.columns, hidden.columns) where column.noise == nil {
            var match = start
            match["Column"] = .string(PlistString(GeneratedText.nameEscaping(column.name)))
            for (nested, hidden) in zip(column.nested, shown.nested) { add(nested, hidden, match, isExact) }
            guard shown.nested.isEmpty else { continue }
            match["Kind"] = "modified"
            sides((column.old, column.new), (shown.old, shown.new), into: &match)
            add(match, isExact: isExact)
        }
    }

    /// Adds a clause for the whole record of a cookie, except for when it was created.
    private mutating func add(_ change: CookieChange, _ start: PlistDictionary) {
        var whole = change
        whole.fields += change.unchanged
        var (content, cover) = (ChangeDetail.Content.cookie(whole), SecretCover())
        cover.hide(&content)
        guard case .cookie(let hidden) = content else { return }
        let (record, shown) = (whole.record, hidden.record)
        let changed = change.operation == .deleted ? [] : change.fields.map(\.name)
        var tests = PlistDictionary()
        for name in CookieChange.recordNames {
            let isNew = changed.contains(name) || change.operation == .added
            if isNew, name == "expires", case .date(let expires)? = record[name]?.whole {
                // A later run sets it later, but not for longer. What is fixed stays.
                tests["expires"] = DescribedForm(date: expires, "Min").value
                guard changed.contains("created"), case .real(let lifetime)? = record["lifetime"]?.whole, lifetime.isFinite else {
                    continue
                }
                tests["lifetime"] = ["Max": .real((lifetime + Self.clockTolerance).rounded(.up))]
            } else if let form = form(record[name], shown[name], isOld: !isNew) {
                tests[PlistString(name)] = form.value
            } else if record[name] == nil {
                tests[PlistString(name)] = ["Is": "absent"]
            }
        }
        var match = Self.clause(start, change.operation.rawValue)
        match["Row"] = .dictionary(tests)
        add(match, isExact: false)
    }

    private func row(_ row: RowChange, _ hidden: RowChange, allColumns: Bool, into match: inout PlistDictionary) -> Bool {
        var tests = PlistDictionary()
        // A row without a key may have a duplicate.
        var isExact = !row.key.isEmpty
        for (key, shown) in zip(row.key, hidden.key) {
            let form = form(key.value, shown.value, isOld: row.operation != .added)
            isExact = isExact && form?.isExact ?? false
            tests[PlistString(key.column)] = form?.value
        }
        for (column, shown) in zip(row.columns, hidden.columns) where allColumns {
            guard let form = form(column.new ?? column.old, shown.new ?? shown.old, isOld: column.new == nil) else { continue }
            isExact = isExact && form.isExact
            tests[PlistString(column.name)] = form.value
        }
        if !isLoose { for column in row.nulls { tests[PlistString(column.name)] = ["Is": "null"] } }
        if !tests.isEmpty { match["Row"] = .dictionary(tests) }
        return isExact
    }

    /// - Parameter isOld: true for a value of the old side, which is the same in every run.
    private func form(_ shown: DisplayValue?, _ hidden: DisplayValue?, isOld: Bool) -> DescribedForm? {
        if isLoose {
            // Most data that is short is a UUID or a digest.
            if case .value(.data(let bytes))? = shown, shown == hidden, bytes.count <= DescribedForm.longestGenerated {
                return DescribedForm(is: .data)
            }
            return DescribedForm(shown?.withoutDigest, hidden?.withoutDigest)
        }
        if !isOld, shown == hidden, case .value(.date(let date))? = shown, let captured {
            return MatchForm.isRecent(date, captured)
                ? DescribedForm(date: date, "Equals", is: .recent) : DescribedForm(date: date, "Equals")
        }
        return DescribedForm(shown, hidden, isOld: isOld)
    }

    private func sides(
        _ sides: (old: DisplayValue?, new: DisplayValue?), _ hidden: (old: DisplayValue?, new: DisplayValue?),
        into match: inout PlistDictionary, tellsAbsence: Bool = false
    ) {
        for (key, side, shown) in [("From" as PlistString, sides.old, hidden.old), ("To", sides.new, hidden.new)] {
            if let form = form(side, shown, isOld: key == "From") {
                match[key] = form.value
            } else if side == nil, tellsAbsence {
                match[key] = ["Is": "absent"]
            }
        }
    }

    private static func clause(_ start: PlistDictionary, _ kind: String) -> PlistDictionary {
        var match = start
        match["Kind"] = .string(PlistString(kind))
        return match
    }

    private mutating func add(_ match: PlistDictionary, isExact: Bool, _ pin: FilePin?) {
        var match = match
        for (key, value) in pin?.entries ?? PlistDictionary() { match[key] = value }
        add(match, isExact: isExact)
    }

    private mutating func add(_ match: PlistDictionary, isExact: Bool) {
        guard clauses.count < Self.clauseLimit else {
            isFull = true
            return
        }
        let text = PlistValue.dictionary(match).line(length: nil, values: .max)
        if known.insert(PlistString(text)).inserted { clauses.append(Clause(match: match, isExact: isExact)) }
    }
}

extension Expectation.Clause {
    init(
        reading entries: PlistDictionary, count: ClosedRange<UInt64>? = nil, note: String? = nil
    ) throws(OverlayError) {
        let part = DocumentPart(entries, at: .root)
        self.init(try ChangeMatch(part, others: FilePin.keys), count: count, pin: try FilePin(part), note: note)
    }
}
