public import CapsulePropertyList

extension Expectation {
    /// Returns the expectation, as a document, of exactly the changes of a comparison that are no noise.
    ///
    /// A run that does the same meets it though dates, UUIDs and the container's path are others; one that changes more does
    /// not. Values that are long, and secrets, are not in it.
    ///
    /// - Throws: `limit` for a comparison that is not complete, or that has too many changes; also for one that found more
    ///   than it kept, unless it was asked for this document (`ComparisonOptions.describes`).
    public static func describing(_ diff: ContainerDiff) throws(OverlayError) -> PlistValue {
        if let document = diff.described { return document }
        let describer = try ChangeDescriber(diff)
        return describer.document(describer.expectation.evaluate(diff))
    }
}

/// Collects a clause for each change.
package struct ChangeDescriber: Hashable, Sendable {
    private struct Clause: Hashable {
        let match: PlistDictionary
        /// Whether no other change has this place.
        let isExact: Bool
    }

    /// Clauses of one document; a document of more is nothing that anybody reads, and takes memory without a bound.
    private static let clauseLimit = 200_000

    private var clauses: [Clause] = []
    /// What is there already, spelled out: dictionaries that are much alike have few hashes.
    private var known: Set<PlistString> = []
    private var isFull = false

    /// Nothing yet.
    init() {}

    /// The clauses of all changes of a comparison that are no noise.
    ///
    /// - Throws: `limit` where there are too many, where the comparison is not complete, and where it didn't describe the changes
    ///   that it didn't keep.
    package init(_ diff: ContainerDiff) throws(OverlayError) {
        guard diff.isExact else {
            throw OverlayError(.limit, "can't write an expectation from an incomplete comparison: \(diff.gapText)")
        }
        for entry in diff.entries {
            add(entry)
            if entry.unshown.isEmpty { continue }
            guard let more = entry.unshown.described else {
                throw OverlayError(.limit, "the comparison did not describe the changes that it did not keep")
            }
            for clause in more.clauses { add(clause.match, isExact: clause.isExact) }
            isFull = isFull || more.isFull
        }
        guard !isFull else {
            throw OverlayError(
                .limit, "the changes need more than \(Self.clauseLimit) clauses, the most that an expectation can have")
        }
    }

    /// The clauses as an expectation that allows them to fit any number of times, so that it finds where this is not known.
    package var expectation: Expectation {
        let matches = clauses.compactMap { try? ChangeMatch(.dictionary($0.match)) }
        return Expectation(must: matches.map { Expectation.Clause($0, count: 0...UInt64.max) }, allowsOther: true)
    }

    /// - Parameter result: what the comparison that is described makes of ``expectation``.
    package func document(_ result: ExpectationResult) -> PlistValue {
        let must: [PlistValue] = zip(clauses, result.must).map { clause, outcome in
            var entries = clause.match
            // A count would ask for more than the comparison knows.
            if !clause.isExact, outcome.undecided == nil { entries["Count"] = .integer(PlistInteger(outcome.count)) }
            return .dictionary(entries)
        }
        return ["CapsuleExpectation": 1, "Must": .array(must), "Other": "fail", "Noise": "ignore"]
    }

    private mutating func add(_ entry: EntryChange) {
        let path = Self.path(entry.path)
        if entry.countsItself, entry.noise == nil {
            add(["Path": path.value, "Kind": .string(PlistString(entry.word))], isExact: path.isExact)
        }
        for detail in entry.details where detail.isChange && detail.noise == nil { add(detail, path) }
    }

    /// Adds the clauses of a change inside an entry.
    mutating func add(_ place: ChangePlace) { add(place.detail, Self.path(place.path)) }

    private static func path(_ path: RelativePath) -> DescribedForm {
        DescribedForm(pattern: GeneratedText(path.bytes, isUUIDOnly: true))
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
        guard clauses.count < Self.clauseLimit else {
            isFull = true
            return
        }
        let text = PlistValue.dictionary(match).line(length: nil, values: .max)
        if known.insert(PlistString(text)).inserted { clauses.append(Clause(match: match, isExact: isExact)) }
    }
}

/// How an expectation names what it has seen once, so that it knows it again.
struct DescribedForm {
    /// A scalar, a pattern or a dictionary of what is asked.
    let value: PlistValue
    /// Whether nothing else fits.
    let isExact: Bool

    /// A text of more bytes is not in a document that people read.
    private static let longestText = 128
    /// Reals from here on, with a fraction, are taken for times: seconds since 2001 or since 1970, and milliseconds.
    private static let times = 1e8..<1e13

    /// The form of a value; nil for one that is missing, long or secret, and of one that no document can hold.
    init?(_ shown: ShownValue?) {
        switch shown {
        case .value(let value)?: self.init(value)
        case .dataHead?, .external?: self.init(is: .data)
        case nil, .textHead?, .hidden?: return nil
        }
    }

    private init(_ value: PlistValue, isExact: Bool) {
        self.value = value
        self.isExact = isExact
    }

    private init?(_ value: PlistValue) {
        switch value {
        case .string(let text): self.init(text)
        case .integer, .boolean: self.init(value, isExact: true)
        case .real(let real) where Self.times.contains(real) && real != real.rounded(): self.init(is: .real)
        case .real: self.init(value, isExact: true)
        case .date: self.init(is: .date)
        // Most data that is short is a UUID or a digest.
        case .data: self.init(is: .data)
        case .null: self.init(is: .null)
        case .uid, .array, .dictionary: return nil
        }
    }

    private init?(_ text: PlistString) {
        if MatchForm.Shape.uuid.fits(.value(.string(text))) {
            self.init(is: .uuid)
        } else if MatchForm.Shape.containerPath.fits(.value(.string(text))) {
            self.init(is: .containerPath)
        } else {
            guard text.utf8.count <= Self.longestText else { return nil }
            let parts = GeneratedText(Array(text.utf8), isUUIDOnly: true)
            if parts.isGenerated {
                self.init(["Like": .string(PlistString(String(decoding: parts.glob, as: UTF8.self)))], isExact: false)
            } else {
                self.init(.string(text), isExact: true)
            }
        }
    }

    private init(is shape: MatchForm.Shape) {
        self.init(["Is": .string(PlistString(shape.rawValue))], isExact: false)
    }

    /// A pattern for a path.
    init(pattern name: GeneratedText) {
        let glob = name.glob
        if let text = String(validating: glob, as: UTF8.self) {
            self.init(.string(PlistString(text)), isExact: !name.isGenerated)
        } else {
            // No document holds other bytes: any one stands for each of them.
            let bytes = glob.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }
            self.init(.string(PlistString(String(decoding: bytes, as: UTF8.self))), isExact: false)
        }
    }
}
