import CapsuleCore

extension HTMLPageWriter {
    /// The search, which needs the script, and filters, which are inputs that style looks at.
    mutating func bar() {
        guard !diff.entries.isEmpty else { return }
        out.raw("<div class=\"bar\" id=\"~bar\" role=\"group\" aria-label=\"Search and filters\">\n")
        search()
        // On a phone the filters unfold.
        out.raw("<label class=\"more\"><input type=\"checkbox\" class=\"vh\" id=\"more\" autocomplete=\"off\">Filters</label>\n")
        out.raw("<div class=\"tools js\">")
        if summary.handlers.count > 1 { handlerChoice() }
        out.raw("<button type=\"button\" id=\"open\">Expand all</button>")
        out.raw("<button type=\"button\" id=\"shut\">Collapse all</button>")
        out.raw("<button type=\"button\" id=\"help\" aria-expanded=\"false\" aria-controls=\"keys\" aria-keyshortcuts=\"?\">")
        out.raw("<span class=\"vh\">Keyboard shortcuts </span>?</button>")
        out.raw("</div>\n<div class=\"chips\">")
        for each in EntryClass.allCases where summary.has(each) { chip(each) }
        if summary.counts.noiseChanges > 0 { noiseChip() }
        findingsChip()
        out.raw("</div></div>\n")
    }

    private mutating func search() {
        out.raw("<div class=\"find js\"><label class=\"vh\" for=\"find\">Search paths, pointers and values</label>")
        out.raw("<input type=\"search\" id=\"find\" placeholder=\"Search paths, pointers, values\" autocomplete=\"off\"")
        out.raw(" spellcheck=\"false\" aria-keyshortcuts=\"/\"><kbd aria-hidden=\"true\">/</kbd>")
        out.raw("<span class=\"found\" id=\"found\" role=\"status\"></span><span class=\"steps\" id=\"steps\" hidden>")
        out.raw("<button type=\"button\" id=\"back\"><span class=\"vh\">Previous match</span>")
        out.raw("<span aria-hidden=\"true\">\u{2191}</span></button>")
        out.raw("<button type=\"button\" id=\"next\"><span class=\"vh\">Next match</span>")
        out.raw("<span aria-hidden=\"true\">\u{2193}</span></button></span></div>\n")
    }

    /// A class that has noise alone has no filter before noise is shown.
    private mutating func chip(_ each: EntryClass) {
        let (signal, noise) = (summary.signal[each.rawValue], summary.noise[each.rawValue])
        out.raw(signal > 0 ? "<label class=\"chip c" : "<label class=\"chip on-only c")
        out.raw(each.letter)
        out.raw("\"><input type=\"checkbox\" autocomplete=\"off\" checked id=\"f-")
        out.raw(each.letter)
        out.raw("\"><span class=\"sign\" aria-hidden=\"true\">")
        out.raw(each.symbol)
        out.raw("</span> ")
        out.raw(each.word)
        out.raw(" <b>")
        if noise > 0, signal > 0 {
            out.raw("<span class=\"off-only\">")
            out.text(Quantity.grouped(UInt64(signal)))
            out.raw("</span><span class=\"on-only\">")
            out.text(Quantity.grouped(UInt64(signal + noise)))
            out.raw("</span>")
        } else {
            out.text(Quantity.grouped(UInt64(signal + noise)))
        }
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

    /// What keys do, shown at the key `?`.
    mutating func keys() {
        guard !diff.entries.isEmpty else { return }
        out.raw("<div class=\"keys\" id=\"keys\" role=\"region\" aria-label=\"Keyboard shortcuts\" hidden><dl>")
        key(["/"], "Search")
        key(["Enter"], "Next match, in the search")
        key(["Shift-Enter"], "Previous match, in the search")
        key(["Esc"], "Clear the search")
        key(["n", "j"], "Next entry")
        key(["p", "k"], "Previous entry")
        key(["?"], "Show or hide these keys")
        out.raw("</dl></div>\n")
    }

    private mutating func key(_ keys: [StaticString], _ meaning: StaticString) {
        out.raw("<div><dt>")
        for key in keys {
            out.raw("<kbd>")
            out.raw(key)
            out.raw("</kbd> ")
        }
        out.raw("</dt><dd>")
        out.raw(meaning)
        out.raw("</dd></div>")
    }
}
