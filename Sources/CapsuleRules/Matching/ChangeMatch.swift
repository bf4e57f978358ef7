package import CapsuleCore
package import CapsulePropertyList

/// Selects changes: one dictionary of a rule or an expectation, all of whose keys must match.
/// (docs/diff.md, section 4)
package struct ChangeMatch: Hashable, Sendable {
    /// The test of one column of a row.
    package struct RowTest: Hashable, Sendable {
        package let column: PlistString
        package let form: MatchForm
    }

    package let entries: PlistDictionary
    /// The pattern for the path; nil matches any path. The other optional properties work in the same way.
    package let path: Glob?
    package let pointer: MatchPointerPattern?
    package let table: NamePattern?
    package let column: NamePattern?
    package let row: [RowTest]
    /// The pattern for the name of an extended attribute.
    let attribute: NamePattern?
    package let kinds: ChangeKinds?
    package let from: MatchForm?
    package let to: MatchForm?

    /// True if only details can match, and never an entry's own line.
    let needsDetail: Bool
    /// The kinds of which a matching detail must have at least one, given all keys of the match except ``kinds``.
    let places: ChangeKinds

    init(
        entries: PlistDictionary, path: Glob?, pointer: MatchPointerPattern?, table: NamePattern?, column: NamePattern?,
        row: [RowTest], attribute: NamePattern?, kinds: ChangeKinds?, from: MatchForm?, to: MatchForm?
    ) {
        self.attribute = attribute
        self.entries = entries
        self.path = path
        self.pointer = pointer
        self.table = table
        self.column = column
        self.row = row
        self.kinds = kinds
        self.from = from
        self.to = to
        let isAboutTables = table != nil || column != nil || !row.isEmpty
        var places = ChangeKinds.all
        if isAboutTables { places.formIntersection(table == nil && column == nil ? [.row, .schema, .cookie] : [.row, .schema]) }
        if attribute != nil { places.formIntersection(.metadata) }
        if pointer != nil { places.formIntersection([.value, .encoding, .row]) }
        if from != nil || to != nil { places.formIntersection([.value, .row, .schema, .cookie, .metadata, .encoding]) }
        self.places = places
        needsDetail = pointer != nil || isAboutTables || attribute != nil || from != nil || to != nil
    }

    /// Returns the match with what `recent` means for a container of this time.
    func bound(to captured: Double?) -> ChangeMatch {
        guard captured != nil, ([from, to] + row.map(\.form)).contains(where: { $0?.shape == .recent }) else { return self }
        func bound(_ form: MatchForm) -> MatchForm {
            var form = form
            form.captured = captured
            return form
        }
        return ChangeMatch(
            entries: entries, path: path, pointer: pointer, table: table, column: column,
            row: row.map { RowTest(column: $0.column, form: bound($0.form)) }, attribute: attribute, kinds: kinds,
            from: from.map(bound), to: to.map(bound))
    }

    var isAboutPathsAlone: Bool { !needsDetail && kinds == nil }

    /// - Parameter names: the names that the match may use for the table; nil if only the row shows them.
    func mayConcern(tables names: [String]?) -> Bool {
        guard mayFit([.row, .added, .deleted, .modified]) else { return false }
        guard let table, let names else { return true }
        return names.contains { table.matches($0) }
    }

    /// Returns true if a detail of these kinds may match. For a place in a column, pass the kinds of its row.
    @inline(__always)
    func mayFit(_ found: ChangeKinds) -> Bool {
        // Every rule is asked about every change, so this compares bits.
        guard places.rawValue & found.rawValue != 0 else { return false }
        guard let kinds, found.rawValue & ChangeKinds.row.rawValue == 0 else { return true }
        return kinds.rawValue & found.rawValue != 0
    }
}

