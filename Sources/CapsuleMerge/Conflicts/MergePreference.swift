package import CapsuleCore
package import CapsulePropertyList
package import CapsuleRules

/// A side that wins conflicts: `--prefer ours|theirs[=MATCH]`.
package struct MergePreference: Hashable, Sendable {
    package enum Side: String, Hashable, Sendable, CaseIterable {
        /// The side that the result usually replaces.
        case ours
        /// The side that is merged into ours.
        case theirs
    }

    package let side: Side
    package let text: String
    /// The conflicts that the preference decides; nil for all, unless ``named`` is set.
    private let match: ChangeMatch?
    /// The conflicts that the preference decides, for kinds that only conflicts have.
    private let named: NamedKinds?

    private struct NamedKinds: Hashable {
        let kinds: Set<Conflict.Kind>
        /// The other requirements; nil for none.
        let match: ChangeMatch?
    }

    /// - Parameter match: the conflicts that the preference decides; nil for all.
    package init(_ side: Side, match: ChangeMatch? = nil, text: String) { self.init(side, match, nil, text: text) }

    private init(_ side: Side, _ match: ChangeMatch?, _ named: NamedKinds?, text: String) {
        self.side = side
        self.match = match
        self.named = named
        self.text = text
    }

    /// Creates a preference for one side in the conflicts that a match fits. It has the form of a rule's match, and its `Kind` may
    /// also name kinds of conflicts.
    package init(_ side: Side, matching value: PlistValue, text: String) throws(OverlayError) {
        let entries = value.dictionary ?? PlistDictionary()
        let words = entries["Kind"].map { $0.array ?? [$0] } ?? []
        try Self.check(kinds: words, isList: entries["Kind"]?.array != nil)
        // A word for both a kind of change and a kind of conflict means the change.
        let kinds = words.map { word in
            word.string.flatMap { ChangeKinds(word: $0.string) == nil ? Conflict.Kind(rawValue: $0.string) : nil }
        }
        guard kinds.contains(where: { $0 != nil }) else {
            self.init(side, match: try ChangeMatch(value), text: text)
            return
        }
        var others = entries
        others["Kind"] = nil
        let named = NamedKinds(
            kinds: Set(kinds.compactMap { $0 }), match: others.isEmpty ? nil : try ChangeMatch(.dictionary(others)))
        let left = zip(words, kinds).filter { $0.1 == nil }.map(\.0)
        others["Kind"] = .array(left)
        self.init(side, left.isEmpty ? nil : try ChangeMatch(.dictionary(others)), named, text: text)
    }

    private static func check(kinds words: [PlistValue], isList: Bool) throws(OverlayError) {
        for (number, word) in words.enumerated() {
            guard let word = word.string, ChangeKinds(word: word.string) == nil, Conflict.Kind(rawValue: word.string) == nil
            else {
                continue
            }
            let place = PlistPointer(steps: ["Kind"])
            throw ChangeMatch.unknownKind(
                word, in: isList ? place.appending(index: number) : place,
                others: Conflict.Kind.allCases.map(\.rawValue).filter { ChangeKinds(word: $0) == nil })
        }
    }

    var resolution: Resolution { side == .ours ? .ours : .theirs }

    package func concerns(_ conflict: Conflict) -> Bool {
        if let named, named.kinds.contains(conflict.kind), named.match?.fits(conflict) ?? true { return true }
        return match?.fits(conflict) ?? (named == nil)
    }
}

extension ChangeMatch {
    /// Returns true if a conflict matches, by its path, pointer, table, row, column and kind. `From` is compared with the base,
    /// `To` with either side.
    func fits(_ conflict: Conflict) -> Bool {
        if let path {
            guard let own = conflict.path, path.matches(own.bytes) else { return false }
        }
        if let pointer {
            guard let own = conflict.pointer, pointer.matches(own.steps) else { return false }
        }
        if let table {
            guard let own = conflict.table, table.matches(own) else { return false }
        }
        if let column {
            guard conflict.table != nil, let own = conflict.column, column.matches(own) else { return false }
        }
        for test in row {
            guard let own = conflict.row, test.form.fits(own[test.column].map { .value($0) }) else { return false }
        }
        if let kinds, kinds.isDisjoint(with: conflict.kinds) { return false }
        if let from, !from.fits(conflict.base.map { .value($0) }) { return false }
        if let to { return [conflict.ours, conflict.theirs].contains { to.fits($0.map { .value($0) }) } }
        return true
    }
}

extension Conflict {
    /// The kinds of change that rules and expectations use for the conflict: its place, and what either side did there, as in a
    /// diff from the base.
    var kinds: ChangeKinds {
        switch kind {
        case .value, .sequence, .row, .text, .encoding, .metadata:
            [ours, theirs].reduce(kind.kinds) { kinds, side in
                switch (base, side) {
                case (nil, _?): kinds.union(.added)
                case (_?, nil): kinds.union(.deleted)
                case (_?, _?): kinds.union(.modified)
                case (nil, nil): kinds
                }
            }
        case .order, .contents, .addAdd, .modifyDelete, .renameModify, .renameRename, .fileDirectory: kind.kinds
        }
    }
}

extension Conflict.Kind {
    /// The kinds of change that rules and expectations use for its place and, for whole files, for what was done to them.
    fileprivate var kinds: ChangeKinds {
        switch self {
        case .value, .sequence: .value
        case .order: [.value, .order]
        case .row: .row
        case .text: .text
        case .encoding: .encoding
        case .metadata: .metadata
        case .contents: [.bytes, .modified]
        case .addAdd: .added
        case .modifyDelete: [.modified, .deleted]
        case .renameModify: [.renamed, .modified]
        case .renameRename: .renamed
        case .fileDirectory: .type
        }
    }
}
