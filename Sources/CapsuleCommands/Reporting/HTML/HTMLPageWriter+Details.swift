import CapsuleCore

extension HTMLPageWriter {
    /// Writes the differences inside an entry. Consecutive details of the same kind form a section.
    mutating func details(of entry: EntryChange) {
        var rest = entry.details[...]
        while let first = rest.first {
            let section = Self.section(of: first)
            let end = rest.firstIndex { Self.section(of: $0) != section } ?? rest.endIndex
            let details = rest[rest.startIndex..<end]
            rest = rest[end...]
            write(details, of: section, in: entry)
        }
        hiddenNoise(in: entry)
    }

    private enum Section: Hashable {
        case values
        case rows(table: String)
        case schema
        case cookies
        case metadata
        case single
    }

    private static func section(of detail: ChangeDetail) -> Section {
        switch detail.content {
        case .value: .values
        case .row(let row): .rows(table: row.table)
        case .schema: .schema
        case .cookie: .cookies
        case .metadata: .metadata
        default: .single
        }
    }

    private mutating func write(_ details: ArraySlice<ChangeDetail>, of section: Section, in entry: EntryChange) {
        switch section {
        case .values: values(details)
        case .rows(let table): rows(details, of: Self.total(of: table, in: entry))
        case .schema: schema(details)
        case .cookies: cookies(details)
        case .metadata: metadata(details)
        case .single: for detail in details { single(detail, in: entry) }
        }
    }

    /// Returns the number of rows of a table that differ, if the entry says that not all of them are shown.
    private static func total(of table: String, in entry: EntryChange) -> UInt64? {
        entry.details.lazy.compactMap { detail -> UInt64? in
            guard case .limit(let limit) = detail.content, limit.table == table, limit.what == "rows" else { return nil }
            return limit.total
        }
        .first
    }

    private mutating func single(_ detail: ChangeDetail, in entry: EntryChange) {
        markLine(detail.content)
        switch detail.content {
        case .text(let change): text(change, noise: detail.noise)
        case .bytes(let change): bytes(change, noise: detail.noise)
        case .image(let change): image(change, of: entry, noise: detail.noise)
        case .encoding(let change): encoding(change, noise: detail.noise)
        case .fallback(let fallback): note(fallback)
        case .limit(let limit): note(limit)
        default: break
        }
    }

    /// Opens a section. It is hidden if all its lines are noise.
    mutating func openSection(isNoise: Bool) {
        out.raw(isNoise ? "<section class=\"nz\">" : "<section>")
    }

    mutating func openSection(_ details: ArraySlice<ChangeDetail>) {
        openSection(isNoise: details.allSatisfy { $0.noise != nil })
    }

    /// Writes the number of lines that the noise filter hides, since they are always counted.
    private mutating func hiddenNoise(in entry: EntryChange) {
        guard !entry.isNoise else { return }
        let hidden = entry.details.count { $0.isChange && $0.noise != nil }
        guard hidden > 0 else { return }
        out.raw("<p class=\"hid off-only\">")
        out.text(counted(hidden, "change", "changes"))
        out.raw(" hidden as noise</p>\n")
    }
}

extension HTMLPageWriter {
    /// Writes a warning at the top if the page is not complete, with the places and the reasons.
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

    /// Writes a note in a few words.
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

    /// Writes that only the encoding of a value differs.
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

    /// Writes the reason why a content was compared less precisely.
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

