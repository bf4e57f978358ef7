import CapsuleCore

extension HTMLPageWriter {
    /// Filters, which are inputs that style looks at, and the search, which needs the script.
    mutating func bar() {
        guard !diff.entries.isEmpty else { return }
        out.raw("<div class=\"bar\" id=\"~bar\" role=\"group\" aria-label=\"Filters\">\n<div class=\"chips\">")
        for each in EntryClass.allCases where summary.has(each) { chip(each) }
        if summary.counts.noiseChanges > 0 { noiseChip() }
        out.raw("</div>\n<div class=\"tools js\">")
        out.raw("<label class=\"find\"><span class=\"vh\">Search paths, pointers and values</span>")
        out.raw("<input type=\"search\" id=\"find\" placeholder=\"Search paths, pointers, values\" autocomplete=\"off\"")
        out.raw(" spellcheck=\"false\" aria-keyshortcuts=\"/\"><kbd aria-hidden=\"true\">/</kbd></label>")
        if summary.handlers.count > 1 { handlerChoice() }
        out.raw("<button type=\"button\" id=\"open\">Expand all</button>")
        out.raw("<button type=\"button\" id=\"shut\">Collapse all</button>")
        out.raw("</div>\n<p class=\"found js\" id=\"found\" role=\"status\"></p></div>\n")
    }

    private mutating func chip(_ each: EntryClass) {
        let count = summary.signal[each.rawValue]
        out.raw("<label class=\"chip c")
        out.raw(each.letter)
        out.raw("\"><input type=\"checkbox\" autocomplete=\"off\" checked id=\"f-")
        out.raw(each.letter)
        out.raw("\"><span class=\"sign\" aria-hidden=\"true\">")
        out.raw(each.symbol)
        out.raw("</span> ")
        out.raw(each.word)
        out.raw(" <b>")
        out.text(Quantity.grouped(UInt64(count)))
        out.raw("</b></label>")
    }

    private mutating func noiseChip() {
        out.raw("<label class=\"chip cn\"><input type=\"checkbox\" autocomplete=\"off\" id=\"f-n\">")
        out.raw("<span class=\"sign\" aria-hidden=\"true\">\u{00B7}</span> noise <b>")
        out.text(Quantity.grouped(UInt64(summary.counts.noiseChanges)))
        out.raw("</b></label>")
    }

    private mutating func handlerChoice() {
        out.raw("<label><span class=\"vh\">Compared as</span><select id=\"handler\" autocomplete=\"off\">")
        out.raw("<option value=\"\">Any content</option>")
        for handler in summary.handlers {
            out.raw("<option value=\"")
            out.attribute(handler.name)
            out.raw("\">")
            out.text(handler.name)
            out.raw(" (")
            out.text(Quantity.grouped(UInt64(handler.entries)))
            out.raw(")</option>")
        }
        out.raw("</select></label>")
    }
}
