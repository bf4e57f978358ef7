import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsulePropertyList
import CapsuleRules

extension HTMLPageWriter {
    /// Writes the head of the page of one state: the app, and the facts that `capsule show` prints first.
    mutating func masthead(of state: ContainerState, _ source: [UInt8], version: String) {
        let overview = state.overview
        let app = [overview.origin.bundleIdentifier?.string, overview.origin.appVersion?.string].compactMap { $0 }
        var facts: [HTML] = []
        if let version = overview.origin.version {
            facts.append("version \(version)\(overview.origin.label.map { " (\($0.text))" })")
        }
        if let captured = overview.origin.captured { facts.append("captured \(captured.iso8601())") }
        if !overview.groups.isEmpty { facts.append("\(counted(overview.groups.count, "app group", "app groups"))") }
        write(
            """
            <header class="mast">
            \(Self.mark("capsule show", version))<h1><span class="app">\(if: app.isEmpty, "\(overview.name)", else: "\(app.joined(separator: " "))")</span></h1>
            <p class="origin"><span class="source">\(source)</span>\(facts.map { " · \($0)" })</p>
            <p class="verdict"><strong>\(Quantity.bytes(overview.bytes))</strong> in \
            \(Quantity.counted(overview.entries, "entry", "entries"))\
            \(if: overview.omitted > 0, ", \(counted(overview.omitted, "path", "paths")) left out of the capture")</p>
            </header>\n
            """)
    }

    /// Writes the filters: by words and by kind.
    mutating func bar(of state: ContainerState) {
        let counts = state.entries.reduce(into: [FileKind: Int]()) { counts, entry in
            if entry.entry.kind != .directory { counts[entry.kind, default: 0] += 1 }
        }
        let chips: [HTML] = FileKind.allCases.filter { counts[$0] != nil }.map { kind in
            """
            <label class="chip c\(kind.letter)"><input type="checkbox" autocomplete="off" checked id="f-\(kind.letter)">\
            \(kind.rawValue) <b>\(grouped(counts[kind] ?? 0))</b></label>
            """
        }
        write(
            """
            <div class="bar" id="~bar" role="group" aria-label="Filters">
            \(Self.search)\
            <label class="more"><input type="checkbox" class="vh" id="more" autocomplete="off">Filters</label>
            <div class="tools js"><button type="button" id="open">Expand all</button>\
            <button type="button" id="shut">Collapse all</button></div>
            <div class="chips">\(chips)</div></div>\n
            """)
    }

    /// Writes the tree of all entries. Contents are in the entries that have them.
    mutating func tree(
        of state: ContainerState, _ tree: StateTree, _ panes: [Int: HTML], hasContent: Bool
    ) {
        write("<main id=\"main\">\n<h2>Files</h2>\n")
        guard !tree.lines.isEmpty else {
            return write("<p class=\"empty\">The container has no entries.</p>\n</main>\n")
        }
        write("<div class=\"tree\">\n")
        for child in tree.tree.nodes[0].children where tree.isShown[child] {
            node(child, tree, panes, hasContent: hasContent, isOpen: true)
        }
        write("</div>\n<p class=\"empty\" id=\"none\" hidden>No matches.</p>\n")
        omitted(tree.tree.nodes[0].children, tree)
        write("</main>\n")
    }

    /// The recursion is limited by the depth of the tree.
    private mutating func node(
        _ number: Int, _ tree: StateTree, _ panes: [Int: HTML], hasContent: Bool, isOpen: Bool
    ) {
        let node = tree.tree.nodes[number]
        guard !node.children.isEmpty else {
            if let index = node.entry {
                line(of: tree.lines[index], name: node.name, panes[index], hasContent: hasContent)
            }
            return
        }
        write(
            """
            <details class="dir v\(classes(node, FileKind.allCases.map(\.letter)))"\(if: isOpen, " open")><summary><span class="name">\(path(node.name))/</span> \
            <span class="count">\(grouped(node.signalCount))</span>\(bar(tree.bytes[number], of: tree.bytes[0]))\
            <span class="size">\(Quantity.bytes(tree.bytes[number]))</span></summary>
            <div class="in">\n
            """)
        for child in node.children where tree.isShown[child] {
            self.node(child, tree, panes, hasContent: hasContent, isOpen: tree.lines.count <= 200)
        }
        omitted(node.children, tree)
        write("</div></details>\n")
    }

    /// Writes the number of entries of a directory that the page does not show.
    private mutating func omitted(_ nodes: [Int], _ tree: StateTree) {
        let omitted = nodes.filter { !tree.isShown[$0] }
        guard !omitted.isEmpty else { return }
        let count = omitted.reduce(0) { $0 + tree.tree.nodes[$1].signalCount }
        write(
            """
            <p class="hid">\(counted(count, "more entry", "more entries")) with \
            \(Quantity.bytes(omitted.reduce(0) { $0 &+ tree.bytes[$1] })): <code>--max-bytes</code> makes a larger page.</p>\n
            """)
    }

    /// Returns a bar for a share of at least one percent.
    private func bar(_ bytes: UInt64, of total: UInt64) -> HTML? {
        guard total > 0, bytes / 2 >= total / 200 else { return nil }
        let share = min(100, max(1, UInt64(Double(bytes) / Double(total) * 100)))
        return """
            <svg class="share" aria-hidden="true"><rect width="\(share)%" height="100%"></rect></svg>
            """
    }

    private mutating func line(of entry: ContainerState.Entry, name: [UInt8], _ pane: HTML?, hasContent: Bool) {
        let start: HTML =
            """
            class="entry v s\(entry.kind.letter)" id="\(anchor: entry.entry.path.bytes)"
            """
        let kind: HTML? =
            switch entry.entry.kind {
            case .file, .identity: entry.kind == .other ? nil : "\(entry.kind.rawValue)"
            default: "\(entry.entry.kind.word)"
            }
        let texts: HTML =
            """
            <span class="dot c\(entry.kind.letter)" aria-hidden="true"></span><h3 class="name">\(path(name))\
            \(if: entry.entry.kind == .link, " → \(entry.entry.target)")</h3>\
            <span class="meta">\(kind.map { #"<span class="handler">\#($0)</span>"# })\
            \(entry.noise.map { pill($0) })\
            \(if: entry.entry.kind.hasContent, #"<span class="size">\#(Quantity.bytes(entry.size))</span>"#)</span>
            """
        guard let pane else {
            let isCut = hasContent && entry.entry.kind == .file && !entry.isPartOfDatabase
            return write("<div \(start)>\(texts)\(if: isCut, #"<span class="cut">not on this page</span>"#)</div>\n")
        }
        write("<details \(start)><summary>\(texts)</summary>\n<div class=\"body\">\n")
        write(pane)
        write("</div></details>\n")
    }
}
