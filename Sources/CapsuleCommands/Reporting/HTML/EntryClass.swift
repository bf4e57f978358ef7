import CapsuleCore

/// What became of an entry, as a report sorts it: the first that applies of type, renamed, added, deleted, modified,
/// encoding only and metadata only.
enum EntryClass: Int, CaseIterable {
    case added
    case deleted
    case modified
    case renamed
    case type
    case encoding
    case metadata

    init(_ entry: EntryChange) {
        switch entry.kind {
        case .added: self = .added
        case .deleted: self = .deleted
        case .renamed: self = .renamed
        case .type: self = .type
        case .modified:
            let words = Set(entry.details.lazy.filter(\.isChange).map(\.word))
            if words == ["metadata"] {
                self = .metadata
            } else if !words.isEmpty, words.isSubset(of: ["encoding", "metadata"]) {
                self = .encoding
            } else {
                self = .modified
            }
        }
    }

    /// For people.
    var word: StaticString {
        switch self {
        case .added: "added"
        case .deleted: "deleted"
        case .modified: "modified"
        case .renamed: "renamed"
        case .type: "type changed"
        case .encoding: "encoding only"
        case .metadata: "metadata only"
        }
    }

    /// One character, so that colour is not the only sign.
    var symbol: StaticString {
        switch self {
        case .added: "+"
        case .deleted: "\u{2212}"
        case .modified: "~"
        case .renamed: "\u{2192}"
        case .type: "\u{21C4}"
        case .encoding: "\u{2261}"
        case .metadata: "\u{25CB}"
        }
    }

    /// What style and script know it by.
    var letter: StaticString {
        switch self {
        case .added: "a"
        case .deleted: "d"
        case .modified: "m"
        case .renamed: "r"
        case .type: "t"
        case .encoding: "e"
        case .metadata: "p"
        }
    }
}
