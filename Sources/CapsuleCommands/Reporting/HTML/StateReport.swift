import CapsuleArguments
import CapsuleCore
import CapsuleEngine
import CapsuleRules

/// One state of a container as a self-contained HTML page, by the same rules as ``HTMLReport``: what takes its space, the tree of its
/// entries with their contents, and for a capsule what each version changed.
///
/// The page has a limit. The names of entries come first, then what versions changed, then the contents of databases, property lists
/// and other files, the smallest first. What is left out is counted.
struct StateReport {
    let state: ContainerState
    /// The container as it was typed.
    let source: [UInt8]
    /// The limit of the page in bytes; nil for none.
    var limit: Int? = Self.defaultLimit
    var hasContent = true
    var version = CapsuleVersion.text

    static let defaultLimit = 5 << 20

    func bytes() throws(CapsuleError) -> [UInt8] {
        var tree = StateTree(state.entries)
        if let limit { tree.limit(to: limit / 4 * 3 - Self.headLength) }
        var writer = HTMLPageWriter(
            ContainerDiff(
                old: ContainerDiff.Side(source: []), new: ContainerDiff.Side(source: source, origin: state.overview.origin),
                entries: tree.changes),
            isFull: false)
        let (styles, scripts) = (PageStyle.parts + StateStyle.parts, PageScript.stateParts)
        writer.head(
            "\(writer.title(of: writer.diff.new)) · capsule show", version: version, styles, scripts)
        writer.write("<body class=\"state\">\n")
        writer.masthead(of: state, source, version: version)
        writer.space(of: state, tree)
        let fixed = writer.out.bytes.count + HTML(joining: scripts).bytes.count + Self.footLength
        var rest = limit.map { max(0, $0 - fixed - tree.length) } ?? .max
        let timeline = writer.apart { $0.timeline(of: state, limit: rest / 3) }
        rest -= timeline.bytes.count
        let panes = hasContent ? try self.panes(of: tree, &writer, limit: rest) : [:]
        writer.write(timeline)
        writer.bar(of: state)
        writer.tree(of: state, tree, panes, hasContent: hasContent)
        writer.foot("show --html", scripts)
        writer.write("</body>\n</html>\n")
        return writer.out.bytes
    }

    /// The most bytes of what stands above the tree, without what versions changed: it is bounded.
    private static let headLength = 64 << 10
    private static let footLength = 4_096
    /// The largest part of the space for contents that one of them may take.
    private static let share = 4

    /// Returns the contents of files by the numbers of their lines, as many as fit.
    private func panes(
        of tree: StateTree, _ writer: inout HTMLPageWriter, limit: Int
    ) throws(CapsuleError) -> [Int: HTML] {
        var panes: [Int: HTML] = [:]
        var rest = limit
        for line in tree.linesByContent where rest > 0 {
            let entry = tree.lines[line]
            var pane: HTML
            do throws(CapsuleError) {
                // Base64 is longer than what it stands for.
                if entry.kind == .image, entry.entry.size > UInt64(rest / 2) { continue }
                let shown = try state.content(of: entry)
                pane = writer.apart { $0.pane(of: shown, source, isDigested: state.isDigested) }
            } catch {
                if error.code == .interrupted { throw error }
                pane = writer.apart { $0.missingPane(entry.entry, error.message, source) }
            }
            guard pane.bytes.count <= (rest == .max ? rest : max(rest / Self.share, 16 << 10)), pane.bytes.count <= rest else {
                continue
            }
            rest -= pane.bytes.count
            panes[line] = pane
        }
        return panes
    }
}

/// The entries of a state as a tree, with the space that each directory takes.
struct StateTree {
    /// The entries that have a line on the page: all but directories with something in them.
    let lines: [ContainerState.Entry]
    let changes: [EntryChange]
    let tree: EntryTree
    /// The bytes at or below each node of the tree.
    let bytes: [UInt64]
    /// The kind that takes the most bytes at or below each node.
    let kinds: [FileKind]
    /// For each node, true if the page shows it. The largest entries are shown if not all fit.
    private(set) var isShown: [Bool]
    /// About the number of bytes that the lines shown take on the page.
    private(set) var length: Int

    init(_ entries: [ContainerState.Entry]) {
        let parents = Set(entries.compactMap { $0.entry.path.parent })
        let lines = entries.filter { $0.entry.kind != .directory || !parents.contains($0.entry.path) }
        changes = lines.map { EntryChange(.added, at: $0.entry.path, new: $0.entry) }
        let numbers = Dictionary(lines.map { ($0.entry.path, $0.kind.number) }, uniquingKeysWith: { first, _ in first })
        let tree = EntryTree(changes) { (numbers[$0.path] ?? 0, false) }
        var sums = [[UInt64]](repeating: [UInt64](repeating: 0, count: FileKind.allCases.count), count: tree.nodes.count)
        for number in tree.nodes.indices.reversed() {
            let node = tree.nodes[number]
            if let index = node.entry { sums[number][lines[index].kind.number] &+= lines[index].size }
            for child in node.children {
                for kind in sums[child].indices { sums[number][kind] &+= sums[child][kind] }
            }
        }
        bytes = sums.map { $0.reduce(0, &+) }
        kinds = sums.map { sums in
            FileKind.allCases[sums.indices.max { (sums[$0], $1) < (sums[$1], $0) } ?? 0]
        }
        isShown = [Bool](repeating: true, count: tree.nodes.count)
        length = lines.reduce(0) { $0 + Self.length(of: $1) }
        (self.lines, self.tree) = (lines, tree)
    }

    /// Limits the lines to the largest entries that fit into some bytes of the page.
    mutating func limit(to limit: Int) {
        guard length > limit else { return }
        length = 0
        var kept: Set<Int> = []
        for index in lines.indices.sorted(by: { (lines[$1].size, $0) < (lines[$0].size, $1) }) {
            let next = length + Self.length(of: lines[index])
            guard next <= limit else { break }
            length = next
            kept.insert(index)
        }
        for number in tree.nodes.indices.reversed() {
            let node = tree.nodes[number]
            isShown[number] = node.entry.map(kept.contains) ?? node.children.contains { isShown[$0] }
        }
    }

    private static func length(of entry: ContainerState.Entry) -> Int { 230 + 3 * entry.entry.path.bytes.count }

    /// The lines that the page shows.
    var shownLines: [Int] {
        tree.nodes.indices.compactMap { isShown[$0] && tree.nodes[$0].children.isEmpty ? tree.nodes[$0].entry : nil }
    }

    /// The lines in the order in which their contents get a place on the page.
    var linesByContent: [Int] {
        shownLines.filter { lines[$0].entry.kind == .file && !lines[$0].isPartOfDatabase }
            .sorted { (lines[$0].rank, lines[$0].size, $0) < (lines[$1].rank, lines[$1].size, $1) }
    }
}

extension ContainerState.Entry {
    /// The bytes of the content.
    var size: UInt64 { entry.kind.hasContent ? entry.size : 0 }

    fileprivate var rank: Int {
        switch kind {
        case .database: 0
        case .propertyList: 1
        case .other: 2
        case .image: 3
        case .cache: 4
        }
    }
}

extension FileKind {
    var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// The letter of the color and of the filter in the style sheet of a page.
    var letter: StaticString {
        switch self {
        case .database: "r"
        case .image: "t"
        case .propertyList: "a"
        case .cache: "p"
        case .other: "e"
        }
    }
}
