import CapsuleCore
import CapsulePropertyList

extension HTMLPageWriter {
    /// Rows of one table: those that were modified with what differs in them, then those that one side alone has.
    ///
    /// - Parameter total: how many differ, where not all of them are here.
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

    /// Opens a table of rows in a box of its own that scrolls; it is hidden with its rows if they are all noise.
    ///
    /// - Parameter scrolls: whether it may be wider than the page: then keys reach and scroll it.
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

    /// The head of the column that says which row it is; nil of `names` where the rows themselves name their keys.
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

    /// Which row it is.
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

    /// The names of the rows' keys, if they are all alike.
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

    /// A column's old and new value, and what differs inside where both hold property lists.
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
                edit(change.old.map(ShownValue.value), change.new.map(ShownValue.value), showsType: change.isChangeOfType)
            }
            out.raw("</div>")
        }
    }

    private mutating func edit(_ old: ShownValue?, _ new: ShownValue?, showsType: Bool) {
        out.raw("<span><span class=\"old\">")
        if let old { shown(old, showsType: showsType) } else { absent() }
        out.raw("</span> <span class=\"arrow\">\u{2192}</span> <span class=\"new\">")
        if let new { shown(new, showsType: showsType) } else { absent() }
        out.raw("</span></span>")
    }

    private static func areTypesDifferent(_ old: ShownValue?, _ new: ShownValue?) -> Bool {
        guard let old = old?.whole, let new = new?.whole, old != .null, new != .null else { return false }
        return old.typeName != new.typeName
    }

    /// The attribute first, where there is one: it is what the app's source calls it.
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
