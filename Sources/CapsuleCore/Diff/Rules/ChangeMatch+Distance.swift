import CapsulePropertyList

/// How far a change is from fitting a match, the nearest first.
enum MatchDistance: Int, Comparable {
    /// The place fits and so does what became of it: a value doesn't.
    case otherValue
    /// The place fits: something else became of it.
    case otherOperation
    /// The match asks for what is inside of a file that came, went or moved as a whole.
    case wholeFile
    /// Another row of the table changed in just that way.
    case otherRow
    /// Another row of the table changed so, to other values.
    case otherRowAndValue

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension ChangeMatch {
    /// How far an entry's own line is from fitting, of an entry whose path does; nil where it has nothing to do with the match.
    func distance(to entry: EntryChange) -> MatchDistance? {
        guard namesPath else { return nil }
        if needsDetail { return entry.kind == .modified ? nil : .wholeFile }
        return fitsLine(of: entry) ? nil : .otherOperation
    }

    /// How far a part of a line is from fitting, of an entry whose path does; nil where it is about another place.
    func distance(to part: DetailPart) -> MatchDistance? {
        switch part {
        case .whole(let detail):
            guard detail.isChange else { return nil }
            switch detail.content {
            case .value(let change):
                guard !isAboutTables, pointer?.matches(change.pointer.steps) ?? asksForSides else { return nil }
                return fits(detail.kinds) ? .otherValue : .otherOperation
            case .row(let row):
                guard pointer == nil, isAboutTables, column == nil || row.columns.contains(where: { fitsName(of: $0) }) else {
                    return nil
                }
                return distance(to: row, detail.kinds) {
                    row.columns.contains { fitsName(of: $0) && fits(($0.old, $0.new), false) }
                }
            case .metadata, .encoding, .cookie:
                return pointer == nil && !isAboutTables && asksForSides && fits(detail.kinds) ? .otherValue : nil
            case .schema, .text, .bytes, .image, .fallback, .limit:
                return nil
            }
        case .column(let row, let column, let nested):
            guard isAboutTables || pointer != nil, fitsName(of: column) else { return nil }
            let kinds: ChangeKinds = [.row, row.operation.kinds]
            guard let pointer else { return distance(to: row, kinds) { fits((column.old, column.new), false) } }
            guard let nested, pointer.matches(nested.pointer.steps) else { return nil }
            return distance(to: row, kinds.union(nested.kinds)) { fits(nested.sides, false) }
        }
    }

    /// - Parameter hasValues: whether the values fit.
    private func distance(to found: RowChange, _ kinds: ChangeKinds, _ hasValues: () -> Bool) -> MatchDistance? {
        guard table.map({ table in found.tableNames.contains { table.matches($0) } }) ?? true else { return nil }
        let hasKind = fits(kinds)
        if fitsPlace(of: found, false) { return hasKind ? .otherValue : .otherOperation }
        guard hasKind else { return nil }
        return from == nil && to == nil || hasValues() ? .otherRow : .otherRowAndValue
    }

    private var asksForSides: Bool { from != nil || to != nil }

    /// Whether it names a path, and not all in a directory or in the container.
    private var namesPath: Bool { path.map { $0.steps.last != .deepRun } ?? false }
}
