import CapsuleCore

extension HTMLPageWriter {
    /// All entries, in directories that fold.
    mutating func tree() {
        out.raw("<h2 class=\"vh\">Changes</h2>\n")
        guard !diff.entries.isEmpty else {
            out.raw("<p class=\"empty\">The two are identical.</p>\n")
            return
        }
        let tree = EntryTree(diff.entries)
        out.raw("<div class=\"tree\">\n")
        for child in tree.nodes[0].children { node(child, of: tree, isOpen: true) }
        out.raw("</div>\n")
        out.raw("<p class=\"empty\" id=\"none\" hidden>No matches.</p>\n")
        if summary.signalEntries == 0 {
            out.raw("<p class=\"empty off-only\">Only noise differs. Turn on the noise filter to see it.</p>\n")
        }
    }

    /// Recurses no deeper than the tree lets it.
    private mutating func node(_ number: Int, of tree: EntryTree, isOpen: Bool) {
        let node = tree.nodes[number]
        guard !node.children.isEmpty else {
            if let index = node.entry { entry(diff.entries[index], name: node.name) }
            return
        }
        out.raw("<details class=\"dir v")
        classes(node)
        if hasFinding(number, of: tree) { out.raw(" hit") }
        out.raw(isOpen ? "\" open><summary>" : "\"><summary>")
        out.raw("<span class=\"name\">")
        path(node.name)
        out.raw("/</span> <span class=\"count\">")
        if node.signalCount > 0 { out.text(Quantity.grouped(UInt64(node.signalCount))) } else { out.raw("noise") }
        out.raw("</span></summary>\n<div class=\"in\">\n")
        // The directory's own change is the first thing in it.
        if let index = node.entry { entry(diff.entries[index], name: nil) }
        // Where there are very many entries, a browser is quicker with what it need not lay out.
        for child in node.children { self.node(child, of: tree, isOpen: diff.entries.count <= 1_000) }
        out.raw("</div></details>\n")
    }

    /// What style shows a node by: `sa` for a signal that was added, `na` for noise.
    private mutating func classes(_ node: EntryTree.Node) {
        for each in EntryClass.allCases {
            let bit: UInt8 = 1 << UInt8(each.rawValue)
            if node.signal & bit != 0 {
                out.raw(" s")
                out.raw(each.letter)
            }
            if node.noise & bit != 0 {
                out.raw(" n")
                out.raw(each.letter)
            }
        }
    }
}
