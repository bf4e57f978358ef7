import CapsuleCore
import CapsulePropertyList

extension HTMLPageWriter {
    /// Writes the rows of one table: first the modified ones with their differences, then those that only one side has.
    ///
    /// - Parameter total: the number of rows that differ, if not all of them are given.
    mutating func rows(_ details: ArraySlice<ChangeDetail>, of total: UInt64?) {
        guard case .row(let first) = details.first?.content else { return }
        openSection(details)
        out.raw("<h4>Table <span class=\"sql\">")
        out.text(first.table)
        out.raw("</span>")
        if let entity = first.entity {
            out.raw(" <span class=\"entity\"><span class=\"vh\">entity </span>")
            out.text(entity)
            out.raw("</span>")
        }
        out.raw(" <span class=\"count\">")
        if let total, total > UInt64(details.count) {
            out.text(Quantity.grouped(UInt64(details.count)))
            out.raw(" of ")
            out.text(Quantity.counted(total, "row", "rows"))
        } else {
            out.text(counted(details.count, "row", "rows"))
        }
        out.raw("</span></h4>\n")
        modified(details)
        oneSided(details)
        out.raw("</section>\n")
    }

    /// Opens a table of rows in a scrolling box. It is hidden if all its rows are noise.
    ///
    /// - Parameter scrolls: true if it may be wider than the page, so that it can be reached and scrolled with the keyboard.
    mutating func openRows(_ style: StaticString, _ caption: StaticString, scrolls: Bool = false, isNoise: Bool) {
        out.raw(isNoise ? "<div class=\"scroll nz\"" : "<div class=\"scroll\"")
        if scrolls {
            out.raw(" role=\"group\" tabindex=\"0\" aria-label=\"")
            out.raw(caption)
            out.raw("\"")
        }
        out.raw("><table class=\"")
        out.raw(style)
        out.raw("\"><caption class=\"vh\">")
        out.raw(caption)
        out.raw("</caption>")
    }

    /// Writes the head of the column that identifies the row. `names` is nil if each row names its own keys.
    mutating func keyHead(_ names: [String]?) {
        out.raw("<th scope=\"col\" class=\"key\">")
        if let names, !names.isEmpty {
            for (number, name) in names.enumerated() {
                if number > 0 { out.raw(", ") }
                out.raw("<span class=\"sql\">")
                out.text(name)
                out.raw("</span>")
            }
        } else {
            out.raw("Row")
        }
        out.raw("</th>")
    }

    /// Writes the cell that identifies a row.
    mutating func key(of row: RowChange, showsNames: Bool, noise: NoiseClass?) {
        out.raw("<th scope=\"row\">")
        if row.key.isEmpty { out.raw("<span class=\"none\">no key</span>") }
        for (number, key) in row.key.enumerated() {
            if number > 0 { out.raw(", ") }
            if showsNames {
                out.raw("<span class=\"sql\">")
                out.text(key.column)
                out.raw("</span> ")
            }
            shown(key.value)
        }
        if noise != nil { out.raw(" ") }
        pill(noise)
        marks(.row(row))
        out.raw("</th>")
    }

    /// Returns the names of the rows' keys, if they are the same for all rows.
    static func keyNames(_ rows: some Sequence<RowChange>) -> [String]? {
        var names: [String]?
        for row in rows {
            let own = row.key.map(\.column)
            if let names, names != own { return nil }
            names = own
        }
        return names
    }

    // MARK: Modified rows

    private mutating func modified(_ details: ArraySlice<ChangeDetail>) {
        let rows = details.compactMap { detail -> (row: RowChange, noise: NoiseClass?)? in
            guard case .row(let row) = detail.content, row.operation == .modified else { return nil }
            return (row, detail.noise)
        }
        if rows.isEmpty { return }
        openRows("edits", "Modified rows", isNoise: rows.allSatisfy { $0.noise != nil })
        let names = Self.keyNames(rows.lazy.map { $0.row })
        out.raw("<thead><tr>")
        keyHead(names)
        out.raw("<th scope=\"col\">Old \u{2192} new</th></tr></thead><tbody>\n")
        for (row, noise) in rows {
            out.raw(noise == nil ? "<tr>" : "<tr class=\"nz\">")
            key(of: row, showsNames: names == nil, noise: noise)
            out.raw("<td>")
            for column in row.columns { change(of: column, in: row, isHidden: noise == nil && column.noise != nil) }
            if row.columns.isEmpty { out.raw("<span class=\"none\">no other columns</span>") }
            out.raw("</td></tr>\n")
        }
        out.raw("</tbody>")
        closeTable()
    }

