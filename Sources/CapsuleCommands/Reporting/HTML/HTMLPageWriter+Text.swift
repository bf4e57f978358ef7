import CapsuleCore

extension HTMLPageWriter {
    /// Lines of a text, as in a unified diff.
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

    /// What can be said of bytes that nothing is known of.
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
            // Rounded down: what differs is never all equal.
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
