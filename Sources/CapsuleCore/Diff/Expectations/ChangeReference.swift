import CapsulePropertyList

/// A line of a comparison, or a part of one, by where it is.
public struct ChangeReference: Hashable, Sendable {
    /// The entry's number in the comparison.
    public var entry: Int
    /// The line's number among the entry's details; nil for the entry's own line, and for a change that isn't kept.
    public var detail: Int?
    /// The SQL name of the column that it is about, of a row that was modified.
    public var column: String?
    /// What a change is that the comparison didn't keep; nil for one of its lines.
    public var unshown: ChangeSummary? { box.first }
    /// One or none: most references need no space for it.
    private var box: [ChangeSummary] = []

    /// A line, or a column of one.
    public init(entry: Int, detail: Int? = nil, column: String? = nil) {
        self.entry = entry
        self.detail = detail
        self.column = column
    }

    /// A change that isn't kept.
    init(unshown: ChangeSummary) {
        entry = 0
        column = unshown.place.column
        box = [unshown.brief]
    }
}

extension ContainerDiff {
    /// Where a change is and what it is, on one line: `Library/Preferences/com.x.plist /launches: 7 → 8`. Secrets are not told.
    public func description(of change: ChangeReference) -> String { summary(of: change)?.text ?? "" }

    /// Where a change is and what it is, in parts; nil for a reference into another comparison.
    public func summary(of change: ChangeReference) -> ChangeSummary? {
        if let unshown = change.unshown { return unshown }
        guard entries.indices.contains(change.entry) else { return nil }
        let entry = entries[change.entry]
        guard let number = change.detail, entry.details.indices.contains(number) else { return entry.summary }
        return entry.details[number].summary(at: entry.path, column: change.column)
    }
}

extension EntryChange {
    /// The entry's own line: its path, and what became of it.
    var line: String {
        if case .renamed(let from) = kind { return "\(from) → \(path) (renamed)" }
        return "\(path) (\(word))"
    }
}

extension ChangeDetail {
    /// Where the change is and what it is, on one line.
    func description(at path: RelativePath, column: String?) -> String {
        switch content {
        case .value(let value):
            return "\(path) \(value.pointer.isRoot ? "(root)" : value.pointer.description)\(text(value.sides))"
        case .row(let row):
            let keys = row.namingValues.map { "\($0.column)=\(Self.text($0.value))" }.joined(separator: ", ")
            let place = "\(path) \(row.table)" + (keys.isEmpty ? "" : " \(keys)")
            guard let column = row.columns.first(where: { $0.name == column }) else {
                return "\(place) (\(row.operation.rawValue))"
            }
            return "\(place) \(column.name)\(text((column.old, column.new)))"
        case .schema(let schema): return "\(path) \(schema.object) \(schema.name) (\(schema.operation.rawValue))"
        case .cookie(let cookie):
            return "\(path) cookie \(cookie.cookie) of \(cookie.domain)\(cookie.path) (\(cookie.operation.rawValue))"
        case .metadata(let metadata):
            var field = metadata.field.word
            if case .attribute(let name) = metadata.field { field += " \(String(decoding: name, as: UTF8.self))" }
            return "\(path) \(field)\(text((metadata.old, metadata.new)))"
        case .encoding(let encoding): return "\(path) encoding: \(encoding.old) → \(encoding.new)"
        default: return "\(path) (\(word))"
        }
    }

    private func text(_ sides: (old: ShownValue?, new: ShownValue?)) -> String {
        switch sides {
        case (let old?, let new?): ": \(operation == "order" ? "order " : "")\(Self.text(old)) → \(Self.text(new))"
        case (nil, let new?): ": added \(Self.text(new))"
        case (let old?, nil): ": deleted \(Self.text(old))"
        case (nil, nil): ""
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

extension RowChange {
    /// Values of a row without a key that stand for it on one line.
    private static let namingColumns = 3

    /// What a row is called by: its key, or some of its values where it has none.
    fileprivate var namingValues: [Key] {
        guard key.isEmpty, operation != .modified else { return key }
        return columns.lazy.compactMap { column in (column.new ?? column.old).map { Key(column.name, $0) } }
            .prefix(Self.namingColumns).map { $0 }
    }
}
