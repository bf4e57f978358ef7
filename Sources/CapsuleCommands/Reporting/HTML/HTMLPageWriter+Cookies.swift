import CapsuleCore

extension HTMLPageWriter {
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
            marks(detail.content)
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
}
