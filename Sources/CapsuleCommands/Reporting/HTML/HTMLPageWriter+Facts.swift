import CapsuleCore

extension HTMLPageWriter {
    /// What the index says of an entry, a line for each side.
    mutating func facts(of entry: EntryChange) {
        guard entry.old != nil || entry.new != nil else { return }
        out.raw("<ul class=\"facts\">")
        if let old = entry.old { facts("Old", old) }
        if let new = entry.new { facts("New", new) }
        out.raw("</ul>\n")
    }

    private mutating func facts(_ word: StaticString, _ entry: TreeEntry) {
        out.raw("<li><b>")
        out.raw(word)
        out.raw("</b> ")
        out.text(entry.kind.word)
        out.raw(", ")
        out.text(entry.mode.octal)
        out.raw(" ")
        out.text(ModeText.bytes(of: entry))
        if entry.kind.hasContent {
            out.raw(", ")
            out.text(Quantity.counted(entry.size, "byte", "bytes"))
        }
        if entry.kind == .link {
            out.raw(" to ")
            out.text(entry.target)
        }
        out.raw(", modified ")
        out.text(entry.modified.iso8601())
        for (number, attribute) in entry.attributes.enumerated() {
            out.raw(number == 0 ? ", with attributes " : ", ")
            out.text(attribute.name)
        }
        if entry.kind.hasContent {
            out.raw(", SHA-256 <span class=\"hash\">")
            out.text(entry.digest.hex)
            out.raw("</span>")
        }
        out.raw("</li>")
    }
}
