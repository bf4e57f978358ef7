import CapsuleCore
import CapsuleRules

extension HTMLPageWriter {
    /// Writes a changed entry. It is folded unless it has a finding, or is short and the page has few entries.
    /// - Parameter name: the path below the directory that it is shown in; nil for that directory itself.
    mutating func entry(_ entry: EntryChange, name: [UInt8]?) {
        let entryClass = EntryClass(entry)
        write(
            """
            <details class="entry v \(if: entry.isNoise, "n", else: "s")\(entryClass.letter)\
            \(if: isFinding(at: entry.path), " hit")" id="\(anchors)\(anchor: entry.path.bytes)"\
            \(entry.handler.map { #" data-h="\#(attribute: $0)""# })\(if: isOpen(entry), " open")><summary>\
            \(badge(entryClass))<h3 class="name">\(source(of: entry))\
            \(name.map(path) ?? #"<span class="itself">the directory itself</span>"#)</h3>\
            <span class="meta">\(beginFindings(of: entry))\
            \(if: entry.isNoise, pill(entry.noise ?? entry.details.lazy.compactMap(\.noise).first))\(gist(of: entry))</span></summary>
            <div class="body">\n
            """)
        pictures(of: entry)
        details(of: entry)
        write("\(facts(of: entry))</div></details>\n")
    }

    /// The number of entries with findings up to which all of them are open.
    private static let openFindings = 100