    /// Writes the old and the new value of a column, and the differences inside if both contain property lists.
    private mutating func change(of column: RowChange.Column, in row: RowChange, isHidden: Bool) {
        out.raw(isHidden ? "<div class=\"edit nz\"><span class=\"col\">" : "<div class=\"edit\"><span class=\"col\">")
        name(of: column)
        if isHidden { pill(column.noise) }
        marks(.row(row), column: column.name)
        out.raw("</span>")
        let showsType = Self.areTypesDifferent(column.old, column.new)
        edit(column.old, column.new, showsType: showsType)
        out.raw("</div>")
        for change in column.nested {
            out.raw(
                isHidden
                    ? "<div class=\"edit nested nz\"><span class=\"col\">" : "<div class=\"edit nested\"><span class=\"col\">")
            sign(of: change)
            out.raw(" ")
            place(of: change)
            out.raw("</span>")
            if case .encoding(let old, let new) = change.kind {
                out.raw("<span>encoded as ")
                out.text(old.word)
                out.raw(" \u{2192} encoded as ")
                out.text(new.word)
                out.raw("</span>")
            } else {
                edit(change.old.map(DisplayValue.value), change.new.map(DisplayValue.value), showsType: change.isChangeOfType)
            }
            out.raw("</div>")
        }
    }

    private mutating func edit(_ old: DisplayValue?, _ new: DisplayValue?, showsType: Bool) {
        out.raw("<span><span class=\"old\">")
        if let old { shown(old, showsType: showsType) } else { absent() }
        out.raw("</span> <span class=\"arrow\">\u{2192}</span> <span class=\"new\">")
        if let new { shown(new, showsType: showsType) } else { absent() }
        out.raw("</span></span>")
    }

    private static func areTypesDifferent(_ old: DisplayValue?, _ new: DisplayValue?) -> Bool {
        guard let old = old?.whole, let new = new?.whole, old != .null, new != .null else { return false }
        return old.typeName != new.typeName
    }

    /// Writes a column's name, after its attribute if it has one: the app's source uses the attribute.
    mutating func name(of column: RowChange.Column) {
        if let attribute = column.attribute {
            out.raw("<span class=\"attribute\">")
            out.text(attribute)
            out.raw("</span> ")
        }
        out.raw("<span class=\"sql\">")
        out.text(column.name)
        out.raw("</span> ")
    }
}

extension HTMLPageWriter {
    /// Writes the rows that only one side has: one line for each, with the table's columns side by side.
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

    /// The maximum number of columns side by side. Tables with more columns list the values that are not NULL below each other.
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
        var values = [DisplayValue?](repeating: nil, count: columns.columns.count)
        for column in row.columns {
            if let place = columns.place(of: column.name) { values[place] = row.operation == .added ? column.new : column.old }
        }
        for (value, column) in zip(values, columns.columns) {
            // A cell is empty if its value is NULL.
            out.raw(column.isOwn ? "<td class=\"own\">" : "<td>")
            if let value { shown(value) }
            out.raw("</td>")
        }
        out.raw("</tr>\n")
    }
}

/// The columns of rows that only one side has, in the table's order, with Core Data's own columns last.
struct RowColumns {
    /// A column, with its owner.
    struct Entry {
        let column: RowChange.Column
        /// True if the column belongs to Core Data, such as `Z_ENT` and `Z_OPT`, and not to the app.
        let isOwn: Bool
    }

    let columns: [Entry]
    private let places: [String: Int]

    /// Creates the columns. A row lacks the columns that are NULL in it, so the order is derived from all rows together.
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
                    // The final positions are computed at the end of the row. A second column with the same name has no position of its
                    // own.
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

extension HTMLPageWriter {
    /// Writes the differences in tables, indexes, views and triggers, with their SQL.
    mutating func schema(_ details: ArraySlice<ChangeDetail>) {
        openSection(details)
        out.raw("<h4>Schema</h4>\n")
        for detail in details {
            guard case .schema(let change) = detail.content else { continue }
            out.raw(detail.noise == nil ? "<div class=\"schema\"><p>" : "<div class=\"schema nz\"><p>")
            sign(change.operation)
            out.raw(" ")
            line(change.object)
            out.raw(" <span class=\"attribute\">")
            line(change.name)
            out.raw("</span> ")
            pill(detail.noise)
            marks(detail.content)
            out.raw("</p>\n")
            statement("old", "Old", change.old)
            statement("new", "New", change.new)
            out.raw("</div>\n")
        }
        out.raw("</section>\n")
    }

    private mutating func statement(_ side: StaticString, _ word: StaticString, _ sql: String?) {
        guard let sql else { return }
        out.raw("<div class=\"sqltext ")
        out.raw(side)
        out.raw("\"><span class=\"vh\">")
        out.raw(word)
        out.raw(": </span><code>")
        lines(sql)
        out.raw("</code></div>\n")
    }

    /// Writes a text with its line breaks.
    private mutating func lines(_ text: String) {
        for (number, part) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if number > 0 { out.raw("\n") }
            line(String(Substring(part)), keepsTabs: true)
        }
    }
}