/// The kinds that rules and expectations use for changes: the subject of a change, and the operation on it.
/// (docs/diff.md, section 4)
package struct ChangeKinds: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let added = ChangeKinds(rawValue: 1 << 0)
    package static let deleted = ChangeKinds(rawValue: 1 << 1)
    package static let modified = ChangeKinds(rawValue: 1 << 2)
    package static let renamed = ChangeKinds(rawValue: 1 << 3)
    /// An entry of a different type, such as a link in place of a file.
    package static let type = ChangeKinds(rawValue: 1 << 4)
    package static let order = ChangeKinds(rawValue: 1 << 5)
    package static let value = ChangeKinds(rawValue: 1 << 6)
    package static let row = ChangeKinds(rawValue: 1 << 7)
    package static let schema = ChangeKinds(rawValue: 1 << 8)
    package static let text = ChangeKinds(rawValue: 1 << 9)
    /// Bytes without any known structure.
    package static let bytes = ChangeKinds(rawValue: 1 << 10)
    package static let image = ChangeKinds(rawValue: 1 << 11)
    package static let cookie = ChangeKinds(rawValue: 1 << 12)
    package static let metadata = ChangeKinds(rawValue: 1 << 13)
    package static let encoding = ChangeKinds(rawValue: 1 << 14)

    static let all = ChangeKinds(rawValue: (1 << 15) - 1)

    /// The word for each kind, in the order in which the kinds are explained.
    static let words: [(word: String, kind: ChangeKinds)] = [
        ("added", .added), ("deleted", .deleted), ("modified", .modified), ("renamed", .renamed), ("type", .type),
        ("order", .order), ("value", .value), ("row", .row), ("schema", .schema), ("text", .text), ("bytes", .bytes),
        ("image", .image), ("cookie", .cookie), ("metadata", .metadata), ("encoding", .encoding),
    ]

    package init?(word: String) {
        guard let known = Self.words.first(where: { $0.word == word }) else { return nil }
        self = known.kind
    }

    var words: [String] { Self.words.filter { contains($0.kind) }.map(\.word) }
}

extension ChangeOperation {
    var kinds: ChangeKinds {
        switch self {
        case .added: .added
        case .deleted: .deleted
        case .modified: .modified
        }
    }
}

extension PlistChange {
    var kinds: ChangeKinds {
        switch kind {
        case .added: [.value, .added]
        case .deleted: [.value, .deleted]
        case .modified: [.value, .modified]
        case .order: [.value, .order]
        case .encoding: [.encoding, .modified]
        }
    }
}

extension ChangeDetail {
    /// The kinds of the detail. A detail without an operation counts as modified. The set is empty if the detail is not a change.
    var kinds: ChangeKinds {
        switch content {
        case .value(let change): change.kinds
        case .row(let change): [.row, change.operation.kinds]
        case .schema(let change): [.schema, change.operation.kinds]
        case .cookie(let change): [.cookie, change.operation.kinds]
        case .text: [.text, .modified]
        case .bytes: [.bytes, .modified]
        case .image: [.image, .modified]
        case .metadata: [.metadata, .modified]
        case .encoding: [.encoding, .modified]
        case .fallback, .limit: []
        }
    }
}

extension ChangeMatch: CustomStringConvertible {
    /// The keys of the match on one line, as far as it has them:
    /// `Library/Preferences/com.x.plist /onboarding/done: false → true (modified)`.
    package var description: String {
        var text = placeText
        if from != nil || to != nil {
            text += (text.isEmpty ? "" : ": ") + sides
        }
        if let kinds { text += (text.isEmpty ? "" : " ") + "(\(Suggestions.alternatives(kinds.words)))" }
        return text
    }

    func wanted(withKinds: Bool) -> String {
        let hasSides = from != nil || to != nil
        let words = kinds.flatMap { withKinds || !hasSides ? "(\(Suggestions.alternatives($0.words)))" : nil }
        return [hasSides ? sides : nil, words].compactMap { $0 }.joined(separator: " ")
    }

    var namesOnePath: Bool { path?.literal != nil }

