import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsulePropertyList
import CapsuleRules

extension HTMLPageWriter {
    /// Writes everything before the body. The content security policy limits the page to its own pictures, this one style and this one
    /// script.
    mutating func head(_ title: HTML, version: String, _ styles: [StaticString], _ scripts: [StaticString]) {
        let style = HTML(joining: styles)
        let policy = PagePolicy.text(style: style.bytes, script: HTML(joining: scripts).bytes)
        write(
            """
            \(ReportMark.pageStart)\
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(attribute: policy)">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="referrer" content="no-referrer">
            <meta name="color-scheme" content="light dark">
            <meta name="generator" content="\(attribute: ReportMark.generator + version)">
            <link rel="icon" href="data:,">
            <title>\(title)</title>
            <style>\(style)</style>
            </head>\n
            """)
    }

    mutating func masthead(version: String) {
        write(
            """
            <header class="mast">
            \(Self.mark("capsule diff", version))
            """)
        commandOutcome()
        outcome()
        write(
            """
            <h1>\(side(diff.old, "Old", "−", "old"))<span class="vh"> compared with </span>\(side(diff.new, "New", "+", "new"))</h1>
            \(verdict)\(hiddenNoise)\(if: summary.signalEntries > 0, shares)
            """)
        incomplete()
        write("</header>\n")
    }

    /// Returns the line with the program's name and the choice of colors.
    static func mark(_ name: StaticString, _ version: String) -> HTML {
        """
        <div class="mark"><p>\(name) <span class="by">\(version)</span></p>\
        <label class="theme"><span class="vh">Colors</span><select id="theme" autocomplete="off">\
        <option value="auto">System colors</option><option value="light">Light</option>\
        <option value="dark">Dark</option></select></label></div>\n
        """
    }

    private var verdict: HTML {
        let counts = summary.counts
        if counts.changes == 0, summary.signalEntries == 0 {
            let text = counts.noiseChanges > 0 ? "Only noise differs" : "Nothing differs"
            return #"<p class="verdict"><strong>\#(text)</strong></p>\#n"#
        }
        let shown = counts.changes + counts.noiseChanges - diff.unshownChanges
        return """
            <p class="verdict"><strong>\(changes(counts.changes))</strong> in \
            \(counted(summary.signalEntries, "entry", "entries"))\
            \(if: diff.unshownChanges > 0, "; this page shows \(grouped(shown)) of them")</p>\n
            """
    }

    private var hiddenNoise: HTML? {
        let counts = summary.counts
        guard counts.noiseChanges > 0 else { return nil }
        let classes: [HTML] = counts.noise.map { "\($0.noise.rawValue)\u{00A0}\(grouped($0.changes))" }
        return """
            <p class="noise"><span class="off-only">\(changes(counts.noiseChanges)) hidden as noise</span>\
            <span class="on-only">\(changes(counts.noiseChanges)) of noise shown</span>: \(classes, separator: ", ")</p>\n
            """
    }

    private func changes(_ count: Int) -> String { Quantity.changes(count, isExact: diff.isExact) }

    private var shares: HTML {
        let total = summary.signalEntries
        var done = 0
        let bars = EntryClass.allCases.filter { summary.signal[$0.rawValue] > 0 }.map { each -> HTML in
            let start = done * 1_000 / total
            done += summary.signal[each.rawValue]
            let width = max(1, done * 1_000 / total - start)
            return #"<rect class="c\#(each.letter)" x="\#(start)" y="0" height="10" width="\#(width)"></rect>"#
        }
        return """
            <svg class="shares" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">\(bars)</svg>\n
            """
    }

    mutating func foot(_ command: StaticString, _ scripts: [StaticString]) {
        write("<footer>\n")
        if cutValues > 0 {
            write(
                """
                <p>\(counted(cutValues, "value is", "values are")) shortened, marked <span class="cut">cut</span>; \
                <code>--full</code> shows them in full.</p>\n
                """)
        }
        write(
            """
            <p>Made by <code>capsule \(command)</code>. This page loads nothing from the network.</p>
            </footer>
            <script>\(HTML(joining: scripts))</script>\n
            """)
    }

    /// Returns a path that can be broken after each `/`.
    func path(_ bytes: [UInt8]) -> HTML {
        if bytes.isEmpty { return "(the container itself)" }
        let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return "\(parts.map { "\($0)" }, separator: "/<wbr>")"
    }

