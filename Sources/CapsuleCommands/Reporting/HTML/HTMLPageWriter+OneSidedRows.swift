import CapsuleCore

extension HTMLPageWriter {
    /// Rows that one side alone has: a line for each, the table's columns side by side.
    mutating func oneSided(_ details: ArraySlice<ChangeDetail>) {
        let rows = details.compactMap { detail -> (row: RowChange, noise: NoiseClass?)? in
            guard case .row(let row) = detail.content, row.operation != .modified else { return nil }
            return (row, detail.noise)
        }
        if rows.isEmpty { return }
        let columns = RowColumns(rows.lazy.map { $0.row })
        let isGrid = columns.columns.count <= Self.widestGrid
        let isNoise = rows.allSatisfy { $0.noise != nil }
        openRows(isGrid ? "grid" : "edits", "Added and deleted rows", scrolls: isGrid, isNoise: isNoise)
        let names = Self.keyNames(rows.lazy.map { $0.row })
        out.raw("<thead><tr>")
        keyHead(names)
        guard isGrid else { return list(rows, showsNames: names == nil) }
        for column in columns.columns {
            out.raw(column.isOwn ? "<th scope=\"col\" class=\"own\">" : "<th scope=\"col\">")
            name(of: column.column)
            out.raw("</th>")
        }
        out.raw("</tr></thead><tbody>\n")
        for (row, noise) in rows {
            line(row, noise: noise, columns, showsNames: names == nil)
        }
        out.raw("</tbody>")
        closeTable()
    }

    /// More columns than these are listed below each other, those that are not NULL.
    private static let widestGrid = 64

    private mutating func list(_ rows: [(row: RowChange, noise: NoiseClass?)], showsNames: Bool) {
        out.raw("<th scope=\"col\">Values</th></tr></thead><tbody>\n")
        for (row, noise) in rows {
            openLine(row, noise: noise, showsNames: showsNames)
            out.raw("<td>")
            for column in row.columns {
                out.raw("<div class=\"edit\"><span class=\"col\">")
                name(of: column)
                out.raw("</span><span>")
                if let value = row.operation == .added ? column.new : column.old { shown(value) }
                out.raw("</span></div>")
            }
            out.raw("</td></tr>\n")
        }
        out.raw("</tbody>")
        closeTable()
    }

    private mutating func openLine(_ row: RowChange, noise: NoiseClass?, showsNames: Bool) {
        out.raw(row.operation == .added ? "<tr class=\"gain" : "<tr class=\"loss")
        out.raw(noise == nil ? "\">" : " nz\">")
        key(of: row, showsNames: showsNames, noise: noise)
    }

    private mutating func line(_ row: RowChange, noise: NoiseClass?, _ columns: RowColumns, showsNames: Bool) {
        openLine(row, noise: noise, showsNames: showsNames)
        var values = [ShownValue?](repeating: nil, count: columns.columns.count)
        for column in row.columns {
            if let place = columns.place(of: column.name) { values[place] = row.operation == .added ? column.new : column.old }
        }
        for (value, column) in zip(values, columns.columns) {
            // What is NULL is not told: the cell is empty.
            out.raw(column.isOwn ? "<td class=\"own\">" : "<td>")
            if let value { shown(value) }
            out.raw("</td>")
        }
        out.raw("</tr>\n")
    }
}

/// The columns of rows that one side alone has, in the table's order; what Core Data keeps for itself comes last.
struct RowColumns {
    /// One of them.
    struct Entry {
        let column: RowChange.Column
        /// Whether it is Core Data's, such as `Z_ENT` and `Z_OPT`, and not the app's.
        let isOwn: Bool
    }

    let columns: [Entry]
    private let places: [String: Int]

    /// A row lacks the columns that are NULL in it: the order is that of all rows together.
    init(_ rows: some Sequence<RowChange>) {
        var found: [Entry] = []
        var known: [String: Int] = [:]
        for row in rows where row.columns.contains(where: { known[$0.name] == nil }) {
            var place = 0
            var inserted = 0
            for column in row.columns {
                if let before = known[column.name] {
                    place = min(found.count, max(place, before + inserted + 1))
                } else {
                    found.insert(Entry(column: column, isOwn: Self.isOwn(column, in: row)), at: place)
                    // Its place is known at the row's end; a second column of the name has none of its own.
                    known[column.name] = place
                    place += 1
                    inserted += 1
                }
            }
            known = Self.places(of: found)
        }
        columns = found.filter { !$0.isOwn } + found.filter(\.isOwn)
        places = Self.places(of: columns)
    }

    private static func places(of columns: [Entry]) -> [String: Int] {
        Dictionary(columns.enumerated().map { ($1.column.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func place(of name: String) -> Int? { places[name] }

    private static func isOwn(_ column: RowChange.Column, in row: RowChange) -> Bool {
        !row.isPlain && column.attribute == nil && column.name.hasPrefix("Z_")
    }
}