    var placeText: String {
        var words: [String] = []
        for key: PlistString in ["Path", "Pointer", "Table", "Row", "Column", "Attribute"] {
            switch entries[key] {
            case nil: break
            case .string(let text)?: words.append(text.isEmpty ? "(root)" : text.string)
            case let value?: words.append(value.line(length: 64, values: 12))
            }
        }
        return words.joined(separator: " ")
    }

    /// The old and the new value, `false → true`; of an added or deleted value only the one that there is.
    private var sides: String {
        let old = entries["From"].map(Self.text)
        let new = (entries["To"] ?? entries["Value"]).map(Self.text)
        if let new, old == nil, kinds == .added { return new }
        if let old, new == nil, kinds == .deleted { return old }
        return [old, new].map { $0 ?? "…" }.joined(separator: " → ")
    }

    private static func text(of form: PlistValue) -> String {
        guard let entries = form.dictionary else { return form.line(length: 64, values: 12) }
        let words = entries.map { key, value in
            switch key {
            case "Is": Self.words(forShape: value.string?.string ?? "")
            case "Like": "like \(value.line(length: 64))"
            case "Min": "at least \(value.line())"
            case "Max": "at most \(value.line())"
            case "Digest": "SHA-256 \(value.string?.string.prefix(8) ?? "")…"
            default: value.line(length: 64, values: 12)
            }
        }
        return words.joined(separator: ", ")
    }

    /// Returns `any date` for `date`, so that it does not look like a value. Returns `absent` and `null` unchanged.
    private static func words(forShape shape: String) -> String {
        if shape == MatchForm.Shape.recent.rawValue { return "a date of the run" }
        return [MatchForm.Shape.absent.rawValue, MatchForm.Shape.null.rawValue].contains(shape) ? shape : "any \(shape)"
    }
}

/// The matches whose paths fit an entry, indexed so that a document with many places need not be tested against all of them.
struct MatchCandidates: Sendable {
    private enum Key: Hashable {
        case place([PlistString])
        case cell(PlistString, PlistValue)
    }

    /// The number of matches up to which all of them are tested one by one.
    private static let few = 16

    let all: [Int]
    /// The matches for one place or one cell; nil if there are few matches.
    private var exact: [Key: [Int]]?
    private var rest: [Int] = []
    /// The matches with a pointer to one place, by each place above it; nil if there are few matches.
    private var below: [[PlistString]: [Int]]?
    private var patterns: [Int] = []

    init(_ all: [Int], match: (Int) -> ChangeMatch) {
        self.all = all
        guard all.count > Self.few else { return }
        var exact: [Key: [Int]] = [:]
        for number in all {
            if let key = Self.key(of: match(number)) {
                exact[key, default: []].append(number)
            } else {
                rest.append(number)
            }
        }
        self.exact = exact
        var below: [[PlistString]: [Int]] = [:]
        for number in all {
            guard let pointer = match(number).pointer else { continue }
            if let place = pointer.literal {
                for length in place.indices { below[Array(place[..<length]), default: []].append(number) }
            } else {
                patterns.append(number)
            }
        }
        self.below = below
    }

    /// Returns the matches that may fit a place inside a value that the part reports as a whole.
    func candidates(inside part: DetailPart) -> [Int] {
        let place: [PlistString]
        switch part {
        case .whole(let detail):
            switch detail.content {
            case .value(let change) where change.mayHavePlaces: place = change.pointer.steps
            case .row(let row) where row.operation != .modified && row.columns.contains(where: \.mayHavePlaces): place = []
            default: return []
            }
        case .column(_, _, let nested?) where nested.mayHavePlaces: place = nested.pointer.steps
        case .column: return []
        }
        guard let below else { return all }
        return ((below[place] ?? []) + patterns).sorted()
    }

    private static func key(of match: ChangeMatch) -> Key? {
        for test in match.row {
            if test.form.shape != .recent, let value = test.form.equals { return .cell(test.column, value) }
        }
        return match.pointer?.literal.map { .place($0) }
    }

