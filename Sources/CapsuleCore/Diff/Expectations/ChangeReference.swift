import CapsulePropertyList

/// A line of a comparison, or a part of one, by where it is.
public struct ChangeReference: Hashable, Sendable {
    /// The entry's number in the comparison.
    public var entry: Int
    /// The line's number among the entry's details; nil for the entry's own line.
    public var detail: Int?
    /// The SQL name of the column that it is about, of a row that was modified.
    public var column: String?

    /// A line, or a column of one.
    public init(entry: Int, detail: Int? = nil, column: String? = nil) {
        self.entry = entry
        self.detail = detail
        self.column = column
    }
}

extension ContainerDiff {
    /// Where a change is and what it is, on one line: `Library/Preferences/com.x.plist /launches: 7 → 8`. Secrets are not told.
    public func description(of change: ChangeReference) -> String {
        guard entries.indices.contains(change.entry) else { return "" }
        let entry = entries[change.entry]
        let path = entry.path.description
        guard let number = change.detail, entry.details.indices.contains(number) else {
            if case .renamed(let from) = entry.kind { return "\(from) → \(path) (renamed)" }
            return "\(path) (\(entry.word))"
        }
        let detail = entry.details[number]
        switch detail.content {
        case .value(let value):
            return "\(path) \(value.pointer.isRoot ? "(root)" : value.pointer.description)\(Self.text(value.sides, detail))"
        case .row(let row):
            let keys = row.key.map { "\($0.column)=\(Self.text($0.value))" }.joined(separator: ", ")
            let place = "\(path) \(row.table)" + (keys.isEmpty ? "" : " \(keys)")
            guard let column = row.columns.first(where: { $0.name == change.column }) else {
                return "\(place) (\(row.operation.rawValue))"
            }
            return "\(place) \(column.name)\(Self.text((column.old, column.new), detail))"
        case .schema(let schema): return "\(path) \(schema.object) \(schema.name) (\(schema.operation.rawValue))"
        case .cookie(let cookie):
            return "\(path) cookie \(cookie.cookie) of \(cookie.domain)\(cookie.path) (\(cookie.operation.rawValue))"
        case .metadata(let metadata):
            var field = metadata.field.word
            if case .attribute(let name) = metadata.field { field += " \(String(decoding: name, as: UTF8.self))" }
            return "\(path) \(field)\(Self.text((metadata.old, metadata.new), detail))"
        case .encoding(let encoding): return "\(path) encoding: \(encoding.old) → \(encoding.new)"
        default: return "\(path) (\(detail.word))"
        }
    }

    private static func text(_ sides: (old: ShownValue?, new: ShownValue?), _ detail: ChangeDetail) -> String {
        switch sides {
        case (let old?, let new?):
            let order = detail.operation == "order" ? "order " : ""
            return ": \(order)\(text(old)) → \(text(new))"
        case (nil, let new?): return ": added \(text(new))"
        case (let old?, nil): return ": deleted \(text(old))"
        case (nil, nil): return ""
        }
    }

    private static func text(_ shown: ShownValue) -> String {
        switch shown {
        case .value(let value): value.line(length: 64, values: 12)
        case .textHead(let head, let count): "\(PlistValue.string(head).line(length: 64)) of \(count) bytes"
        case .dataHead(_, let count): "data of \(count) bytes"
        case .external(let name, let size, _): "file \(name)" + (size.map { " of \($0) bytes" } ?? "")
        case .hidden(let secret): "hidden (\(secret))"
        }
    }
}
