import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsulePropertyList
import CapsuleRules

/// The content of one file on the page of a state.
extension HTMLPageWriter {
    private static let mostValues = 2_000
    private static let mostLines = 400

    mutating func pane(of file: ShownFile, _ source: [UInt8], isDigested: Bool) {
        isState = true
        defer { isState = false }
        let path = file.entry.path.bytes
        if let picture = file.picture {
            write(#"<div class="pair">"#)
            let change = EntryChange(.added, at: file.entry.path, new: file.entry)
            figure("Image", "state", picture, nil, of: change)
            write("</div>\n")
        }
        if !file.tables.isEmpty { tables(of: file, source) }
        valueTree(file.details, path, source)
        cookieList(file.details)
        for case .text(let text) in file.details.lazy.map(\.content) { lines(of: text, path, source) }
        if !file.head.isEmpty { hexadecimal(file, source) }
        let isEmpty = file.entry.size == 0
        write(
            """
            \(if: isEmpty, #"<p class="hid">Empty file</p>"#)\
            <p class="facts">\(if: file.format != "bytes", #"<span class="handler">\#(file.format)</span> "#)\
            \(kind(of: file.entry)), \(Quantity.counted(file.entry.size, "byte", "bytes")), modified \
            \(file.entry.modified.iso8601())\(if: isDigested, ", SHA-256 \(hash(file.entry.digest))")</p>\n
            """)
    }

    mutating func missingPane(_ entry: TreeEntry, _ problem: String, _ source: [UInt8]) {
        write(#"<div class="note warn"><p>Its content \#(line(problem)).</p></div>\#n"#)
        command(entry.path.bytes, source)
    }

    /// Writes the command that shows all of it.
    private mutating func command(_ place: [UInt8], _ source: [UInt8]) {
        write(
            """
            <p class="hid">All of it: <code>capsule show \(HostPath(source).shellWord) \(HostPath(place).shellWord)</code></p>\n
            """)
    }

    private mutating func tables(of file: ShownFile, _ source: [UInt8]) {
        var byTable: [String: [ChangeDetail]] = [:]
        for detail in file.details {
            if case .row(let row) = detail.content { byTable[row.table, default: []].append(detail) }
        }
        var isCut = false
        var missing = 0
        for table in file.tables.sorted(by: { ($1.rows, $0.table) < ($0.rows, $1.table) }) where table.rows > 0 {
            guard let rows = byTable[table.table] else {
                missing += 1
                continue
            }
            self.rows(rows[...], of: table.rows)
            isCut = isCut || table.rows > UInt64(rows.count)
        }
        if missing > 0 {
            write(#"<p class="hid">\#(counted(missing, "more table", "more tables")) with rows not shown</p>\#n"#)
        }
        if isCut || missing > 0 { command(file.entry.path.bytes + Array(":TABLE".utf8), source) }
        let empty = file.tables.filter { $0.rows == 0 }.map { $0.entity ?? $0.table }
        guard !empty.isEmpty else { return }
        let names: [HTML] = empty.prefix(50).map { #"<span class="sql">\#($0)</span>"# }
        write(
            """
            <p class="hid">\(if: empty.count == 1, "Empty table", else: "Empty tables"): \(names, separator: ", ")\
            \(if: empty.count > 50, " and \(grouped(empty.count - 50)) more")</p>\n
            """)
    }

    /// The depth to which dictionaries and arrays fold. Deeper steps are one line, since browsers limit the nesting of elements.
    private static let deepest = 40

    /// Writes values as a tree that folds. A click on the key of a value copies its pointer.
    private mutating func valueTree(_ details: [ChangeDetail], _ path: [UInt8], _ source: [UInt8]) {
        let values = details.compactMap { detail -> PlistChange? in
            if case .value(let change) = detail.content { change } else { nil }
        }
        guard !values.isEmpty else { return }
        write("<div class=\"values\">\n")
        var open: [PlistString] = []
        for change in values.prefix(Self.mostValues) {
            let steps = change.pointer.steps
            let above = steps.prefix(min(max(0, steps.count - 1), Self.deepest))
            let shared = zip(open, above).prefix { $0 == $1 }.count
            for _ in shared..<open.count { write("</div></details>\n") }
            for depth in shared..<above.count {
                let place = PlistPointer(steps: Array(steps.prefix(depth + 1)))
                write(
                    """
                    <details open><summary><span class="key" title="\(attribute: place.description)">\(steps[depth].string)</span>\
                    </summary><div class="in">\n
                    """)
            }
            open = Array(above)
            let type: HTML? =
                if case .value(let value)? = change.shownNew { #"<span class="type">\#(value.typeName)</span> "# } else { nil }
            write(
                """
                <div class="leaf">\(key(of: change.pointer, from: above.count)) \(type)\(shown(change.shownNew))</div>\n
                """)
        }
        for _ in open { write("</div></details>\n") }
        write("</div>\n")
        guard values.count > Self.mostValues else { return }
        write(#"<p class="hid">\#(counted(values.count - Self.mostValues, "more value", "more values"))</p>\#n"#)
        command(path, source)
    }

    /// Returns the steps of a pointer from a depth on, as a button that copies the pointer.
    private func key(of pointer: PlistPointer, from start: Int) -> HTML {
        let names = pointer.steps[start...].map(\.string)
        return """
            <button type="button" class="key" data-p="\(attribute: pointer.description)">\
            \(if: names.isEmpty, "(root)", else: "\(names.joined(separator: "/"))")</button>
            """
    }

    private mutating func cookieList(_ details: [ChangeDetail]) {
        let cookies = details.compactMap { detail -> CookieChange? in
            if case .cookie(let cookie) = detail.content { cookie } else { nil }
        }
        guard !cookies.isEmpty else { return }
        write(
            """
            <div class="scroll"><table class="edits"><thead><tr><th scope="col">Cookie</th><th scope="col">Fields</th></tr></thead><tbody>\n
            """)
        for cookie in cookies {
            let fields: [HTML] = cookie.fields.map { field in
                #"<div class="edit"><span class="col">\#(line(field.name))</span><span>\#(shown(field.new))</span></div>"#
            }
            write(
                """
                <tr class=""><th scope="row"><span class="attribute">\(line(cookie.cookie))</span> <span class="sql">\
                \(line(cookie.domain)) \(line(cookie.path))</span></th><td>\(fields)</td></tr>\n
                """)
        }
        write("</tbody></table></div>\n")
    }

    private mutating func lines(of text: TextChange, _ path: [UInt8], _ source: [UInt8]) {
        let all = text.hunks.flatMap(\.lines)
        let shown: [HTML] = all.prefix(Self.mostLines).map { each in
            "\(line(each.text, keepsTabs: true))\(if: each.isCut, markCut())\n"
        }
        write("<pre class=\"lines\">\(shown)</pre>\n")
        guard text.added > shown.count else { return }
        write(#"<p class="hid">\#(counted(text.added - shown.count, "more line", "more lines"))</p>\#n"#)
        command(path, source)
    }

    private mutating func hexadecimal(_ file: ShownFile, _ source: [UInt8]) {
        let isCut = file.entry.size > UInt64(file.head.count)
        let lines: [HTML] = HexadecimalLines(file.head).lines.map { "\($0)\n" }
        write("<pre class=\"lines\">\(lines)\(if: isCut, "…\n")</pre>\n")
    }
}