    /// Returns a side for the page's title: `run.capsule@2 (after)`, or the last component of its source.
    func title(of side: ContainerDiff.Side) -> HTML {
        guard let origin = side.origin, let file = origin.file, let version = origin.version else {
            return "\(Self.name(of: side.source))"
        }
        return "\(file)@\(version)\(origin.label.map { " (\($0.text))" })"
    }

    /// Returns a side for the page's head: its source as it was typed, and what is known about it.
    private func side(
        _ side: ContainerDiff.Side, _ word: StaticString, _ sign: StaticString, _ name: StaticString
    ) -> HTML {
        var facts = side.origin.map(facts(of:)) ?? []
        if let tree = side.tree { facts.append(#"tree <span class="hash">\#(tree.hex)</span>"#) }
        let isKnown = side.origin != nil || side.tree != nil
        return """
            <span class="side \(name)"><span class="sign" aria-hidden="true">\(sign)</span><span class="what">\(word)</span> \
            <span class="source">\(side.source)</span>\
            \(if: isKnown, #" <span class="origin">\#(facts, separator: " · ")</span>"#)</span>
            """
    }

    func facts(of origin: SideOrigin) -> [HTML] {
        var facts: [HTML] = []
        if let version = origin.version { facts.append("version \(version)\(origin.label.map { ", \($0.text)" })") }
        if let captured = origin.captured { facts.append("captured \(captured.iso8601())") }
        if let identifier = origin.bundleIdentifier {
            facts.append("\(identifier.string)\(origin.appVersion.map { " \($0.string)" })")
        }
        return facts
    }

    static func name(of source: [UInt8]) -> ArraySlice<UInt8> {
        let slash = UInt8(ascii: "/")
        let end = source.lastIndex { $0 != slash }.map { $0 + 1 } ?? source.endIndex
        let start = source[..<end].lastIndex(of: slash).map { $0 + 1 } ?? 0
        return start < end ? source[start..<end] : source[...]
    }

    /// Writes the filter by words, which needs the script, and the others, which are inputs that the style sheet uses.
    mutating func bar() {
        guard !diff.entries.isEmpty else { return }
        write(
            """
            <div class="bar" id="~bar" role="group" aria-label="Filters">
            \(Self.search)\
            <label class="more"><input type="checkbox" class="vh" id="more" autocomplete="off">Filters</label>
            <div class="tools js">\(if: summary.handlers.count > 1, handlerChoice)\
            <button type="button" id="open">Expand all</button><button type="button" id="shut">Collapse all</button></div>
            <div class="chips">\(EntryClass.allCases.filter(summary.has).map(chip))\
            \(if: summary.counts.noiseChanges > 0, noiseChip)\(findingsChip)</div></div>\n
            """)
    }

    static var search: HTML {
        """
        <div class="find js"><label class="vh" for="find">Only entries with these words</label>\
        <input type="search" id="find" placeholder="Filter by paths, pointers, values" autocomplete="off" spellcheck="false">\
        <span class="found" id="found" role="status"></span></div>\n
        """
    }

    /// Returns the filter for a class of changes. If all changes of the class are noise, the filter is hidden until noise is shown.
    private func chip(_ each: EntryClass) -> HTML {
        let (signal, noise) = (summary.signal[each.rawValue], summary.noise[each.rawValue])
        let count: HTML =
            noise > 0 && signal > 0
            ? #"<span class="off-only">\#(grouped(signal))</span><span class="on-only">\#(grouped(signal + noise))</span>"#
            : "\(grouped(signal + noise))"
        return """
            <label class="chip\(if: signal == 0, " on-only") c\(each.letter)">\
            <input type="checkbox" autocomplete="off" checked id="f-\(each.letter)">\
            <span class="sign" aria-hidden="true">\(each.symbol)</span> \(each.word) <b>\(count)</b></label>
            """
    }

    private var noiseChip: HTML {
        """
        <label class="chip cn"><input type="checkbox" autocomplete="off" id="f-n">\
        <span class="sign" aria-hidden="true">·</span> noise <b>\(grouped(summary.counts.noiseChanges))</b></label>
        """
    }

    private var handlerChoice: HTML {
        let options: [HTML] = summary.handlers.map { handler in
            #"<option value="\#(attribute: handler.name)">\#(handler.name) (\#(grouped(handler.entries)))</option>"#
        }
        return """
            <label><span class="vh">Compared as</span><select id="handler" autocomplete="off">\
            <option value="">Any content</option>\(options)</select></label>
            """
    }
}
