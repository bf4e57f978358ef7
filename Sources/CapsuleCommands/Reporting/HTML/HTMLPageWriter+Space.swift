import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine

extension HTMLPageWriter {
    /// Writes what takes the space: a bar of directories by size, the largest files, the noise that can be dropped, and the databases.
    mutating func space(of state: ContainerState, _ tree: StateTree) {
        guard tree.bytes[0] > 0 else { return }
        write("<section class=\"space\"><h2>What takes the space</h2>\n")
        icicle(tree)
        write("<div class=\"cards\">\n")
        let paths = Set(tree.shownLines.map { tree.lines[$0].entry.path })
        largest(state, paths)
        databases(state.overview, paths)
        preferences(state.overview, paths)
        noise(state)
        write("</div></section>\n")
    }

    private static let levels = 3
    private static let cellHeight = 34
    /// The smallest width of a cell in hundredths of a percent.
    private static let narrowest = 60

    private struct Cell {
        /// The directory or file; nil for several that are too small for a cell each.
        let node: Int?
        let name: HTML
        let path: [UInt8]
        let bytes: UInt64
        let level: Int
        /// Hundredths of a percent.
        let x: Int
        let width: Int
    }

    private func cells(_ tree: StateTree) -> [Cell] {
        var cells: [Cell] = []
        let total = Double(tree.bytes[0])
        var pending: [(node: Int, path: [UInt8], level: Int, start: UInt64)] = [(0, [], -1, 0)]
        while let (node, path, level, start) = pending.popLast() {
            func cell(_ node: Int?, _ name: HTML, start: UInt64, bytes: UInt64, level: Int) -> Cell {
                let x = Int(Double(start) / total * 10_000)
                let width = Int(Double(start + bytes) / total * 10_000) - x
                return Cell(node: node, name: name, path: path, bytes: bytes, level: level, x: x, width: width)
            }
            if level >= 0 {
                cells.append(
                    cell(node, "\(tree.tree.nodes[node].name)", start: start, bytes: tree.bytes[node], level: level))
            }
            guard level + 1 < Self.levels else { continue }
            var next = start
            let children = tree.tree.nodes[node].children.sorted { (tree.bytes[$1], $0) < (tree.bytes[$0], $1) }
            let large = children.prefix { Double(tree.bytes[$0]) / total * 10_000 >= Double(Self.narrowest) }
            for child in large {
                let name = tree.tree.nodes[child].name
                pending.append((child, path.isEmpty ? name : path + [UInt8(ascii: "/")] + name, level + 1, next))
                next += tree.bytes[child]
            }
            let rest = start + tree.bytes[node] - next
            guard large.count < children.count, Double(rest) / total * 10_000 >= Double(Self.narrowest) else { continue }
            cells.append(
                cell(nil, "\(grouped(children.count - large.count)) more", start: next, bytes: rest, level: level + 1))
        }
        return cells
    }

    /// Writes the bar: a row of cells for each level, as wide as their share. The script zooms to the one that is clicked.
    private mutating func icicle(_ tree: StateTree) {
        let cells = cells(tree)
        let levels = (cells.map(\.level).max() ?? 0) + 1
        write(
            """
            <svg class="icicle" id="icicle" height="\(levels * Self.cellHeight)" role="group" \
            aria-label="Directories and files by size">\n
            """)
        for cell in cells {
            let title: HTML = cell.node == nil ? "\(cell.name) in \(path(cell.path))" : "\(cell.path)"
            write(
                """
                <svg class="cell c\(cell.node.map { tree.kinds[$0].letter } ?? "n")" x="\(percent(cell.x))" y="\(cell.level * Self.cellHeight)" \
                width="\(percent(cell.width))" height="\(Self.cellHeight - 2)"><title>\(title), \
                \(Quantity.bytes(cell.bytes))</title><rect width="100%" height="100%"></rect>\
                <text x="7" y="21">\(cell.name)</text></svg>\n
                """)
        }
        let rows: [HTML] = cells.prefix(60).compactMap { cell in
            guard let node = cell.node else { return nil }
            return """
                <tr><th scope="row" class="place">\(path(cell.path))</th><td>\(tree.kinds[node].rawValue)</td>\
                <td class="num">\(Quantity.bytes(cell.bytes))</td></tr>\n
                """
        }
        write(
            """
            </svg>
            <p class="zoom js"><button type="button" id="zoomout" hidden>Show all</button> <span id="zoomed" role="status">Click a part to zoom in.</span></p>
            <details class="table"><summary>As a table</summary><div class="scroll"><table><thead><tr><th scope="col">Path</th>\
            <th scope="col">Mostly</th><th scope="col" class="num">Size</th></tr></thead><tbody>\n\(rows)</tbody></table></div></details>\n
            """)
    }

