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

/// Changed entries in the directories that they are in.
struct EntryTree {
    /// A directory, a changed entry, or both.
    struct Node {
        /// The part of the path below the directory that it is shown in; more than one component where nothing else is there.
        var name: [UInt8]
        /// Its own change.
        var entry: Int?
        var children: [Int] = []
        /// Which classes are at or below it, signal and noise apart: bits by ``EntryClass``.
        var signal: UInt8 = 0
        var noise: UInt8 = 0
        /// Changed entries below it that are no noise.
        var signalCount = 0
    }

    /// Directories in directories. What lies deeper is shown under its whole path: browsers nest elements only so deep.
    static let depthLimit = 48

    private static let slash = UInt8(ascii: "/")

    /// The first is the tree's own directory.
    private(set) var nodes = [Node(name: [])]

    init(_ entries: [EntryChange]) {
        build(entries)
        classify(entries)
        join()
    }

    private mutating func build(_ entries: [EntryChange]) {
        // As a walk meets them: what is in a directory right behind it.
        let order = entries.indices.sorted { Self.isOrdered(entries[$0].path.bytes, before: entries[$1].path.bytes) }
        var open: [Int] = [0]
        for index in order {
            let components = entries[index].path.components
            // All of a path that is too deep is the name of one node.
            let last = max(0, min(components.count, Self.depthLimit) - 1)
            var level = 0
            while level + 1 < open.count, level < last, nodes[open[level + 1]].name.elementsEqual(components[level]) {
                level += 1
            }
            open.removeLast(open.count - 1 - level)
            for component in components[level..<last] { add(Array(component), to: &open) }
            add(Array(components[last...].joined(separator: [Self.slash])), to: &open)
            nodes[open[open.count - 1]].entry = index
        }
    }

    private mutating func add(_ name: [UInt8], to open: inout [Int]) {
        nodes[open[open.count - 1]].children.append(nodes.count)
        open.append(nodes.count)
        nodes.append(Node(name: name))
    }

    /// A node's number is larger than its directory's.
    private mutating func classify(_ entries: [EntryChange]) {
        for number in nodes.indices.reversed() {
            if let index = nodes[number].entry {
                let bit: UInt8 = 1 << UInt8(EntryClass(entries[index]).rawValue)
                if entries[index].isNoise {
                    nodes[number].noise |= bit
                } else {
                    nodes[number].signal |= bit
                    nodes[number].signalCount += 1
                }
            }
            for child in nodes[number].children {
                nodes[number].signal |= nodes[child].signal
                nodes[number].noise |= nodes[child].noise
                nodes[number].signalCount += nodes[child].signalCount
            }
        }
    }

    /// Makes one of directories that hold nothing but another: `Library/Application Support`.
    private mutating func join() {
        for number in nodes.indices.reversed() where number > 0 && nodes[number].entry == nil {
            guard nodes[number].children.count == 1 else { continue }
            let child = nodes[nodes[number].children[0]]
            guard !child.children.isEmpty else { continue }
            let name = nodes[number].name
            nodes[number] = child
            nodes[number].name = name + [Self.slash] + child.name
        }
    }

    /// By components: `a/b` before `a-b`.
    private static func isOrdered(_ left: [UInt8], before right: [UInt8]) -> Bool {
        left.lexicographicallyPrecedes(right) { rank($0) < rank($1) }
    }

    private static func rank(_ byte: UInt8) -> UInt8 { byte == Self.slash ? 0 : byte }
}

/// What became of an entry, as a report sorts it: the first that applies of type, renamed, added, deleted, modified,
/// encoding only and metadata only.
enum EntryClass: Int, CaseIterable {
    case added
    case deleted
    case modified
    case renamed
    case type
    case encoding
    case metadata

    init(_ entry: EntryChange) {
        switch entry.kind {
        case .added: self = .added
        case .deleted: self = .deleted
        case .renamed: self = .renamed
        case .type: self = .type
        case .modified:
            let words = Set(entry.details.lazy.filter(\.isChange).map(\.word))
            if words == ["metadata"] {
                self = .metadata
            } else if !words.isEmpty, words.isSubset(of: ["encoding", "metadata"]) {
                self = .encoding
            } else {
                self = .modified
            }
        }
    }

    /// For people.
    var word: StaticString {
        switch self {
        case .added: "added"
        case .deleted: "deleted"
        case .modified: "modified"
        case .renamed: "renamed"
        case .type: "type changed"
        case .encoding: "encoding only"
        case .metadata: "metadata only"
        }
    }

    /// One character, so that colour is not the only sign.
    var symbol: StaticString {
        switch self {
        case .added: "+"
        case .deleted: "\u{2212}"
        case .modified: "~"
        case .renamed: "\u{2192}"
        case .type: "\u{21C4}"
        case .encoding: "\u{2261}"
        case .metadata: "\u{25CB}"
        }
    }

    /// What style and script know it by.
    var letter: StaticString {
        switch self {
        case .added: "a"
        case .deleted: "d"
        case .modified: "m"
        case .renamed: "r"
        case .type: "t"
        case .encoding: "e"
        case .metadata: "p"
        }
    }
}
