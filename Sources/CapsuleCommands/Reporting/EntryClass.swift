import CapsuleCore
import CapsuleRules

/// The class of a changed entry in a report: the first that applies of type, renamed, added, deleted, modified, encoding only and metadata
/// only.
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
            let changes = entry.unshown.isEmpty ? entry.details.filter(\.isChange) : []
            let words = Set(changes.map(\.word))
            if words == ["metadata"] {
                self = entry.hasSameContent || entry.saysTheSame ? .metadata : .modified
            } else if !words.isEmpty, words.isSubset(of: ["encoding", "metadata"]), !changes.contains(where: { $0.isNested }) {
                self = .encoding
            } else {
                self = .modified
            }
        }
    }

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

    /// The symbol, so that color is not the only indication.
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

    /// The letter that the style sheet and the script of a page use; the capital letter is that of `--name-status`.
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

extension EntryChange {
    /// True if both sides have the same content and the same link target.
    fileprivate var hasSameContent: Bool {
        guard let old, let new else { return false }
        return old.size == new.size && old.digest == new.digest && old.target == new.target
    }

    /// True if the contents were fully compared and their values are equal, as in a renumbered archive.
    fileprivate var saysTheSame: Bool { handler != nil && !details.contains { $0.isGap } }
}

extension ChangeDetail {
    /// True if the change is at a place inside the content.
    fileprivate var isNested: Bool {
        if case .value = content { true } else { false }
    }
}
