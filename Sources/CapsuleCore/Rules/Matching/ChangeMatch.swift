public import CapsulePropertyList

/// Selects changes: one dictionary of a rule or an expectation, all of whose keys must match.
/// (docs/diff.md, section 4)
public struct ChangeMatch: Hashable, Sendable {
    /// The test of one column of a row.
    struct RowTest: Hashable, Sendable {
        let column: PlistString
        let form: MatchForm
    }

    /// The keys of the match, as they were written.
    public let entries: PlistDictionary
    /// The pattern for the path; nil matches any path. The other optional properties work in the same way.
    let path: Glob?
    let pointer: MatchPointerPattern?
    let table: NamePattern?
    let column: NamePattern?
    let row: [RowTest]
    let kinds: ChangeKinds?
    let from: MatchForm?
    let to: MatchForm?

    /// True if only details can match, and never an entry's own line.
    let needsDetail: Bool
    /// The kinds of which a matching detail must have at least one, given all keys of the match except ``kinds``.
    let places: ChangeKinds

    init(
        entries: PlistDictionary, path: Glob?, pointer: MatchPointerPattern?, table: NamePattern?, column: NamePattern?,
        row: [RowTest],
        kinds: ChangeKinds?, from: MatchForm?, to: MatchForm?
    ) {
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
        if isAboutTables { places.formIntersection([.row, .schema]) }
        if pointer != nil { places.formIntersection([.value, .encoding, .row]) }
        if from != nil || to != nil { places.formIntersection([.value, .row, .schema, .cookie, .metadata, .encoding]) }
        self.places = places
        needsDetail = pointer != nil || isAboutTables || from != nil || to != nil
    }

    /// True if every line of an entry matches, provided that the entry's path does.
    var isAboutPathsAlone: Bool { !needsDetail && kinds == nil }

    /// Returns true if a row of a table may match.
    ///
    /// - Parameter names: the names that the match may use for the table; nil if only the row shows them.
    func mayConcern(tables names: [String]?) -> Bool {
        guard mayFit([.row, .added, .deleted, .modified]) else { return false }
        guard let table, let names else { return true }
        return names.contains { table.matches($0) }
    }

    /// Returns true if a detail of these kinds may match. For a place in a column, pass the kinds of its row.
    @inline(__always)
    func mayFit(_ found: ChangeKinds) -> Bool {
        !places.isDisjoint(with: found) && (found.contains(.row) || kinds.map { !$0.isDisjoint(with: found) } ?? true)
    }
}

/// The kinds that rules and expectations use for changes: the subject of a change, and the operation on it.
/// (docs/diff.md, section 4)
public struct ChangeKinds: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    /// Creates a set from its bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Something that only the newer side has.
    public static let added = ChangeKinds(rawValue: 1 << 0)
    /// Something that only the older side has.
    public static let deleted = ChangeKinds(rawValue: 1 << 1)
    /// Something that both sides have, with different content.
    public static let modified = ChangeKinds(rawValue: 1 << 2)
    /// An entry with a different path.
    public static let renamed = ChangeKinds(rawValue: 1 << 3)
    /// An entry of a different type, such as a link in place of a file.
    public static let type = ChangeKinds(rawValue: 1 << 4)
    /// Elements of an array in a different order.
    public static let order = ChangeKinds(rawValue: 1 << 5)
    /// A place in a property list or in JSON.
    public static let value = ChangeKinds(rawValue: 1 << 6)
    /// A row of a table.
    public static let row = ChangeKinds(rawValue: 1 << 7)
    /// A table, index, view or trigger.
    public static let schema = ChangeKinds(rawValue: 1 << 8)
    /// Lines of a text.
    public static let text = ChangeKinds(rawValue: 1 << 9)
    /// Bytes without any known structure.
    public static let bytes = ChangeKinds(rawValue: 1 << 10)
    /// The format or the size of an image.
    public static let image = ChangeKinds(rawValue: 1 << 11)
    /// A cookie.
    public static let cookie = ChangeKinds(rawValue: 1 << 12)
    /// Mode, attributes or times.
    public static let metadata = ChangeKinds(rawValue: 1 << 13)
    /// The same content, written in a different way.
    public static let encoding = ChangeKinds(rawValue: 1 << 14)

    /// The set of all kinds.
    static let all = ChangeKinds(rawValue: (1 << 15) - 1)

    /// The word for each kind, in the order in which the kinds are explained.
    static let words: [(word: String, kind: ChangeKinds)] = [
        ("added", .added), ("deleted", .deleted), ("modified", .modified), ("renamed", .renamed), ("type", .type),
        ("order", .order), ("value", .value), ("row", .row), ("schema", .schema), ("text", .text), ("bytes", .bytes),
        ("image", .image), ("cookie", .cookie), ("metadata", .metadata), ("encoding", .encoding),
    ]

    /// Creates the kind for a word, or returns nil if the word is not a kind.
    init?(word: String) {
        guard let known = Self.words.first(where: { $0.word == word }) else { return nil }
        self = known.kind
    }

    /// The words for the kinds in the set.
    var words: [String] { Self.words.filter { contains($0.kind) }.map(\.word) }
}

extension EntryChange {
    /// The kind of the entry's own line.
    var kinds: ChangeKinds {
        switch kind {
        case .added: .added
        case .deleted: .deleted
        case .modified: .modified
        case .renamed: .renamed
        case .type: .type
        }
    }
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
    /// The kinds of a change at a place of a property list.
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
    public var description: String {
        var words: [String] = []
        for key: PlistString in ["Path", "Pointer", "Table", "Row", "Column"] {
            switch entries[key] {
            case nil: break
            case .string(let text)?: words.append(text.isEmpty ? "(root)" : text.string)
            case let value?: words.append(value.line(length: 64, values: 12))
            }
        }
        var text = words.joined(separator: " ")
        if from != nil || to != nil {
            text += (text.isEmpty ? "" : ": ") + sides
        }
        if let kinds { text += (text.isEmpty ? "" : " ") + "(\(Suggestions.alternatives(kinds.words)))" }
        return text
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
            default: value.line(length: 64, values: 12)
            }
        }
        return words.joined(separator: ", ")
    }

    /// Returns `any date` for `date`, so that it does not look like a value. Returns `absent` and `null` unchanged.
    private static func words(forShape shape: String) -> String {
        [MatchForm.Shape.absent.rawValue, MatchForm.Shape.null.rawValue].contains(shape) ? shape : "any \(shape)"
    }
}