    private func percent(_ hundredths: Int) -> HTML {
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(if: fraction < 10, "0")\(fraction)%"
    }

    private mutating func card(_ title: StaticString, _ heads: [StaticString], _ rows: [HTML], more: Int = 0) {
        guard !rows.isEmpty else { return }
        let names: [HTML] = heads.enumerated().map { place, head in
            #"<th scope="col"\#(if: place > 0, #" class="num""#)>\#(head)</th>"#
        }
        write(
            """
            <section class="card"><h3>\(title)</h3><table><thead><tr>\(names)</tr></thead><tbody>\n\(rows)</tbody></table>\
            \(if: more > 0, #"<p class="hid">and \#(grouped(more)) more</p>"#)</section>\n
            """)
    }

    /// Returns a path as a link to its line on the page, if it has one.
    private func link(to entry: RelativePath, _ paths: Set<RelativePath>) -> HTML {
        let text = path(entry.bytes)
        return paths.contains(entry) ? ##"<a href="#\##(anchor: entry.bytes)">\##(text)</a>"## : text
    }

    private mutating func largest(_ state: ContainerState, _ paths: Set<RelativePath>) {
        let files = state.entries.filter { $0.size > 0 }
        let largest = files.indices.sorted { (files[$1].size, $0) < (files[$0].size, $1) }.prefix(10).map { files[$0] }
        card(
            "Largest files", ["File", "Kind", "Size"],
            largest.map { file in
                """
                <tr><th scope="row" class="place">\(link(to: file.entry.path, paths))</th><td class="num">\(file.kind.rawValue)</td>\
                <td class="num">\(Quantity.bytes(file.size))</td></tr>\n
                """
            })
    }

    private mutating func databases(_ overview: ContainerOverview, _ paths: Set<RelativePath>) {
        card(
            "Databases", ["Database", "Tables", "Rows"],
            overview.databases.map { database in
                let rows = database.tables.map { $0.reduce(UInt64(0)) { $0 &+ $1.rows } }
                return """
                    <tr><th scope="row" class="place">\(link(to: database.path, paths))</th>\
                    <td class="num">\(database.tables.map { grouped($0.count) } ?? "can't be read")</td>\
                    <td class="num">\(rows.map(Quantity.grouped) ?? "")</td></tr>\n
                    """
            })
    }

    private mutating func preferences(_ overview: ContainerOverview, _ paths: Set<RelativePath>) {
        card(
            "Preferences", ["Property list", "Keys"],
            overview.preferences.map { file in
                """
                <tr><th scope="row" class="place">\(link(to: file.path, paths))</th>\
                <td class="num">\(file.keys.map(grouped) ?? "can't be read")</td></tr>\n
                """
            }, more: overview.more)
    }

    /// Writes the bytes of each class of noise, with the flag that removes them.
    private mutating func noise(_ state: ContainerState) {
        var sums: [String: (bytes: UInt64, files: Int)] = [:]
        for entry in state.entries {
            guard let noise = entry.noise, entry.entry.kind.hasContent else { continue }
            sums[noise.rawValue, default: (0, 0)].bytes &+= entry.size
            sums[noise.rawValue, default: (0, 0)].files += 1
        }
        card(
            "Can be dropped", ["With", "Files", "Size"],
            sums.sorted { ($1.value.bytes, $0.key) < ($0.value.bytes, $1.key) }.map { name, sum in
                """
                <tr><th scope="row"><code>--drop \(name)</code></th><td class="num">\(grouped(sum.files))</td>\
                <td class="num">\(Quantity.bytes(sum.bytes))</td></tr>\n
                """
            })
    }
}
