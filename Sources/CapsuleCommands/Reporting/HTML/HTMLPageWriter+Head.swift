import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

extension HTMLPageWriter {
    /// Writes everything before the body. The content security policy limits the page to its own pictures, this one style and this one
    /// script.
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

    /// Writes the two sources and a summary of their differences.
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

    /// Writes a bar with the shares of the classes.
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

    /// Writes a path that can be broken after each `/`.
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

extension HTMLPageWriter {
    /// Writes a side in the page's title: `run.capsule@2 (after)`, or the last component of its source.
    mutating func title(of side: ContainerDiff.Side) {
        guard let origin = side.origin, let file = origin.file, let version = origin.version else {
            out.text(Self.name(of: side.source))
            return
        }
        out.text(file)
        out.raw("@")
        out.number(version)
        guard let label = origin.label else { return }
        out.raw(" (")
        out.text(label.text)
        out.raw(")")
    }

    /// Writes a side in the page's head: its source as it was typed, and what is known about it.
    mutating func side(
        _ side: ContainerDiff.Side, _ word: StaticString, _ sign: StaticString, _ name: StaticString
    ) {
        out.raw("<span class=\"side ")
        out.raw(name)
        out.raw("\"><span class=\"sign\" aria-hidden=\"true\">")
        out.raw(sign)
        out.raw("</span><span class=\"what\">")
        out.raw(word)
        out.raw("</span> <span class=\"source\">")
        out.text(side.source)
        out.raw("</span>")
        if side.origin != nil || side.tree != nil {
            out.raw(" <span class=\"origin\">")
            var isFirst = true
            if let origin = side.origin { self.origin(origin, &isFirst) }
            if let tree = side.tree {
                separate(&isFirst)
                out.raw("tree <span class=\"hash\">")
                out.text(tree.hex)
                out.raw("</span>")
            }
            out.raw("</span>")
        }
        out.raw("</span>")
    }

    private mutating func origin(_ origin: SideOrigin, _ isFirst: inout Bool) {
        if let version = origin.version {
            separate(&isFirst)
            out.raw("version ")
            out.number(version)
            if let label = origin.label {
                out.raw(", ")
                out.text(label.text)
            }
        }
        if let captured = origin.captured {
            separate(&isFirst)
            out.raw("captured ")
            out.text(captured.iso8601())
        }
        guard let identifier = origin.bundleIdentifier else { return }
        separate(&isFirst)
        out.text(identifier.string)
        if let version = origin.appVersion {
            out.raw(" ")
            out.text(version.string)
        }
    }

    private mutating func separate(_ isFirst: inout Bool) {
        if !isFirst { out.raw(" \u{00B7} ") }
        isFirst = false
    }

    /// Returns the last component of a source.
    static func name(of source: [UInt8]) -> ArraySlice<UInt8> {
        let slash = UInt8(ascii: "/")
        let end = source.lastIndex { $0 != slash }.map { $0 + 1 } ?? source.endIndex
        let start = source[..<end].lastIndex(of: slash).map { $0 + 1 } ?? 0
        return start < end ? source[start..<end] : source[...]
    }
}

extension HTMLPageWriter {
    /// Writes the search, which needs the script, and the filters, which are inputs that the style sheet uses.
    mutating func bar() {
        guard !diff.entries.isEmpty else { return }
        out.raw("<div class=\"bar\" id=\"~bar\" role=\"group\" aria-label=\"Search and filters\">\n")
        search()
        // On a phone, the filters can be unfolded.
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

    /// Writes the filter of a class. If all changes of the class are noise, the filter is hidden until noise is shown.
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

    /// Writes the list of keyboard shortcuts, which the key `?` shows.
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
