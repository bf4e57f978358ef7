import CapsuleCore
import CapsuleRules

extension HTMLPageWriter {
    mutating func tree() {
        write(#"<h2 class="vh">Changes</h2>\#n"#)
        guard !diff.entries.isEmpty else { return write(#"<p class="empty">The two are identical.</p>\#n"#) }
        let tree = EntryTree(diff.entries)
        write(#"<div class="tree">\#n"#)
        for child in tree.nodes[0].children { node(child, of: tree, isOpen: true) }
        write(
            """
            </div>
            <p class="empty" id="none" hidden>No matches.</p>\n
            """)
        if summary.signalEntries == 0 {
            write(#"<p class="empty off-only">Only noise differs. Turn on the noise filter to see it.</p>\#n"#)
        }
    }

    /// The recursion is limited by the depth of the tree.
    private mutating func node(_ number: Int, of tree: EntryTree, isOpen: Bool) {
        let node = tree.nodes[number]
        guard !node.children.isEmpty else {
            if let index = node.entry { entry(diff.entries[index], name: node.name) }
            return
        }
        let count: HTML = node.signalCount > 0 ? "\(grouped(node.signalCount))" : "noise"
        write(
            """
            <details class="dir v\(classes(node))\(if: hasFinding(number, of: tree), " hit")"\(if: isOpen, " open")><summary>\
            <span class="name">\(path(node.name))/</span> <span class="count">\(count)</span></summary>
            <div class="in">\n
            """)
        // The change of the directory itself comes first.
        if let index = node.entry { entry(diff.entries[index], name: nil) }
        // With very many entries, a browser is faster if it need not lay all of them out.
        for child in node.children { self.node(child, of: tree, isOpen: diff.entries.count <= 1_000) }
        write("</div></details>\n")
    }

    /// Returns the classes that the style sheet uses for a node: `sa` for an added entry that is not noise, `na` for an added entry that is.
    ///
    /// - Parameter letters: the letters of the classes, by their numbers.
    func classes(_ node: EntryTree.Node, _ letters: [StaticString] = EntryClass.allCases.map(\.letter)) -> [HTML] {
        letters.enumerated().map { number, letter in
            let bit: UInt8 = 1 << UInt8(number)
            return "\(if: node.signal & bit != 0, " s\(letter)")\(if: node.noise & bit != 0, " n\(letter)")"
        }
    }
}

/// The changed entries, as a tree of directories.
struct EntryTree {
    /// A directory, a changed entry, or both.
    struct Node {
        /// The path relative to the parent node. It has several components if the directories between contain nothing else.
        var name: [UInt8]
        var entry: Int?
        var children: [Int] = []
        /// The classes at or below the node, separately for signal and noise: bits by their numbers.
        var signal: UInt8 = 0
        var noise: UInt8 = 0
        /// The number of changed entries at or below the node that are not noise.
        var signalCount = 0
    }

    /// The maximum depth of directories. Deeper entries are shown with their full path, since browsers limit the nesting of elements.
    static let depthLimit = 48
    private static let slash = UInt8(ascii: "/")

    /// The first one is the root directory.
    private(set) var nodes = [Node(name: [])]

    /// - Parameter classify: returns the number of an entry's class, at most 7, and whether the entry is noise.
    init(
        _ entries: [EntryChange],
        classify: (EntryChange) -> (number: Int, isNoise: Bool) = { (EntryClass($0).rawValue, $0.isNoise) }
    ) {
        build(entries)
        self.classify(entries, classify)
        join()
    }

    private mutating func build(_ entries: [EntryChange]) {
        // In the order of a walk: the contents of a directory directly follow it.
        // By components: `a/b` before `a-b`.
        let order = entries.indices.sorted {
            entries[$0].path.bytes.lexicographicallyPrecedes(entries[$1].path.bytes) { Self.rank($0) < Self.rank($1) }
        }
        var open: [Int] = [0]
        for index in order {
            let components = entries[index].path.components
            // If a path is too deep, the rest of it is the name of one node.
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

    /// Computes the classes bottom-up: the number of a node is larger than that of its parent.
    private mutating func classify(
        _ entries: [EntryChange], _ classify: (EntryChange) -> (number: Int, isNoise: Bool)
    ) {
        for number in nodes.indices.reversed() {
            if let index = nodes[number].entry {
                let found = classify(entries[index])
                let bit: UInt8 = 1 << UInt8(found.number)
                if found.isNoise {
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

    /// Joins directories that contain only another directory: `Library/Application Support`.
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

    private static func rank(_ byte: UInt8) -> UInt8 { byte == Self.slash ? 0 : byte }
}
