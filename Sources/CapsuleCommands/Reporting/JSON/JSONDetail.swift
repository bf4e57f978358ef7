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

    func line(_ detail: ChangeDetail) -> JSONObject {
        var line: JSONObject = ["kind": detail.word, "path": JSONName(path.bytes)]
        line.add(members(of: detail.content))
        line.add("noise", shown(detail.noise))
        return line
    }

    private func members(of content: ChangeDetail.Content) -> JSONObject {
        switch content {
        case .value(let change): JSONReporter.members(of: change, isFull: style.isFull)
        case .row(let change): row(change)
        case .schema(let change):
            [
                "op": change.operation.rawValue, "object": change.object, "name": change.name, "old": change.old,
                "new": change.new,
            ]
        case .text(let change): Self.text(change)
        case .bytes(let change):
            ["size": [change.oldSize, change.newSize], "first": change.first, "equal": change.equal.map(JSONShare.init)]
        case .image(let change): Self.image(change)
        case .cookie(let change): cookie(change)
        case .metadata(let change): metadata(change)
        case .encoding(let change): ["old": change.old, "new": change.new]
        case .fallback(let fallback):
            ["side": fallback.side.rawValue, "from": fallback.from, "to": fallback.to, "reason": fallback.reason]
        case .limit(let limit):
            [
                "what": limit.what, "table": limit.table, "shown": limit.shown, "total": limit.total, "limit": limit.limit,
                "judged": limit.isJudged,
            ]
        }
    }

    private func shown(_ noise: NoiseClass?) -> String? { style.showsNoise ? noise?.rawValue : nil }
    private func shown(_ value: DisplayValue?) -> (any JSONValue)? { value?.json(isFull: style.isFull) }

    private func row(_ change: RowChange) -> JSONObject {
        var key: JSONObject = [:]
        for part in change.key { key.add(part.column, shown(part.value)) }
        var columns: JSONObject = [:]
        for column in change.columns where style.showsNoise || column.noise == nil {
            let item: JSONObject = [
                "name": column.attribute, "old": shown(column.old), "new": shown(column.new),
                "changes": column.nested.isEmpty ? nil : column.nested.map(nested), "noise": shown(column.noise),
            ]
            columns.add(column.name, item)
        }
        return [
            "op": change.operation.rawValue, "table": change.table, "entity": change.entity,
            "row": change.key.isEmpty ? nil : key, "columns": columns,
        ]
    }

    private func nested(_ change: PlistChange) -> JSONObject {
        var item: JSONObject = [:]
        if case .encoding = change.kind { item.add("op", "encoding") }
        item.add(JSONReporter.members(of: change, isFull: style.isFull))
        return item
    }

    private static func text(_ change: TextChange) -> JSONObject {
        let hunks: [JSONObject] = change.hunks.map { hunk in
            [
                "old": [hunk.old.start, hunk.old.count], "new": [hunk.new.start, hunk.new.count],
                "lines": hunk.lines.flatMap(TextHunkText.lines),
            ]
        }
        return [
            "encoding": change.encoding, "hunks": change.hunkCount, "added": change.added, "deleted": change.deleted, "at": hunks,
        ]
    }

    private static func image(_ change: ImageChange) -> JSONObject {
        let pixels = [change.old.pixels, change.new.pixels].compactMap(\.self)
        return [
            "format": [change.old.format, change.new.format], "pixels": pixels.count == 2 ? pixels : nil,
            "size": [change.old.bytes, change.new.bytes],
        ]
    }

    private func cookie(_ change: CookieChange) -> JSONObject {
        var line: JSONObject = [
            "op": change.operation.rawValue, "domain": change.domain, "cookiePath": change.path, "cookie": change.cookie,
        ]
        var fields: JSONObject = [:]
        for field in change.fields {
            if field.name == "value", let value = field.new ?? field.old, case .hidden = value {
                line.add("value", shown(value))
            } else {
                fields.add(field.name, ["old": shown(field.old), "new": shown(field.new)] as JSONObject)
            }
        }
        line.add("fields", fields.isEmpty ? nil : fields)
        return line
    }

    private func metadata(_ change: MetadataChange) -> JSONObject {
        let name: [UInt8]? = if case .attribute(let name) = change.field { name } else { nil }
        return [
            "field": change.field.word, "name": name.map(JSONName.init), "file": change.member.map { JSONName($0.bytes) },
            "old": shown(change.old), "new": shown(change.new),
        ]
    }
}

extension ImageChange.Side {
    fileprivate var pixels: [UInt64]? { width.flatMap { width in height.map { [UInt64(width), UInt64($0)] } } }
}