    private func isOpen(_ entry: EntryChange) -> Bool {
        if isFinding(at: entry.path), let judged, judged.locations.count <= Self.openFindings { return true }
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

    private func source(of entry: EntryChange) -> HTML? {
        guard case .renamed(let from) = entry.kind else { return nil }
        return #"<span class="from">\#(path(shortened(from.bytes, beside: entry.path))) <span class="arrow">→</span></span> "#
    }

    /// Returns an entry's old path, relative to the directory of the new path if it is below that.
    private func shortened(_ from: [UInt8], beside path: RelativePath) -> [UInt8] {
        guard let parent = path.parent, !parent.isRoot, from.starts(with: parent.bytes + [UInt8(ascii: "/")]) else { return from }
        return Array(from.dropFirst(parent.bytes.count + 1))
    }

    private func badge(_ entryClass: EntryClass) -> HTML {
        """
        <span class="badge c\(entryClass.letter)"><span aria-hidden="true">\(entryClass.symbol)</span>\
        <span class="vh">\(entryClass.word) </span></span>
        """
    }

    func pill(_ noise: NoiseClass?) -> HTML {
        noise.map { #"<span class="pill">\#($0.rawValue)</span> "# } ?? ""
    }

    /// Returns the summary of an entry, which is visible when it is folded: the handler, the number of changes, and the size.
    private func gist(of entry: EntryChange) -> HTML {
        let hasNote = entry.details.contains { !$0.isChange }
        return """
            \(entry.handler.map { #"<span class="handler">\#($0)</span> "# })\(if: hasNote, Self.noteFlag)\
            \(changes(in: entry).map { "<span>\($0)</span> " })<span class="size">\(Self.sizes(of: entry))</span>
            """
    }

    private static var noteFlag: HTML {
        #"<span class="flag" title="has a note"><span aria-hidden="true">!</span><span class="vh">has a note</span></span> "#
    }

    private func changes(in entry: EntryChange) -> HTML? {
        let changes = entry.details.count { $0.isChange } + entry.unshown.count
        guard changes > 1 || changes == 1 && entry.kind == .modified else { return nil }
        if changes == 1, case .text(let text) = entry.details.first(where: \.isChange)?.content {
            return "+\(text.added) −\(text.deleted)"
        }
        let shown = grouped(changes - entry.unshown.count)
        let all = Quantity.changes(changes, isExact: !entry.details.contains { $0.isGap })
        return "\(if: !entry.unshown.isEmpty, "\(shown) of ")\(all)"
    }

    private static func sizes(of entry: EntryChange) -> HTML {
        switch (size(of: entry.old), size(of: entry.new)) {
        case (let old?, let new?) where old != new: "\(Quantity.bytes(old)) → \(Quantity.bytes(new))"
        case (_, let size?), (let size?, nil): "\(Quantity.bytes(size))"
        default: (entry.new ?? entry.old)?.kind == .link ? "link" : ""
        }
    }

    private static func size(of entry: TreeEntry?) -> UInt64? {
        guard let entry, entry.kind.hasContent else { return nil }
        return entry.size
    }

    /// Returns an entry's place and metadata on one line, old and new together. If more than size, time and content differ, each side has a
    /// line of its own.
    private func facts(of entry: EntryChange) -> HTML {
        let place = place(of: entry)
        switch (entry.old, entry.new) {
        case (nil, nil): return #"<p class="facts">\#(place)</p>\#n"#
        case (let side?, nil), (nil, let side?):
            return #"<p class="facts">\#(place) \#(kind(of: side))\#(values(of: side))</p>\#n"#
        case (let old?, let new?) where Self.haveSameMetadata(old, new):
            return #"<p class="facts">\#(place) \#(kind(of: new))\#(values(of: old, new, in: entry))</p>\#n"#
        case (let old?, let new?):
            return """
                <p class="facts">\(place)</p>
                <ul class="facts"><li><b>Old</b> \(kind(of: old))\(values(of: old))</li>\
                <li><b>New</b> \(kind(of: new))\(values(of: new))</li></ul>\n
                """
        }
    }

    private func place(of entry: EntryChange) -> HTML {
        let old: RelativePath? = if case .renamed(let from) = entry.kind { from } else { nil }
        return """
            <span class="where"><a href="#\(anchors)\(anchor: entry.path.bytes)">\(path(entry.path.bytes))</a>\
            \(old.map { #" <span class="from">was \#(path($0.bytes))</span>"# })</span>
            """
    }

    private static func haveSameMetadata(_ old: TreeEntry, _ new: TreeEntry) -> Bool {
        old.kind == new.kind && old.mode == new.mode && old.target == new.target
            && old.attributes.map(\.name) == new.attributes.map(\.name)
    }

    func kind(of entry: TreeEntry) -> HTML {
        "\(entry.kind.word), \(entry.mode.octal) \(ModeText.bytes(of: entry))"
    }

    private func values(of entry: TreeEntry) -> HTML {
        let hasContent = entry.kind.hasContent
        return """
            \(if: hasContent, ", \(Quantity.counted(entry.size, "byte", "bytes"))")\(target(of: entry)), modified \
            \(entry.modified.iso8601())\(attributes(of: entry))\(if: hasContent, ", SHA-256 \(hash(entry.digest))")
            """
    }

    /// Returns the metadata, with differences as `old → new`.
    private func values(of old: TreeEntry, _ new: TreeEntry, in entry: EntryChange) -> HTML {
        let times = (old.modified.iso8601(), new.modified.iso8601())
        let start: HTML =
            """
            \(target(of: new)), modified \(if: times.0 != times.1, "\(times.0) → ")\(times.1)\(attributes(of: new))
            """
        guard new.kind.hasContent else { return start }
        let isSame = old.digest == new.digest
        return """
            , \(if: old.size != new.size, "\(Quantity.grouped(old.size)) → ")\(Quantity.counted(new.size, "byte", "bytes"))\
            \(start), SHA-256 \(if: !isSame, "\(hash(old.digest)) → ")\(hash(new.digest))\
            \(if: isSame && !entry.companions.isEmpty, unchanged(besides: entry.companions))
            """
    }

    private func unchanged(besides companions: [RelativePath]) -> HTML {
        let shown = 3
        let names: [HTML] = companions.prefix(shown).map { companion in
            let isLog = companion.name.suffix(4).elementsEqual("-wal".utf8)
            return #"<b class="in-file">\#(companion.name)</b>\#(if: isLog, " (write-ahead log)")"#
        }
        let more = companions.count - shown
        return """
             on both sides: the change is in \(names, separator: ", ")\
            \(if: more > 0, " and \(counted(more, "more file", "more files"))")
            """
    }

    private func target(of entry: TreeEntry) -> HTML { "\(if: entry.kind == .link, " to \(entry.target)")" }

    private func attributes(of entry: TreeEntry) -> HTML? {
        if entry.attributes.isEmpty { return nil }
        return ", with attributes \(entry.attributes.map { "\($0.name)" }, separator: ", ")"
    }

    func hash(_ digest: ContentDigest) -> HTML { #"<span class="hash">\#(digest.hex)</span>"# }
}
