import CapsuleCore
import CapsuleRules

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

    /// Begins a section, which is hidden if all its lines are noise.
    mutating func openSection(isNoise: Bool) {
        write("<section\(if: isNoise, Self.noiseClass)>")
    }

    mutating func openSection(_ details: ArraySlice<ChangeDetail>) {
        openSection(isNoise: details.allSatisfy { $0.noise != nil })
    }

    static var noiseClass: HTML { #" class="nz""# }

    /// Writes the number of lines that the noise filter hides, since they are always counted.
    private mutating func hiddenNoise(in entry: EntryChange) {
        guard !entry.isNoise else { return }
        let hidden = entry.details.count { $0.isChange && $0.noise != nil }
        if hidden > 0 { write(#"<p class="hid off-only">\#(counted(hidden, "change", "changes")) hidden as noise</p>\#n"#) }
    }

    /// Writes a warning at the top if the page is not complete, with the places and the reasons.
    mutating func incomplete() {
        guard !diff.isComplete || summary.notes > 0 else { return }
        let problem =
            !diff.isComplete
            ? diff.isExact ? "All changes are counted, but not all are shown" : "This report is incomplete"
            : summary.noted.isEmpty ? "Not everything was compared" : "Some contents were compared less precisely"
        guard summary.notes > 0 else {
            return write(#"<div class="note warn"><p><strong>\#(problem).</strong></p></div>\#n"#)
        }
        let shown = 20
        let notes: [HTML] = diff.notes.map { "<li>\(line($0))</li>" }
        let entries: [HTML] = summary.noted.prefix(shown).map { index, detail in
            let path = diff.entries[index].path.bytes
            return ##"<li><a href="#\##(anchor: path)">\##(self.path(path))</a>: \##(gist(of: detail))</li>"##
        }
        let more = summary.noted.count - shown
        write(
            """
            <div class="note warn"><p><strong>\(problem) (\(counted(summary.notes, "note", "notes"))):</strong></p>
            <ul>\(notes)\(entries)\(if: more > 0, "<li>and \(counted(more, "more entry", "more entries"))</li>")</ul></div>\n
            """)
    }

    private mutating func gist(of detail: ChangeDetail) -> HTML {
        switch detail.content {
        case .fallback(let fallback) where fallback.to == HandlerFallback.nothing: line(fallback.reason)
        case .fallback(let fallback): "compared as \(line(fallback.to))"
        case .limit(let limit) where limit.isJudged: shown(by: limit)
        case .limit: "not fully compared"
        default: ""
        }
    }

    private mutating func encoding(_ change: EncodingChange, noise: NoiseClass?) {
        openSection(isNoise: noise != nil)
        func value(_ encoding: String) -> HTML { #"<span class="val">\#(line(encoding))</span>"# }
        let text: HTML =
            change.old == change.new
            ? "written differently as \(value(change.new))"
            : "encoded as \(value(change.old)) → \(value(change.new))"
        write(
            """
            <h4>Encoding \(pill(noise))</h4>
            <p class="plain">Same content, \(text)</p>
            </section>\n
            """)
    }

    private mutating func note(_ fallback: HandlerFallback) {
        let title: HTML =
            fallback.to == HandlerFallback.nothing
            ? "Not fully compared." : "Compared as \(line(fallback.to)), not as \(line(fallback.from))."
        let side =
            switch fallback.side {
            case .a: "The old side"
            case .b: "The new side"
            case .both: "Both sides"
            }
        write(#"<div class="note warn"><p><strong>\#(title)</strong> \#(side): \#(line(fallback.reason))</p></div>\#n"#)
    }

    private mutating func note(_ limit: Truncation) {
        let text: HTML =
            limit.isJudged
            ? "<strong>Not everything is shown:</strong> \(shown(by: limit))"
            : "<strong>Not fully compared:</strong> \(line(limit.reason))"
        write(#"<div class="note warn"><p>\#(text)</p></div>\#n"#)
    }

    /// `1,000 of 52,311 rows of the table ZLOG`
    private mutating func shown(by limit: Truncation) -> HTML {
        let extent: HTML =
            switch (limit.shown, limit.total) {
            case (let shown?, let total?): "\(Quantity.grouped(shown)) of \(Quantity.grouped(total)) "
            case (let shown?, nil): "no more than \(Quantity.grouped(shown)) "
            case (nil, let total?): "not all of \(Quantity.grouped(total)) "
            case (nil, nil): "stopped at the limit of "
            }
        let what = line(limit.what)
        return "\(extent)\(what)\(limit.table.map { #" of the table <span class="sql">\#(line($0))</span>"# })"
    }

    private mutating func text(_ change: TextChange, noise: NoiseClass?) {
        openSection(isNoise: noise != nil)
        write(
            """
            <h4>Text <span class="count">\(line(change.encoding))</span> \
            <span class="count"><span class="plus">+\(grouped(change.added))</span> \
            <span class="minus">−\(grouped(change.deleted))</span></span> \(pill(noise))</h4>\n
            """)
        if !change.hunks.isEmpty {
            write(
                """
                <div class="scroll"><table class="text"><caption class="vh">Lines that differ</caption>\
                <thead class="vh"><tr><th scope="col">Old line</th><th scope="col">New line</th>\
                <th scope="col">Change</th><th scope="col">Text</th></tr></thead>\n
                """)
            for hunk in change.hunks { self.hunk(hunk) }
            write("</table></div>\n")
        }
        let missing = change.hunkCount - min(change.hunkCount, change.hunks.count)
        if missing > 0 { write(#"<p class="hid">\#(counted(missing, "more hunk is", "more hunks are")) not shown</p>\#n"#) }
        write("</section>\n")
    }

    private mutating func hunk(_ hunk: TextChange.Hunk) {
        write(
            """
            <tbody><tr class="hunk"><th colspan="4" scope="rowgroup">@@ −\(range(hunk.old)) +\(range(hunk.new)) @@</th></tr>\n
            """)
        var old = hunk.old.start
        var new = hunk.new.start
        for line in hunk.lines {
            let text: HTML =
                """
                \(self.line(line.text, keepsTabs: true))\(if: line.isCut, markCut())\
                \(if: line.lacksNewline, #" <span class="eof">no newline at the end</span>"#)</td></tr>\n
                """
            switch line.kind {
            case .context:
                write(#"<tr><td class="n">\#(old)</td><td class="n">\#(new)</td><td class="sg"></td><td class="l">\#(text)"#)
            case .deleted:
                write(
                    #"<tr class="del"><td class="n">\#(old)</td><td class="n"></td><td class="sg">−</td><td class="l">\#(text)"#)
            case .added:
                write(
                    #"<tr class="add"><td class="n"></td><td class="n">\#(new)</td><td class="sg">+</td><td class="l">\#(text)"#)
            }
            if line.kind != .added { old &+= 1 }
            if line.kind != .deleted { new &+= 1 }
        }
        write("</tbody>\n")
    }

    private func range(_ range: TextChange.LineRange) -> HTML {
        "\(range.start)\(if: range.count != 1, ",\(range.count)")"
    }

    private mutating func bytes(_ change: BytesChange, noise: NoiseClass?) {
        openSection(isNoise: noise != nil)
        let first: HTML =
            change.first.map {
                #"at byte \#(Quantity.grouped($0)) <span class="dim">0x\#(String($0, radix: 16, uppercase: true))</span>"#
            } ?? (change.oldSize < change.newSize ? "none: the new file is longer" : "none: the new file is shorter")
        write(
            """
            <h4>Bytes \(pill(noise))</h4>
            <dl class="bytes"><div><dt>Old size</dt><dd>\(Quantity.counted(change.oldSize, "byte", "bytes"))</dd></div>\
            <div><dt>New size</dt><dd>\(Quantity.counted(change.newSize, "byte", "bytes"))</dd></div>\
            <div><dt>First difference</dt><dd>\(first)</dd></div>\
            \(change.equal.flatMap(equalShare))</dl>
            </section>\n
            """)
    }

    private func equalShare(_ equal: Double) -> HTML? {
        guard equal.isFinite else { return nil }
        // Rounded down, so that contents that differ are never 100 % equal.
        let tenths = Int((min(max(equal, 0), 1) * 1_000).rounded(.down))
        return """
            <div><dt>Equal share</dt><dd><svg class="meter" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">\
            <rect class="whole" width="1000" height="10"></rect><rect class="part" height="10" width="\(tenths)"></rect></svg> \
            \(tenths / 10).\(tenths % 10) %</dd></div>
            """
    }
}
