import CapsuleCore

extension HTMLPageWriter {
    /// What a reader must know before trusting the page: that it is not complete, and where and why.
    mutating func incomplete() {
        guard !diff.isComplete || summary.notes > 0 else { return }
        out.raw("<div class=\"note warn\"><p><strong>")
        out.raw(
            !diff.isComplete
                ? diff.isExact ? "All changes are counted, but not all are shown" : "This report is incomplete"
                : summary.noted.isEmpty ? "Not everything was compared" : "Some contents were compared less precisely")
        guard summary.notes > 0 else { return out.raw(".</strong></p></div>\n") }
        out.raw(" (")
        out.text(counted(summary.notes, "note", "notes"))
        out.raw("):</strong></p>\n<ul>")
        for note in diff.notes {
            out.raw("<li>")
            line(note)
            out.raw("</li>")
        }
        let shown = 20
        for (index, detail) in summary.noted.prefix(shown) {
            out.raw("<li><a href=\"#")
            out.anchor(diff.entries[index].path.bytes)
            out.raw("\">")
            path(diff.entries[index].path.bytes)
            out.raw("</a>: ")
            gist(of: detail)
            out.raw("</li>")
        }
        if summary.noted.count > shown {
            out.raw("<li>and ")
            out.text(counted(summary.noted.count - shown, "more entry", "more entries"))
            out.raw("</li>")
        }
        out.raw("</ul></div>\n")
    }

    /// A note in a few words.
    private mutating func gist(of detail: ChangeDetail) {
        switch detail.content {
        case .fallback(let fallback) where fallback.to == HandlerFallback.nothing: line(fallback.reason)
        case .fallback(let fallback):
            out.raw("compared as ")
            line(fallback.to)
        case .limit(let limit) where limit.isJudged: shown(by: limit)
        case .limit: out.raw("not fully compared")
        default: break
        }
    }

    /// The same value, written in another way.
    mutating func encoding(_ change: EncodingChange, noise: NoiseClass?) {
        openSection(isNoise: noise != nil)
        out.raw("<h4>Encoding ")
        pill(noise)
        out.raw("</h4>\n<p class=\"plain\">Same content, ")
        if change.old == change.new {
            out.raw("written differently as <span class=\"val\">")
            line(change.new)
        } else {
            out.raw("encoded as <span class=\"val\">")
            line(change.old)
            out.raw("</span> \u{2192} <span class=\"val\">")
            line(change.new)
        }
        out.raw("</span></p>\n</section>\n")
    }

    /// Why a content was compared by lesser means.
    mutating func note(_ fallback: HandlerFallback) {
        if fallback.to == HandlerFallback.nothing {
            out.raw("<div class=\"note warn\"><p><strong>Not fully compared.</strong> ")
        } else {
            out.raw("<div class=\"note warn\"><p><strong>Compared as ")
            line(fallback.to)
            out.raw(", not as ")
            line(fallback.from)
            out.raw(".</strong> ")
        }
        switch fallback.side {
        case .a: out.raw("The old side: ")
        case .b: out.raw("The new side: ")
        case .both: out.raw("Both sides: ")
        }
        line(fallback.reason)
        out.raw("</p></div>\n")
    }

    /// What is not told.
    mutating func note(_ limit: DetailLimit) {
        guard limit.isJudged else {
            out.raw("<div class=\"note warn\"><p><strong>Not fully compared:</strong> ")
            line(limit.reason)
            out.raw("</p></div>\n")
            return
        }
        out.raw("<div class=\"note warn\"><p><strong>Not everything is shown:</strong> ")
        shown(by: limit)
        out.raw("</p></div>\n")
    }

    /// `1,000 of 52,311 rows of the table ZLOG`
    private mutating func shown(by limit: DetailLimit) {
        switch (limit.shown, limit.total) {
        case (let shown?, let total?):
            out.text(Quantity.grouped(shown))
            out.raw(" of ")
            out.text(Quantity.grouped(total))
            out.raw(" ")
        case (let shown?, nil):
            out.raw("no more than ")
            out.text(Quantity.grouped(shown))
            out.raw(" ")
        case (nil, let total?):
            out.raw("not all of ")
            out.text(Quantity.grouped(total))
            out.raw(" ")
        case (nil, nil): out.raw("stopped at the limit of ")
        }
        line(limit.what)
        if let table = limit.table {
            out.raw(" of the table <span class=\"sql\">")
            line(table)
            out.raw("</span>")
        }
    }
}
