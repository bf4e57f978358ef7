import CapsuleCore

extension HTMLPageWriter {
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
        out.raw("<div class=\"note warn\"><p><strong>Compared as ")
        line(fallback.to)
        out.raw(", not as ")
        line(fallback.from)
        out.raw(".</strong> ")
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
        out.raw("</p></div>\n")
    }
}
