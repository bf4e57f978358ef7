public import CapsulePropertyList

/// Picks changes out: one dictionary of a rule or an expectation, all of whose keys have to hold.
/// (docs/diff.md, section 4)
public struct ChangeMatch: Hashable, Sendable {
    /// What is asked of one column of a row.
    struct RowTest: Hashable, Sendable {
        let column: PlistString
        let form: MatchForm
    }

    /// The keys that say what fits, as they were written.
    public let entries: PlistDictionary
    /// nil for any path, as for the others.
    let path: Glob?
    let pointer: PlacePattern?
    let table: NamePattern?
    let column: NamePattern?
    let row: [RowTest]
    let kinds: ChangeKinds?
    let from: MatchForm?
    let to: MatchForm?

    /// Whether only lines about what is inside of an entry can fit.
    let needsDetail: Bool
    /// What a line is of necessity that fits, whatever else it is; ``kinds`` apart.
    let places: ChangeKinds

    init(
        entries: PlistDictionary, path: Glob?, pointer: PlacePattern?, table: NamePattern?, column: NamePattern?, row: [RowTest],
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

    /// Whether all lines of an entry fit whose path does, whatever they are.
    var isAboutPathsAlone: Bool { !needsDetail && kinds == nil }

    /// Whether a row of a table may fit.
    ///
    /// - Parameter names: what the match may call the table; nil if only the row tells.
    func mayConcern(tables names: [String]?) -> Bool {
        guard mayFit([.row, .added, .deleted, .modified]) else { return false }
        guard let table, let names else { return true }
        return names.contains { table.matches($0) }
    }

    /// Whether a line of these kinds may fit; of a place in a column, those are its row's.
    @inline(__always)
    func mayFit(_ found: ChangeKinds) -> Bool {
        !places.isDisjoint(with: found) && (found.contains(.row) || kinds.map { !$0.isDisjoint(with: found) } ?? true)
    }
}

/// What rules and expectations call changes: the kinds of lines, and what became of what a line is about.
/// (docs/diff.md, section 4)
public struct ChangeKinds: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    /// Takes a set of bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// What the newer side alone has.
    public static let added = ChangeKinds(rawValue: 1 << 0)
    /// What the older side alone has.
    public static let deleted = ChangeKinds(rawValue: 1 << 1)
    /// What both sides have, with other content.
    public static let modified = ChangeKinds(rawValue: 1 << 2)
    /// An entry that has another path.
    public static let renamed = ChangeKinds(rawValue: 1 << 3)
    /// An entry that is of another kind, a link in place of a file.
    public static let type = ChangeKinds(rawValue: 1 << 4)
    /// Elements of an array in another order.
    public static let order = ChangeKinds(rawValue: 1 << 5)
    /// A place of a property list or of JSON.
    public static let value = ChangeKinds(rawValue: 1 << 6)
    /// A row of a table.
    public static let row = ChangeKinds(rawValue: 1 << 7)
    /// A table, index, view or trigger.
    public static let schema = ChangeKinds(rawValue: 1 << 8)
    /// Lines of a text.
    public static let text = ChangeKinds(rawValue: 1 << 9)
    /// Bytes that nothing more is known of.
    public static let bytes = ChangeKinds(rawValue: 1 << 10)
    /// The format or the size of an image.
    public static let image = ChangeKinds(rawValue: 1 << 11)
    /// A cookie.
    public static let cookie = ChangeKinds(rawValue: 1 << 12)
    /// Mode, attributes or times.
    public static let metadata = ChangeKinds(rawValue: 1 << 13)
    /// The same content, written in another way.
    public static let encoding = ChangeKinds(rawValue: 1 << 14)

    /// All of them.
    static let all = ChangeKinds(rawValue: (1 << 15) - 1)

    /// The words, in the order in which they are explained.
    static let words: [(word: String, kind: ChangeKinds)] = [
        ("added", .added), ("deleted", .deleted), ("modified", .modified), ("renamed", .renamed), ("type", .type),
        ("order", .order), ("value", .value), ("row", .row), ("schema", .schema), ("text", .text), ("bytes", .bytes),
        ("image", .image), ("cookie", .cookie), ("metadata", .metadata), ("encoding", .encoding),
    ]

    /// The kind of a word; nil for a word that is none.
    init?(word: String) {
        guard let known = Self.words.first(where: { $0.word == word }) else { return nil }
        self = known.kind
    }

    /// The words of the kinds.
    var words: [String] { Self.words.filter { contains($0.kind) }.map(\.word) }
}

extension EntryChange {
    /// What an entry's own line is.
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
    /// What a line about a place of a property list is.
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
    /// What the line is. One that has no operation tells of something that was modified; one that tells of no change is nothing.
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
    /// `Library/Preferences/com.x.plist /onboarding/done: false → true (modified)`, as far as it names those.
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
            let sides = [entries["From"], entries["To"] ?? entries["Value"]].map { $0.map(Self.text) ?? "…" }
            text += (text.isEmpty ? "" : ": ") + sides.joined(separator: " → ")
        }
        if let kinds { text += (text.isEmpty ? "" : " ") + "(\(Suggestions.alternatives(kinds.words)))" }
        return text
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

    /// `any date`, so that it does not look like a value; `absent` and `null` are none.
    private static func words(forShape shape: String) -> String {
        [MatchForm.Shape.absent.rawValue, MatchForm.Shape.null.rawValue].contains(shape) ? shape : "any \(shape)"
    }
}
