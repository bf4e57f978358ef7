import CapsuleCore
import CapsuleEngine

extension HTMLPageWriter {
    /// Everything before the body. What the page may do is told to the browser: show its own pictures, use this one style
    /// and run this one script.
    mutating func head(version: String) {
        out.raw(ReportMark.pageStart)
        out.raw("<meta charset=\"utf-8\">\n")
        out.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"")
        let styles = PageStyle.parts + (judged == nil ? [] : [FindingsStyle.text])
        out.attribute(PagePolicy.text(style: HTMLBuffer.joined(styles), script: HTMLBuffer.joined(PageScript.parts)))
        out.raw("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        out.raw("<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light dark\">\n")
        out.raw("<meta name=\"generator\" content=\"")
        out.attribute(ReportMark.generator + version)
        out.raw("\">\n<link rel=\"icon\" href=\"data:,\">\n<title>")
        title(of: diff.old)
        out.raw(" \u{2192} ")
        title(of: diff.new)
        out.raw(" \u{00B7} capsule diff</title>\n<style>")
        for part in styles { out.raw(part) }
        out.raw("</style>\n</head>\n")
    }

    /// The two sources and what there is between them.
    mutating func masthead(version: String, command: [UInt8]) {
        out.raw("<header class=\"mast\">\n<div class=\"mark\"><p>capsule diff <span class=\"by\">")
        out.text(version)
        out.raw("</span></p><label class=\"theme\"><span class=\"vh\">Colors</span><select id=\"theme\" autocomplete=\"off\">")
        out.raw("<option value=\"auto\">System colors</option><option value=\"light\">Light</option>")
        out.raw("<option value=\"dark\">Dark</option></select></label></div>\n")
        outcome()
        out.raw("<h1>")
        side(diff.old, "Old", "\u{2212}", "old")
        out.raw("<span class=\"vh\"> compared with </span>")
        side(diff.new, "New", "+", "new")
        out.raw("</h1>\n")
        if !command.isEmpty {
            out.raw("<p class=\"command\"><span class=\"vh\">Command: </span><code>")
            out.text(command)
            out.raw("</code></p>\n")
        }
        verdict()
        if summary.signalEntries > 0 { shares() }
        incomplete()
        out.raw("</header>\n")
    }

    private mutating func verdict() {
        let counts = summary.counts
        out.raw("<p class=\"verdict\">")
        if counts.changes == 0, summary.signalEntries == 0 {
            out.raw("<strong>")
            out.raw(counts.noiseChanges > 0 ? "Only noise differs" : "Nothing differs")
            out.raw("</strong>")
        } else {
            out.raw("<strong>")
            out.text(Quantity.changes(counts.changes, isExact: diff.isExact))
            out.raw("</strong> in ")
            out.text(counted(summary.signalEntries, "entry", "entries"))
            if diff.unshownChanges > 0 {
                out.raw("; this page shows ")
                out.text(Quantity.grouped(UInt64(counts.changes + counts.noiseChanges - diff.unshownChanges)))
                out.raw(" of them")
            }
        }
        out.raw("</p>\n")
        guard counts.noiseChanges > 0 else { return }
        out.raw("<p class=\"noise\"><span class=\"off-only\">")
        out.text(Quantity.changes(counts.noiseChanges, isExact: diff.isExact))
        out.raw(" hidden as noise</span><span class=\"on-only\">")
        out.text(Quantity.changes(counts.noiseChanges, isExact: diff.isExact))
        out.raw(" of noise shown</span>: ")
        for (number, each) in counts.noise.enumerated() {
            if number > 0 { out.raw(", ") }
            out.text(each.noise.rawValue)
            out.raw("\u{00A0}")
            out.text(Quantity.grouped(UInt64(each.changes)))
        }
        out.raw("</p>\n")
    }

    /// How the entries are shared among the classes, as one bar.
    private mutating func shares() {
        let total = summary.signalEntries
        out.raw("<svg class=\"shares\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">")
        var done = 0
        for each in EntryClass.allCases where summary.signal[each.rawValue] > 0 {
            let start = done * 1_000 / total
            done += summary.signal[each.rawValue]
            out.raw("<rect class=\"c")
            out.raw(each.letter)
            out.raw("\" x=\"")
            out.number(start)
            out.raw("\" y=\"0\" height=\"10\" width=\"")
            out.number(max(1, done * 1_000 / total - start))
            out.raw("\"></rect>")
        }
        out.raw("</svg>\n")
    }

    mutating func foot() {
        out.raw("<footer>\n")
        if cutValues > 0 {
            out.raw("<p>")
            out.text(counted(cutValues, "value is", "values are"))
            out.raw(" shortened, marked <span class=\"cut\">cut</span>; <code>--full</code> shows them in full.</p>\n")
        }
        out.raw("<p>Made by <code>capsule diff --html</code>. This page loads nothing from the network.</p>\n</footer>\n<script>")
        for part in PageScript.parts { out.raw(part) }
        out.raw("</script>\n")
    }

    /// A path that may be broken behind each `/`.
    mutating func path(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else {
            out.raw("(the container itself)")
            return
        }
        for (number, part) in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).enumerated() {
            if number > 0 { out.raw("/<wbr>") }
            out.text(part)
        }
    }
}
