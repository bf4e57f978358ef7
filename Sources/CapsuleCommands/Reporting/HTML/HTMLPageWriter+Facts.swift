import CapsuleCore

extension HTMLPageWriter {
    /// Where an entry is and what the index says of it, on one line, old and new together; a line for each side if more than
    /// size, time and content differ.
    mutating func facts(of entry: EntryChange) {
        out.raw("<p class=\"facts\">")
        place(of: entry)
        switch (entry.old, entry.new) {
        case (nil, nil): out.raw("</p>\n")
        case (let side?, nil), (nil, let side?):
            out.raw(" ")
            kind(of: side)
            values(of: side)
            out.raw("</p>\n")
        case (let old?, let new?) where Self.areAlike(old, new):
            out.raw(" ")
            kind(of: new)
            values(of: old, new, in: entry)
            out.raw("</p>\n")
        case (let old?, let new?):
            out.raw("</p>\n<ul class=\"facts\">")
            for (word, side) in [("Old", old), ("New", new)] as [(StaticString, TreeEntry)] {
                out.raw("<li><b>")
                out.raw(word)
                out.raw("</b> ")
                kind(of: side)
                values(of: side)
                out.raw("</li>")
            }
            out.raw("</ul>\n")
        }
    }

    private mutating func place(of entry: EntryChange) {
        out.raw("<span class=\"where\"><a href=\"#")
        out.anchor(entry.path.bytes)
        out.raw("\">")
        path(entry.path.bytes)
        out.raw("</a>")
        if case .renamed(let from) = entry.kind {
            out.raw(" <span class=\"from\">was ")
            path(from.bytes)
            out.raw("</span>")
        }
        out.raw("</span>")
    }

    private static func areAlike(_ old: TreeEntry, _ new: TreeEntry) -> Bool {
        old.kind == new.kind && old.mode == new.mode && old.target == new.target
            && old.attributes.map(\.name) == new.attributes.map(\.name)
    }

    private mutating func kind(of entry: TreeEntry) {
        out.text(entry.kind.word)
        out.raw(", ")
        out.text(entry.mode.octal)
        out.raw(" ")
        out.text(ModeText.bytes(of: entry))
    }

    private mutating func values(of entry: TreeEntry) {
        if entry.kind.hasContent {
            out.raw(", ")
            out.text(Quantity.counted(entry.size, "byte", "bytes"))
        }
        target(of: entry)
        out.raw(", modified ")
        out.text(entry.modified.iso8601())
        attributes(of: entry)
        guard entry.kind.hasContent else { return }
        out.raw(", SHA-256 ")
        hash(entry.digest)
    }

    /// What differs as `old → new`.
    private mutating func values(of old: TreeEntry, _ new: TreeEntry, in entry: EntryChange) {
        if new.kind.hasContent {
            out.raw(", ")
            if old.size != new.size {
                out.text(Quantity.grouped(old.size))
                out.raw(" \u{2192} ")
            }
            out.text(Quantity.counted(new.size, "byte", "bytes"))
        }
        target(of: new)
        out.raw(", modified ")
        let times = (old.modified.iso8601(), new.modified.iso8601())
        if times.0 != times.1 {
            out.text(times.0)
            out.raw(" \u{2192} ")
        }
        out.text(times.1)
        attributes(of: new)
        guard new.kind.hasContent else { return }
        out.raw(", SHA-256 ")
        if old.digest != new.digest {
            hash(old.digest)
            out.raw(" \u{2192} ")
        }
        hash(new.digest)
        if old.digest == new.digest, !entry.companions.isEmpty { unchanged(besides: entry.companions) }
    }

    /// Says which file the change of a database is in whose own file is the same.
    private mutating func unchanged(besides companions: [RelativePath]) {
        out.raw(" on both sides: the change is in ")
        let shown = 3
        for (number, companion) in companions.prefix(shown).enumerated() {
            if number > 0 { out.raw(", ") }
            out.raw("<b class=\"in-file\">")
            out.text(companion.name)
            out.raw("</b>")
            if companion.name.suffix(4).elementsEqual("-wal".utf8) { out.raw(" (write-ahead log)") }
        }
        if companions.count > shown {
            out.raw(" and ")
            out.text(counted(companions.count - shown, "more file", "more files"))
        }
    }

    private mutating func target(of entry: TreeEntry) {
        guard entry.kind == .link else { return }
        out.raw(" to ")
        out.text(entry.target)
    }

    private mutating func attributes(of entry: TreeEntry) {
        for (number, attribute) in entry.attributes.enumerated() {
            out.raw(number == 0 ? ", with attributes " : ", ")
            out.text(attribute.name)
        }
    }

    private mutating func hash(_ digest: ContentDigest) {
        out.raw("<span class=\"hash\">")
        out.text(digest.hex)
        out.raw("</span>")
    }
}