    func candidates(for part: DetailPart) -> [Int] {
        guard let exact else { return all }
        var found = rest
        for key in Self.keys(of: part) {
            if let more = exact[key] { found += more }
        }
        return found.count == rest.count ? rest : Set(found).sorted()
    }

    private static func keys(of part: DetailPart) -> [Key] {
        let row: RowChange
        var keys: [Key] = []
        switch part {
        case .whole(let detail):
            if case .value(let change) = detail.content { return [.place(change.pointer.steps)] }
            if case .cookie(let change) = detail.content {
                return change.record.compactMap { name, value in value.whole.map { .cell(PlistString(name), $0) } }
            }
            guard case .row(let whole) = detail.content else { return [] }
            row = whole
        case .column(let whole, _, let nested):
            row = whole
            if let nested { keys.append(.place(nested.pointer.steps)) }
        }
        for key in row.key {
            if let value = key.value.whole { keys.append(.cell(PlistString(key.column), value)) }
        }
        for column in row.columns + row.nulls {
            guard let value = (column.new ?? column.old ?? .value(.null)).whole else { continue }
            keys.append(.cell(PlistString(column.name), value))
            if let attribute = column.attribute { keys.append(.cell(PlistString(attribute), value)) }
        }
        return keys
    }
}

extension PlistChange {
    fileprivate var mayHavePlaces: Bool {
        if case .order = kind { return false }
        return [old, new].contains { $0?.mayHavePlaces ?? false }
    }
}

extension RowChange.Column {
    fileprivate var mayHavePlaces: Bool {
        [old, new].contains { shown in
            if case .string? = shown?.whole { return true }
            return shown?.whole?.mayHavePlaces ?? false
        }
    }
}

extension PlistValue {
    fileprivate var mayHavePlaces: Bool {
        switch self {
        case .dictionary, .array, .data: true
        default: false
        }
    }
}

/// Finds the matches that a path may fit. All matches with a complete path take one lookup; patterns are tested one by one.
struct PathTable: Sendable {
    /// A match with a pattern for its path, or for any path.
    private struct Pattern: Sendable {
        let number: Int
        /// The range in ``prefixes`` of the bytes that every matching path begins with.
        let prefix: Range<Int>
        /// The pattern for the whole path; nil if every path with the prefix matches.
        let glob: Glob?
    }

    /// The numbers of the matches with a complete path, by that path.
    private var exact: [[UInt8]: [Int]] = [:]
    private var patterns: [Pattern] = []
    /// The prefixes of all patterns, concatenated. They rule out most patterns for most paths.
    private var prefixes: [UInt8] = []

    init(_ matches: some Sequence<ChangeMatch>) {
        for (number, match) in matches.enumerated() {
            if let path = match.path?.literal {
                exact[path, default: []].append(number)
                continue
            }
            let start = prefixes.count
            prefixes += match.path?.prefix ?? []
            let isDecided = match.path?.steps == [.deepRun]
            patterns.append(Pattern(number: number, prefix: start..<prefixes.count, glob: isDecided ? nil : match.path))
        }
    }

    func candidates(for path: RelativePath) -> [Int] {
        var found: [Int] = []
        path.bytes.withUnsafeBufferPointer { path in
            prefixes.withUnsafeBufferPointer { prefixes in
                patterns.withUnsafeBufferPointer { patterns in
                    for index in patterns.indices where begins(path, with: prefixes, patterns[index].prefix) {
                        if patterns[index].glob?.matches(path) ?? true { found.append(patterns[index].number) }
                    }
                }
            }
        }
        guard !exact.isEmpty, let whole = exact[path.bytes] else { return found }
        return found.isEmpty ? whole : (found + whole).sorted()
    }

    @inline(__always)
    private func begins(
        _ path: UnsafeBufferPointer<UInt8>, with prefixes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> Bool {
        guard range.count <= path.count else { return false }
        for index in range where prefixes[index] != path[index &- range.lowerBound] { return false }
        return true
    }
}
