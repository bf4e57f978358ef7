import CapsuleCore
import CapsulePropertyList

/// The lines for the differences inside an entry (docs/json.md, "diff").
struct JSONDetail {
    private let path: RelativePath
    private let style: DiffStyle

    init(_ path: RelativePath, _ style: DiffStyle) {
        self.path = path
        self.style = style
    }

    func line(_ detail: ChangeDetail) -> JSONText {
        var line = JSONText()
        line.add("kind", detail.word)
        line.add("path", name: path.bytes)
        switch detail.content {
        case .value(let change): value(change, to: &line)
        case .row(let change): row(change, to: &line)
        case .schema(let change): Self.schema(change, to: &line)
        case .text(let change): text(change, to: &line)
        case .bytes(let change): Self.bytes(change, to: &line)
        case .image(let change): Self.image(change, to: &line)
        case .cookie(let change): cookie(change, to: &line)
        case .metadata(let change): metadata(change, to: &line)
        case .encoding(let change):
            line.add("old", change.old)
            line.add("new", change.new)
        case .fallback(let fallback):
            line.add("side", fallback.side.rawValue)
            line.add("from", fallback.from)
            line.add("to", fallback.to)
            line.add("reason", fallback.reason)
        case .limit(let limit):
            line.add("what", limit.what)
            line.add("table", limit.table)
            if let shown = limit.shown { line.add("shown", shown) }
            if let total = limit.total { line.add("total", total) }
            if let bound = limit.limit { line.add("limit", bound) }
            line.add("judged", limit.isJudged)
        }
        if style.showsNoise { line.add("noise", detail.noise?.rawValue) }
        return line
    }

    private func value(_ change: PlistChange, to line: inout JSONText) {
        if case .encoding(let old, let new) = change.kind {
            line.add("pointer", change.pointer.description)
            line.add("old", old.word)
            line.add("new", new.word)
            return
        }
        line.add("op", change.name)
        line.add("pointer", change.pointer.description)
        line.add("class", change.className?.string)
        if let old = change.old { line.add("old", old, isFull: style.isFull) }
        if let new = change.new { line.add("new", new, isFull: style.isFull) }
    }

    private func row(_ change: RowChange, to line: inout JSONText) {
        line.add("op", change.operation.rawValue)
        line.add("table", change.table)
        line.add("entity", change.entity)
        if !change.key.isEmpty {
            var key = JSONText()
            for part in change.key { add(part.value, as: part.column, to: &key) }
            line.add("row", key)
        }
        var columns = JSONText()
        for column in change.columns where style.showsNoise || column.noise == nil {
            var item = JSONText()
            item.add("name", column.attribute)
            if let old = column.old { add(old, as: "old", to: &item) }
            if let new = column.new { add(new, as: "new", to: &item) }
            if !column.nested.isEmpty { item.add("changes", list: column.nested.map(nested)) }
            if style.showsNoise { item.add("noise", column.noise?.rawValue) }
            columns.add(name: column.name, item)
        }
        line.add("columns", columns)
    }

    private func nested(_ change: PlistChange) -> JSONText {
        var item = JSONText()
        if case .encoding = change.kind { item.add("op", "encoding") }
        value(change, to: &item)
        return item
    }

    private static func schema(_ change: SchemaChange, to line: inout JSONText) {
        line.add("op", change.operation.rawValue)
        line.add("object", change.object)
        line.add("name", change.name)
        line.add("old", change.old)
        line.add("new", change.new)
    }

    private func text(_ change: TextChange, to line: inout JSONText) {
        line.add("encoding", change.encoding)
        line.add("hunks", UInt64(change.hunkCount))
        line.add("added", UInt64(change.added))
        line.add("deleted", UInt64(change.deleted))
        line.add(
            "at",
            list: change.hunks.map { hunk in
                var item = JSONText()
                item.add("old", numbers: [UInt64(hunk.old.start), UInt64(hunk.old.count)])
                item.add("new", numbers: [UInt64(hunk.new.start), UInt64(hunk.new.count)])
                item.add("lines", names: hunk.lines.flatMap(TextHunkText.lines).map { Array($0.utf8) })
                return item
            })
    }

    private static func bytes(_ change: BytesChange, to line: inout JSONText) {
        line.add("size", numbers: [change.oldSize, change.newSize])
        if let first = change.first { line.add("first", first) }
        if let equal = change.equal { line.add("equal", share: equal) }
    }

    private static func image(_ change: ImageChange, to line: inout JSONText) {
        line.add("format", names: [Array(change.old.format.utf8), Array(change.new.format.utf8)])
        if let old = change.old.pixels, let new = change.new.pixels { line.add("pixels", pairs: [old, new]) }
        line.add("size", numbers: [change.old.bytes, change.new.bytes])
    }

    private func cookie(_ change: CookieChange, to line: inout JSONText) {
        line.add("op", change.operation.rawValue)
        line.add("domain", change.domain)
        line.add("cookiePath", change.path)
        line.add("cookie", change.cookie)
        var fields = JSONText()
        var hasFields = false
        for field in change.fields {
            if field.name == "value", case .hidden = field.new ?? field.old {
                add(field.new ?? field.old ?? .hidden("cookie"), as: "value", to: &line)
                continue
            }
            var item = JSONText()
            if let old = field.old { add(old, as: "old", to: &item) }
            if let new = field.new { add(new, as: "new", to: &item) }
            fields.add(name: field.name, item)
            hasFields = true
        }
        if hasFields { line.add("fields", fields) }
    }

    private func metadata(_ change: MetadataChange, to line: inout JSONText) {
        line.add("field", change.field.word)
        if case .attribute(let name) = change.field { line.add("name", name: name) }
        if let member = change.member { line.add("file", name: member.bytes) }
        if let old = change.old { add(old, as: "old", to: &line) }
        if let new = change.new { add(new, as: "new", to: &line) }
    }

    /// Adds a value under a name from the data.
    private func add(_ value: DisplayValue, as name: String, to line: inout JSONText) {
        line.add(value, as: name, isFull: style.isFull)
    }
}

extension ImageChange.Side {
    fileprivate var pixels: [UInt64]? { width.flatMap { width in height.map { [UInt64(width), UInt64($0)] } } }
}
