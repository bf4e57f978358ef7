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
