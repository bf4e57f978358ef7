import CapsuleCore
import CapsulePropertyList

extension HTMLPageWriter {
    private typealias Row = (row: RowChange, noise: NoiseClass?)

    /// Writes the rows of one table: first the modified ones with their differences, then those that only one side has.
    /// - Parameter total: the number of rows that differ, if not all of them are given.
    mutating func rows(_ details: ArraySlice<ChangeDetail>, of total: UInt64?) {
        guard case .row(let first) = details.first?.content else { return }
        openSection(details)
        let isPart = total.map { $0 > UInt64(details.count) } ?? false
        let count = Quantity.counted(isPart ? total ?? 0 : UInt64(details.count), "row", "rows")
        write(
            """
            <h4>Table <span class="sql">\(first.table)</span>\
            \(first.entity.map { #" <span class="entity"><span class="vh">entity </span>\#($0)</span>"# }) \
            <span class="count">\(if: isPart, "\(grouped(details.count)) of ")\(count)</span></h4>\n
            """)
        let rows = details.compactMap { detail -> Row? in
            guard case .row(let row) = detail.content else { return nil }
            return (row, detail.noise)
        }
        modified(rows.filter { $0.row.operation == .modified })
        oneSided(rows.filter { $0.row.operation != .modified })
        write("</section>\n")
    }

    /// Opens a table of rows in a scrolling box. It is hidden if all its rows are noise.
    /// - Parameter scrolls: true if it may be wider than the page, so that it can be reached and scrolled with the keyboard.
    private mutating func openRows(
        _ style: StaticString, _ caption: StaticString, scrolls: Bool, of rows: [Row], keys names: [String]?
    ) {
        write(
            """
            <div class="scroll\(if: rows.allSatisfy { $0.noise != nil }, " nz")"\
            \(if: scrolls, #" role="group" tabindex="0" aria-label="\#(caption)""#)>\
            <table class="\(style)"><caption class="vh">\(caption)</caption><thead><tr>\
            <th scope="col" class="key">\(keyHead(names))</th>
            """)
    }

    private mutating func closeRows() { write("</tbody></table></div>\n") }

    /// Returns the head of the column that identifies the row. `names` is nil if each row names its own keys.
    private func keyHead(_ names: [String]?) -> HTML {
        guard let names, !names.isEmpty else { return "Row" }
        return "\(names.map { #"<span class="sql">\#($0)</span>"# }, separator: ", ")"
    }

    private mutating func key(of row: RowChange, showsNames: Bool, noise: NoiseClass?) -> HTML {
        let keys: [HTML] = row.key.map { key in
            #"\#(if: showsNames, #"<span class="sql">\#(key.column)</span> "#)\#(shown(key.value))"#
        }
        return """
            <th scope="row">\(if: row.key.isEmpty, #"<span class="none">no key</span>"#)\(keys, separator: ", ")\
            \(if: noise != nil, " ")\(pill(noise))\(marks(.row(row)))</th>
            """
    }

    static func keyNames(_ rows: some Sequence<RowChange>) -> [String]? {
        var names: [String]?
        for row in rows {
            let own = row.key.map(\.column)
            if let names, names != own { return nil }
            names = own
        }
        return names
    }

