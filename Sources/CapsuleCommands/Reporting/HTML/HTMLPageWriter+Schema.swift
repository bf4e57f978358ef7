import CapsuleCore

extension HTMLPageWriter {
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

    /// A text of several lines, which it keeps.
    private mutating func lines(_ text: String) {
        for (number, part) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if number > 0 { out.raw("\n") }
            line(String(Substring(part)), keepsTabs: true)
        }
    }
}
