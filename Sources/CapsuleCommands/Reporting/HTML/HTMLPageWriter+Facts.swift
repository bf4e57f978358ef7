import CapsuleCore

extension HTMLPageWriter {
    /// What the index says of an entry, for one side or both.
    mutating func facts(of entry: EntryChange) {
        let sides = [entry.old, entry.new].compactMap(\.self)
        guard !sides.isEmpty else { return }
        let hasContent = sides.contains { $0.kind.hasContent }
        let hasTarget = sides.contains { $0.kind == .link }
        let hasAttributes = sides.contains { !$0.attributes.isEmpty }
        out.raw("<div class=\"scroll\"><table class=\"facts\"><caption class=\"vh\">Facts of the entry</caption><thead><tr>")
        out.raw("<td></td><th scope=\"col\">Type</th><th scope=\"col\">Mode</th>")
        if hasContent { out.raw("<th scope=\"col\">Size</th><th scope=\"col\">SHA-256</th>") }
        if hasTarget { out.raw("<th scope=\"col\">Target</th>") }
        out.raw("<th scope=\"col\">Changed</th>")
        if hasAttributes { out.raw("<th scope=\"col\">Attributes</th>") }
        out.raw("</tr></thead><tbody>")
        for (fact, word) in [(entry.old, "Old" as StaticString), (entry.new, "New")] {
            guard let fact else { continue }
            out.raw("<tr><th scope=\"row\">")
            out.raw(word)
            out.raw("</th><td>")
            out.text(fact.kind.word)
            out.raw("</td><td>")
            out.text(fact.mode.octal)
            out.raw(" <span class=\"dim\">")
            out.text(ModeText.bytes(of: fact))
            out.raw("</span></td>")
            if hasContent {
                out.raw("<td>")
                if fact.kind.hasContent {
                    out.text(Quantity.grouped(fact.size))
                    out.raw("</td><td><span class=\"hash\">")
                    out.text(fact.digest.hex)
                    out.raw("</span></td>")
                } else {
                    out.raw("</td><td></td>")
                }
            }
            if hasTarget {
                out.raw("<td>")
                if fact.kind == .link { out.text(fact.target) }
                out.raw("</td>")
            }
            out.raw("<td class=\"nowrap\">")
            out.text(fact.modified.iso8601())
            out.raw("</td>")
            if hasAttributes {
                out.raw("<td>")
                for (number, attribute) in fact.attributes.enumerated() {
                    if number > 0 { out.raw(", ") }
                    out.text(attribute.name)
                }
                out.raw("</td>")
            }
            out.raw("</tr>")
        }
        out.raw("</tbody></table></div>\n")
    }
}