    /// Writes a note on what is not shown.
    mutating func note(_ limit: Truncation) {
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
    private mutating func shown(by limit: Truncation) {
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

extension HTMLPageWriter {
    /// Writes lines of a text, as in a unified diff.
    mutating func text(_ change: TextChange, noise: NoiseClass?) {
        openSection(isNoise: noise != nil)
        out.raw("<h4>Text <span class=\"count\">")
        line(change.encoding)
        out.raw("</span> <span class=\"count\"><span class=\"plus\">+")
        out.text(Quantity.grouped(UInt64(max(0, change.added))))
        out.raw("</span> <span class=\"minus\">\u{2212}")
        out.text(Quantity.grouped(UInt64(max(0, change.deleted))))
        out.raw("</span></span> ")
        pill(noise)
        out.raw("</h4>\n")
        if !change.hunks.isEmpty {
            out.raw("<div class=\"scroll\"><table class=\"text\"><caption class=\"vh\">Lines that differ</caption>")
            out.raw("<thead class=\"vh\"><tr><th scope=\"col\">Old line</th><th scope=\"col\">New line</th>")
            out.raw("<th scope=\"col\">Change</th><th scope=\"col\">Text</th></tr></thead>\n")
            for hunk in change.hunks { self.hunk(hunk) }
            out.raw("</table></div>\n")
        }
        let missing = change.hunkCount - min(change.hunkCount, change.hunks.count)
        if missing > 0 {
            out.raw("<p class=\"hid\">")
            out.text(counted(missing, "more hunk is", "more hunks are"))
            out.raw(" not shown</p>\n")
        }
        out.raw("</section>\n")
    }

    private mutating func hunk(_ hunk: TextChange.Hunk) {
        out.raw("<tbody><tr class=\"hunk\"><th colspan=\"4\" scope=\"rowgroup\">@@ \u{2212}")
        range(hunk.old)
        out.raw(" +")
        range(hunk.new)
        out.raw(" @@</th></tr>\n")
        var old = hunk.old.start
        var new = hunk.new.start
        for line in hunk.lines {
            switch line.kind {
            case .context: out.raw("<tr><td class=\"n\">")
            case .deleted: out.raw("<tr class=\"del\"><td class=\"n\">")
            case .added: out.raw("<tr class=\"add\"><td class=\"n\">")
            }
            if line.kind != .added {
                out.number(old)
                old &+= 1
            }
            out.raw("</td><td class=\"n\">")
            if line.kind != .deleted {
                out.number(new)
                new &+= 1
            }
            switch line.kind {
            case .context: out.raw("</td><td class=\"sg\"></td><td class=\"l\">")
            case .deleted: out.raw("</td><td class=\"sg\">\u{2212}</td><td class=\"l\">")
            case .added: out.raw("</td><td class=\"sg\">+</td><td class=\"l\">")
            }
            self.line(line.text, keepsTabs: true)
            if line.isCut { markCut() }
            if line.lacksNewline { out.raw(" <span class=\"eof\">no newline at the end</span>") }
            out.raw("</td></tr>\n")
        }
        out.raw("</tbody>\n")
    }

    private mutating func range(_ range: TextChange.LineRange) {
        out.number(range.start)
        guard range.count != 1 else { return }
        out.raw(",")
        out.number(range.count)
    }

    /// Writes the differences between bytes of an unknown format.
    mutating func bytes(_ change: BytesChange, noise: NoiseClass?) {
        openSection(isNoise: noise != nil)
        out.raw("<h4>Bytes ")
        pill(noise)
        out.raw("</h4>\n<dl class=\"bytes\"><div><dt>Old size</dt><dd>")
        out.text(Quantity.counted(change.oldSize, "byte", "bytes"))
        out.raw("</dd></div><div><dt>New size</dt><dd>")
        out.text(Quantity.counted(change.newSize, "byte", "bytes"))
        out.raw("</dd></div><div><dt>First difference</dt><dd>")
        if let first = change.first {
            out.raw("at byte ")
            out.text(Quantity.grouped(first))
            out.raw(" <span class=\"dim\">0x")
            out.text(String(first, radix: 16, uppercase: true))
            out.raw("</span>")
        } else {
            out.raw(change.oldSize < change.newSize ? "none: the new file is longer" : "none: the new file is shorter")
        }
        out.raw("</dd></div>")
        if let equal = change.equal, equal.isFinite {
            // Rounded down, so that contents that differ are never 100 % equal.
            let tenths = Int((min(max(equal, 0), 1) * 1_000).rounded(.down))
            out.raw("<div><dt>Equal share</dt><dd><svg class=\"meter\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\"")
            out.raw(" aria-hidden=\"true\"><rect class=\"whole\" width=\"1000\" height=\"10\"></rect>")
            out.raw("<rect class=\"part\" height=\"10\" width=\"")
            out.number(tenths)
            out.raw("\"></rect></svg> ")
            out.number(tenths / 10)
            out.raw(".")
            out.number(tenths % 10)
            out.raw(" %</dd></div>")
        }
        out.raw("</dl>\n</section>\n")
    }
}
