/// What rules and expectations call changes: the kinds of lines, and what became of what a line is about.
/// (design: grammar.md, "Match")
public struct ChangeKinds: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    /// Takes a set of bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let added = ChangeKinds(rawValue: 1 << 0)
    public static let deleted = ChangeKinds(rawValue: 1 << 1)
    public static let modified = ChangeKinds(rawValue: 1 << 2)
    public static let renamed = ChangeKinds(rawValue: 1 << 3)
    public static let type = ChangeKinds(rawValue: 1 << 4)
    public static let order = ChangeKinds(rawValue: 1 << 5)
    public static let value = ChangeKinds(rawValue: 1 << 6)
    public static let row = ChangeKinds(rawValue: 1 << 7)
    public static let schema = ChangeKinds(rawValue: 1 << 8)
    public static let text = ChangeKinds(rawValue: 1 << 9)
    public static let bytes = ChangeKinds(rawValue: 1 << 10)
    public static let image = ChangeKinds(rawValue: 1 << 11)
    public static let cookie = ChangeKinds(rawValue: 1 << 12)
    public static let metadata = ChangeKinds(rawValue: 1 << 13)
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
