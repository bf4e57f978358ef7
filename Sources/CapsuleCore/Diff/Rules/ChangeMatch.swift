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
