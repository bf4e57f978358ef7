public import CapsulePropertyList

/// Picks changes out: one dictionary of a rule or an expectation, all of whose keys have to hold.
/// (design: grammar.md, "Match")
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
        needsDetail = pointer != nil || table != nil || column != nil || !row.isEmpty || from != nil || to != nil
    }

    /// Whether all lines of an entry fit whose path does, whatever they are.
    var isAboutPathsAlone: Bool { !needsDetail && kinds == nil }
}