    private mutating func modified(_ rows: [Row]) {
        if rows.isEmpty { return }
        let names = Self.keyNames(rows.lazy.map { $0.row })
        openRows("edits", "Modified rows", scrolls: false, of: rows, keys: names)
        write(#"<th scope="col">Old → new</th></tr></thead><tbody>\#n"#)
        for (row, noise) in rows {
            let key = key(of: row, showsNames: names == nil, noise: noise)
            let columns = row.columns.map { change(of: $0, in: row, isHidden: noise == nil && $0.noise != nil) }
            write(
                """
                <tr\(if: noise != nil, Self.noiseClass)>\(key)<td>\(columns)\
                \(if: row.columns.isEmpty, #"<span class="none">no other columns</span>"#)</td></tr>\n
                """)
        }
        closeRows()
    }

    private mutating func change(of column: RowChange.Column, in row: RowChange, isHidden: Bool) -> HTML {
        let showsType = Self.areTypesDifferent(column.old, column.new)
        return """
            <div class="edit\(if: isHidden, " nz")"><span class="col">\
            \(name(of: column))\(if: isHidden, pill(column.noise))\(marks(.row(row), column: column.name))</span>\
            \(edit(column.old, column.new, showsType: showsType))</div>\(column.nested.map { nested($0, isHidden: isHidden) })
            """
    }

    private mutating func nested(_ change: PlistChange, isHidden: Bool) -> HTML {
        let values: HTML =
            if case .encoding(let old, let new) = change.kind {
                "<span>encoded as \(old.word) → encoded as \(new.word)</span>"
            } else {
                edit(change.shownOld, change.shownNew, showsType: change.isChangeOfType)
            }
        return """
            <div class="edit nested\(if: isHidden, " nz")"><span class="col">\(sign(of: change)) \(place(of: change))</span>\
            \(values)</div>
            """
    }

    private mutating func edit(_ old: DisplayValue?, _ new: DisplayValue?, showsType: Bool) -> HTML {
        """
        <span><span class="old">\(shown(old, showsType: showsType))</span> <span class="arrow">→</span> \
        <span class="new">\(shown(new, showsType: showsType))</span></span>
        """
    }

    private static func areTypesDifferent(_ old: DisplayValue?, _ new: DisplayValue?) -> Bool {
        guard let old = old?.whole, let new = new?.whole, old != .null, new != .null else { return false }
        return old.typeName != new.typeName
    }

    /// Returns a column's name, after its attribute if it has one: the app's source uses the attribute.
    private func name(of column: RowChange.Column) -> HTML {
        """
        \(column.attribute.map { #"<span class="attribute">\#($0)</span> "# })<span class="sql">\(column.name)</span>\u{20}
        """
    }

    /// Writes the rows that only one side has: one line for each, with the table's columns side by side.
    private mutating func oneSided(_ rows: [Row]) {
        if rows.isEmpty { return }
        let columns = RowColumns(rows.lazy.map { $0.row })
        let isGrid = columns.columns.count <= Self.widestGrid
        let names = Self.keyNames(rows.lazy.map { $0.row })
        openRows(isGrid ? "grid" : "edits", isState ? "Rows" : "Added and deleted rows", scrolls: isGrid, of: rows, keys: names)
        guard isGrid else { return list(rows, showsNames: names == nil) }
        let heads: [HTML] = columns.columns.map { column in
            #"<th scope="col"\#(if: column.isOwn, Self.ownClass)>\#(name(of: column.column))</th>"#
        }
        write("\(heads)</tr></thead><tbody>\n")
        for (row, noise) in rows {
            write("\(start(of: row, noise: noise, showsNames: names == nil))\(cells(of: row, columns))</tr>\n")
        }
        closeRows()
    }

    private static var ownClass: HTML { #" class="own""# }

    /// The maximum number of columns side by side. Tables with more columns list the values that are not NULL below each other.
    private static let widestGrid = 64

    private mutating func list(_ rows: [Row], showsNames: Bool) {
        write(#"<th scope="col">Values</th></tr></thead><tbody>\#n"#)
        for (row, noise) in rows {
            let start = start(of: row, noise: noise, showsNames: showsNames)
            let values: [HTML] = row.columns.map { column in
                let value = row.operation == .added ? column.new : column.old
                return """
                    <div class="edit"><span class="col">\(name(of: column))</span>\
                    <span>\(value.map { shown($0) })</span></div>
                    """
            }
            write("\(start)<td>\(values)</td></tr>\n")
        }
        closeRows()
    }

    private mutating func start(of row: RowChange, noise: NoiseClass?, showsNames: Bool) -> HTML {
        """
        <tr class="\(isState ? "" : row.operation == .added ? "gain" : "loss")\(if: noise != nil, " nz")">\
        \(key(of: row, showsNames: showsNames, noise: noise))
        """
    }

    private mutating func cells(of row: RowChange, _ columns: RowColumns) -> [HTML] {
        var values = [DisplayValue?](repeating: nil, count: columns.columns.count)
        for column in row.columns {
            if let place = columns.place(of: column.name) { values[place] = row.operation == .added ? column.new : column.old }
        }
        // A cell is empty if its value is NULL.
        return zip(values, columns.columns).map { value, column in
            "<td\(if: column.isOwn, Self.ownClass)>\(value.map { shown($0) })</td>"
        }
    }
}

/// The columns of rows that only one side has, in the table's order, with Core Data's own columns last.
struct RowColumns {
    struct Entry {
        let column: RowChange.Column
        /// True if the column belongs to Core Data, such as `Z_ENT` and `Z_OPT`, and not to the app.
        let isOwn: Bool
    }

    let columns: [Entry]
    private let places: [String: Int]

    /// A row lacks the columns that are NULL in it, so the order is derived from all rows together.
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
    mutating func schema(_ details: ArraySlice<ChangeDetail>) {
        openSection(details)
        write("<h4>Schema</h4>\n")
        for detail in details {
            guard case .schema(let change) = detail.content else { continue }
            write(
                """
                <div class="schema\(if: detail.noise != nil, " nz")"><p>\(sign(change.operation)) \(line(change.object)) \
                <span class="attribute">\(line(change.name))</span> \(pill(detail.noise))\(marks(detail.content))</p>
                \(change.old.map { statement("old", "Old", $0) })\(change.new.map { statement("new", "New", $0) })</div>\n
                """)
        }
        write("</section>\n")
    }

    private mutating func statement(_ side: StaticString, _ word: StaticString, _ sql: String) -> HTML {
        let lines = sql.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { line(String(Substring($0)), keepsTabs: true) }
        return """
            <div class="sqltext \(side)"><span class="vh">\(word): </span><code>\(lines, separator: "\n")</code></div>\n
            """
    }
}
