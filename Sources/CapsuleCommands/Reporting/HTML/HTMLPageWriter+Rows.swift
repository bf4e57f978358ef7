import CapsuleCore

extension HTMLPageWriter {
    /// Rows of one table, each a group of lines for its columns.
    mutating func rows(_ details: ArraySlice<ChangeDetail>) {
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
        out.text(counted(details.count, "row", "rows"))
        out.raw("</span></h4>\n")
        openTable("Rows that differ", "Row", "Column")
        out.raw("\n")
        for detail in details {
            guard case .row(let row) = detail.content else { continue }
            group(row, noise: detail.noise)
        }
        closeTable()
        out.raw("</section>\n")
    }

    private mutating func group(_ row: RowChange, noise: NoiseClass?) {
        // Those that may be hidden come last: the first line has the key.
        let hides = noise == nil && !row.columns.allSatisfy { $0.noise != nil }
        let columns = hides ? row.columns.filter { $0.noise == nil } + row.columns.filter { $0.noise != nil } : row.columns
        openGroup(row.operation, noise: noise, lines: columns.reduce(0) { $0 + 1 + $1.nested.count })
        if row.key.isEmpty { out.raw("<span class=\"none\">no key</span> ") }
        for (number, key) in row.key.enumerated() {
            if number > 0 { out.raw("<br>") }
            out.raw("<span class=\"sql\">")
            out.text(key.column)
            out.raw("</span> ")
            shown(key.value)
            out.raw(" ")
        }
        pill(noise)
        out.raw("</th>")
        guard !columns.isEmpty else {
            out.raw("<td colspan=\"3\" class=\"none\">no other columns</td></tr></tbody>\n")
            return
        }
        for (number, column) in columns.enumerated() {
            let isHidden = hides && column.noise != nil
            if number > 0 { out.raw(isHidden ? "<tr class=\"nz\">" : "<tr>") }
            out.raw("<td>")
            name(of: column)
            if noise == nil { pill(column.noise) }
            out.raw("</td>")
            cell(isNew: false, column.old)
            cell(isNew: true, column.new)
            out.raw("</tr>\n")
            for change in column.nested {
                out.raw(isHidden ? "<tr class=\"nested nz\"><td>" : "<tr class=\"nested\"><td>")
                sign(of: change)
                out.raw(" ")
                place(of: change)
                out.raw("</td>")
                cells(of: change)
                out.raw("</tr>\n")
            }
        }
        out.raw("</tbody>\n")
    }

    /// The attribute first, where there is one: it is what the app's source calls it.
    private mutating func name(of column: RowChange.Column) {
        if let attribute = column.attribute {
            out.raw("<span class=\"attribute\">")
            out.text(attribute)
            out.raw("</span> ")
        }
        out.raw("<span class=\"sql\">")
        out.text(column.name)
        out.raw("</span> ")
    }

    /// The first line of a group, up to what it is known by.
    private mutating func openGroup(_ operation: ChangeOperation, noise: NoiseClass?, lines: Int) {
        out.raw(
            noise == nil
                ? "<tbody class=\"group\"><tr><td class=\"k\" rowspan=\""
                : "<tbody class=\"group nz\"><tr><td class=\"k\" rowspan=\"")
        out.number(max(1, lines))
        out.raw("\">")
        sign(operation)
        out.raw("</td><th scope=\"rowgroup\" rowspan=\"")
        out.number(max(1, lines))
        out.raw("\">")
    }

    /// Cookies, each a group of lines for its fields.
    mutating func cookies(_ details: ArraySlice<ChangeDetail>) {
        openSection(details)
        out.raw("<h4>Cookies</h4>\n")
        openTable("Cookies that differ", "Cookie", "Field")
        out.raw("\n")
        for detail in details {
            guard case .cookie(let cookie) = detail.content else { continue }
            openGroup(cookie.operation, noise: detail.noise, lines: cookie.fields.count)
            out.raw("<span class=\"attribute\">")
            line(cookie.cookie)
            out.raw("</span> <span class=\"sql\">")
            line(cookie.domain)
            out.raw("</span> <span class=\"sql\">")
            line(cookie.path)
            out.raw("</span> ")
            pill(detail.noise)
            out.raw("</th>")
            if cookie.fields.isEmpty { out.raw("<td colspan=\"3\" class=\"none\">no fields</td></tr>") }
            for (number, field) in cookie.fields.enumerated() {
                out.raw(number > 0 ? "<tr><td>" : "<td>")
                line(field.name)
                out.raw("</td>")
                cell(isNew: false, field.old)
                cell(isNew: true, field.new)
                out.raw("</tr>\n")
            }
            out.raw("</tbody>\n")
        }
        closeTable()
        out.raw("</section>\n")
    }

    /// Tables, indexes, views and triggers, with the SQL that makes them.
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

    /// A text of several lines, which it keeps.
    private mutating func lines(_ text: String) {
        for (number, part) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if number > 0 { out.raw("\n") }
            line(String(Substring(part)), keepsTabs: true)
        }
    }
}
