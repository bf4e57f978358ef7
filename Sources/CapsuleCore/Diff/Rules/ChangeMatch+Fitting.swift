import CapsulePropertyList

extension ChangeMatch {
    /// Whether an entry's own line fits.
    public func fits(_ entry: EntryChange) -> Bool { fitsPath(of: entry) && fitsLine(of: entry) }

    /// Whether a line about what is inside of an entry fits; of a row that was modified, whether any changed column does.
    public func fits(_ detail: ChangeDetail, of entry: EntryChange) -> Bool {
        guard fitsPath(of: entry) else { return false }
        let parts = DetailPart.parts(of: detail)
        return parts.contains { fits($0) }
    }

    /// Whether the path fits, of an entry that was renamed one of the two.
    func fitsPath(of entry: EntryChange) -> Bool {
        guard let path else { return true }
        if path.matches(entry.path) { return true }
        guard case .renamed(let from) = entry.kind else { return false }
        return path.matches(from)
    }

    /// Whether the own line of an entry fits whose path does.
    func fitsLine(of entry: EntryChange) -> Bool {
        !needsDetail && kinds.map { !$0.isDisjoint(with: entry.kinds) } ?? true
    }

    /// Whether a part of a line fits, of an entry whose path does.
    ///
    /// - Parameter assumesUnknown: whether values that are hidden or cut are taken to fit, as far as what is known of them does.
    func fits(_ part: DetailPart, assumingUnknown assumesUnknown: Bool = false) -> Bool {
        switch part {
        case .whole(let detail): fits(whole: detail, assumesUnknown)
        case .column(let row, let column, let nested): fits(column, nested, of: row, assumesUnknown)
        }
    }

    /// Whether it asks for values, of which some are not known.
    var asksForValues: Bool { pointer != nil || from != nil || to != nil || !row.isEmpty }

    private func fits(whole detail: ChangeDetail, _ assumesUnknown: Bool) -> Bool {
        guard detail.isChange else { return false }
        if assumesUnknown, case .value(let change) = detail.content, change.nestedGap != nil, !isAboutTables,
            mayFit(inDataAt: change.pointer.steps)
        {
            return true
        }
        guard fits(detail.kinds) else { return false }
        switch detail.content {
        case .value(let change):
            return !isAboutTables && pointer?.matches(change.pointer.steps) ?? true && fits(change.sides, assumesUnknown)
        case .row(let row):
            return fits(whole: row, assumesUnknown)
        case .schema(let change):
            guard pointer == nil, column == nil, row.isEmpty else { return false }
            if let table {
                // A rule about a table's rows says nothing of the table.
                let isTable = ["table", "virtual table"].contains(change.object)
                guard isTable, kinds?.contains(.schema) ?? false else { return false }
                guard change.tableNames.contains(where: { table.matches($0) }) else { return false }
            }
            return fits((change.old.map { .text($0) }, change.new.map { .text($0) }), assumesUnknown)
        case .cookie(let change):
            let value = change.fields.first { $0.name == "value" }
            return !isAboutPlaces && fits((value?.old, value?.new), assumesUnknown)
        case .metadata(let change):
            return !isAboutPlaces && fits((change.old, change.new), assumesUnknown)
        case .encoding(let change):
            return !isAboutPlaces && fits((.text(change.old), .text(change.new)), assumesUnknown)
        case .text, .bytes, .image:
            return !needsDetail
        case .fallback, .limit:
            return false
        }
    }

    /// A row that one side alone has is more than any of its columns: a match that names a column or a value has to say that
    /// it means such rows.
    private func fits(whole row: RowChange, _ assumesUnknown: Bool) -> Bool {
        guard pointer == nil, fitsPlace(of: row, assumesUnknown) else { return false }
        guard column != nil || from != nil || to != nil else { return true }
        return kinds != nil && row.columns.contains { fitsName(of: $0) && fits(($0.old, $0.new), assumesUnknown) }
    }

    private func fits(_ column: RowChange.Column, _ nested: PlistChange?, of row: RowChange, _ assumesUnknown: Bool) -> Bool {
        guard fitsPlace(of: row, assumesUnknown), fitsName(of: column) else { return false }
        let rowKinds: ChangeKinds = [.row, row.operation.kinds]
        guard let pointer else { return fits(rowKinds) && fits((column.old, column.new), assumesUnknown) }
        if assumesUnknown, nested != nil, column.nestedGap != nil, mayFit(inDataAt: [], with: rowKinds) { return true }
        // What is not looked into may be any change of a place, in any of its kinds.
        guard let nested else { return assumesUnknown && column.nestedGap != nil && mayFit(inDataAt: [], with: rowKinds) }
        if assumesUnknown, nested.nestedGap != nil, mayFit(inDataAt: nested.pointer.steps, with: rowKinds) { return true }
        return fits(rowKinds.union(nested.kinds)) && pointer.matches(nested.pointer.steps) && fits(nested.sides, assumesUnknown)
    }

    var isAboutTables: Bool { table != nil || column != nil || !row.isEmpty }

    private var isAboutPlaces: Bool { pointer != nil || isAboutTables }

    func fits(_ found: ChangeKinds) -> Bool { kinds.map { !$0.isDisjoint(with: found) } ?? true }

    func fits(_ sides: (old: ShownValue?, new: ShownValue?), _ assumesUnknown: Bool) -> Bool {
        from?.fits(sides.old, assumesUnknown) ?? true && to?.fits(sides.new, assumesUnknown) ?? true
    }

    func fitsPlace(of change: RowChange, _ assumesUnknown: Bool) -> Bool {
        if let table, !change.tableNames.contains(where: { table.matches($0) }) { return false }
        return row.allSatisfy { test in test.form.fits(change.value(of: test.column.string), assumesUnknown) }
    }

    func fitsName(of found: RowChange.Column) -> Bool {
        guard let column else { return true }
        return column.matches(found.name) || found.attribute.map { column.matches($0) } ?? false
    }
}
