import CapsuleCore

extension HTMLPageWriter {
    /// Writes a changed entry. It is folded unless it is short and the page has few entries.
    ///
    /// - Parameter name: the path below the directory that it is shown in; nil for that directory itself.
    mutating func entry(_ entry: EntryChange, name: [UInt8]?) {
        let entryClass = EntryClass(entry)
        out.raw("<details class=\"entry v ")
        out.raw(entry.isNoise ? "n" : "s")
        out.raw(entryClass.letter)
        if isFinding(at: entry.path) { out.raw(" hit") }
        out.raw("\" id=\"")
        out.anchor(entry.path.bytes)
        if let handler = entry.handler {
            out.raw("\" data-h=\"")
            out.attribute(handler)
        }
        out.raw(isOpen(entry) ? "\" open><summary>" : "\"><summary>")
        badge(entryClass)
        out.raw("<h3 class=\"name\">")
        if case .renamed(let from) = entry.kind {
            out.raw("<span class=\"from\">")
            path(shortened(from.bytes, beside: entry.path))
            out.raw(" <span class=\"arrow\">\u{2192}</span></span> ")
        }
        if let name { path(name) } else { out.raw("<span class=\"itself\">the directory itself</span>") }
        out.raw("</h3><span class=\"meta\">")
        beginFindings(of: entry)
        if entry.isNoise { pill(entry.noise ?? entry.details.lazy.compactMap(\.noise).first) }
        gist(of: entry)
        out.raw("</span></summary>\n<div class=\"body\">\n")
        pictures(of: entry)
        details(of: entry)
        facts(of: entry)
        out.raw("</div></details>\n")
    }

    private func isOpen(_ entry: EntryChange) -> Bool {
        guard !entry.isNoise, summary.signalEntries <= 40 else { return false }
        if entry.pictures.old != nil || entry.pictures.new != nil { return true }
        let lines = entry.details.reduce(0) { count, detail in
            switch detail.content {
            case .row(let row): count + (row.operation == .modified ? max(1, row.columns.count) : 1)
            case .text(let text): count + text.hunks.reduce(0) { $0 + $1.lines.count }
            default: count + 1
            }
        }
        return lines > 0 && lines <= 60
    }

    /// Returns an entry's old path, relative to the directory of the new path if it is below that.
    private func shortened(_ from: [UInt8], beside path: RelativePath) -> [UInt8] {
        guard let parent = path.parent, !parent.isRoot, from.starts(with: parent.bytes + [UInt8(ascii: "/")]) else { return from }
        return Array(from.dropFirst(parent.bytes.count + 1))
    }

    private mutating func badge(_ entryClass: EntryClass) {
        out.raw("<span class=\"badge c")
        out.raw(entryClass.letter)
        out.raw("\"><span aria-hidden=\"true\">")
        out.raw(entryClass.symbol)
        out.raw("</span><span class=\"vh\">")
        out.raw(entryClass.word)
        out.raw(" </span></span>")
    }

    /// Writes the class of a noise change.
    mutating func pill(_ noise: NoiseClass?) {
        guard let noise else { return }
        out.raw("<span class=\"pill\">")
        out.text(noise.rawValue)
        out.raw("</span> ")
    }

    /// Writes the summary of an entry, which is visible when it is folded: the handler, the number of changes, and the size.
    private mutating func gist(of entry: EntryChange) {
        if let handler = entry.handler {
            out.raw("<span class=\"handler\">")
            out.text(handler)
            out.raw("</span> ")
        }
        if entry.details.contains(where: { !$0.isChange }) {
            out.raw("<span class=\"flag\" title=\"has a note\"><span aria-hidden=\"true\">!</span>")
            out.raw("<span class=\"vh\">has a note</span></span> ")
        }
        let changes = entry.details.count { $0.isChange } + entry.unshown.count
        if changes > 1 || changes == 1 && entry.kind == .modified {
            out.raw("<span>")
            if changes == 1, case .text(let text) = entry.details.first(where: \.isChange)?.content {
                out.raw("+")
                out.number(text.added)
                out.raw(" \u{2212}")
                out.number(text.deleted)
            } else {
                if !entry.unshown.isEmpty {
                    out.text(Quantity.grouped(UInt64(max(0, changes - entry.unshown.count))))
                    out.raw(" of ")
                }
                out.text(Quantity.changes(changes, isExact: !entry.details.contains { $0.isGap }))
            }
            out.raw("</span> ")
        }
        out.raw("<span class=\"size\">")
        switch (Self.size(of: entry.old), Self.size(of: entry.new)) {
        case (let old?, let new?) where old != new:
            out.text(Quantity.bytes(old))
            out.raw(" \u{2192} ")
            out.text(Quantity.bytes(new))
        case (_, let size?), (let size?, nil): out.text(Quantity.bytes(size))
        default: out.raw((entry.new ?? entry.old)?.kind == .link ? "link" : "")
        }
        out.raw("</span>")
    }

    private static func size(of entry: TreeEntry?) -> UInt64? {
        guard let entry, entry.kind.hasContent else { return nil }
        return entry.size
    }
}

extension HTMLPageWriter {
    /// Writes an entry's place and metadata on one line, old and new together. If more than size, time and content differ, each side has a
    /// line of its own.
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
        case (let old?, let new?) where Self.haveSameMetadata(old, new):
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

    private static func haveSameMetadata(_ old: TreeEntry, _ new: TreeEntry) -> Bool {
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

    /// Writes the metadata, with differences as `old → new`.
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

    /// Names the files that contain the change of a database whose main file did not change.
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
