package import CapsuleCore
package import CapsulePropertyList

/// A reference to a change in a comparison, or to a part of one.
package struct ChangeReference: Hashable, Sendable {
    package var entry: Int
    /// The index of the detail in the entry; nil for the entry's own line, and for a change that isn't kept.
    package var detail: Int?
    package var column: String?
    /// The summary of a change that the comparison didn't keep, with its secrets; nil for a change that it kept.
    package var unshown: ChangeSummary? { box.first }
    var hidden: ChangeSummary? { box.last }
    /// The two summaries, or one for both. They are in an array so that references without them need no space.
    private var box: [ChangeSummary] = []

    package init(entry: Int, detail: Int? = nil, column: String? = nil) {
        self.entry = entry
        self.detail = detail
        self.column = column
    }

    init(unshown place: ChangePlace) {
        entry = 0
        column = place.column
        let (summary, hidden) = (place.summary, place.hidingSecrets.summary)
        box = (summary == hidden ? [summary] : [summary, hidden]).map(\.brief)
    }
}

extension ChangeDetail {
    func description(at path: RelativePath, column: String?) -> String {
        switch content {
        case .value(let value):
            return "\(path) \(value.pointer.isRoot ? "(root)" : value.pointer.description)\(text(value.sides))"
        case .row(let row):
            let keys = row.namingValues.map { "\($0.column)=\($0.value.lineText)" }.joined(separator: ", ")
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

    private func text(_ sides: (old: DisplayValue?, new: DisplayValue?)) -> String {
        switch sides {
        case (let old?, let new?): ": \(operation == "order" ? "order " : "")\(old.lineText) → \(new.lineText)"
        case (nil, let new?): ": added \(new.lineText)"
        case (let old?, nil): ": deleted \(old.lineText)"
        case (nil, nil): ""
        }
    }

}

extension DisplayValue {
    /// The value on one line, shortened.
    fileprivate var lineText: String {
        switch self {
        case .value(let value): value.line(length: 64, values: 12)
        case .textHead(let head, let count, _): "\(PlistValue.string(head).line(length: 64)) of \(count) bytes"
        case .dataHead(_, let count, _): "data of \(count) bytes"
        case .external(let name, let size, _): "file \(name)" + (size.map { " of \($0) bytes" } ?? "")
        case .hidden(let secret): "hidden (\(secret))"
        }
    }
}

extension RowChange {
    private static let namingColumns = 3

    /// The values that name the row: its key, or its first values if it is an added or deleted row without a key.
    fileprivate var namingValues: [Key] {
        guard key.isEmpty, operation != .modified else { return key }
        return columns.lazy.compactMap { column in (column.new ?? column.old).map { Key(column.name, $0) } }
            .prefix(Self.namingColumns).map { $0 }
    }
}

/// A change in a few words and in parts: its place, its operation, and both values.
package struct ChangeSummary: Hashable, Sendable {
    /// The place of a change. Parts that do not apply to the change are nil or empty.
    package struct Location: Hashable, Sendable {
        package var path: RelativePath
        package var table: String?
        package var entity: String?
        package var row: [RowChange.Key] = []
        package var column: String?
        package var pointer: PlistPointer?

        package init(path: RelativePath) {
            self.path = path
        }
    }

    package let place: Location
    /// The word that rules and reports use for the line, such as `value` or `row`. For an entry's own line: `added`, `deleted` and
    /// so on.
    package let kind: String
    /// `added`, `deleted`, `modified`, `order`, `renamed` or `type`; nil if the change has no such word.
    package let operation: String?
    package let old: DisplayValue?
    package let new: DisplayValue?
    package let text: String

    /// Returns both values, `6 → 99`, or the only one.
    ///
    /// - Parameter withOperation: true to add the operation in parentheses. It is also added if there is no value.
    func sides(withOperation: Bool) -> String {
        let values = [old, new].compactMap { $0?.lineText }
        let words = withOperation || values.isEmpty ? operation.map { "(\($0))" } : nil
        return [values.isEmpty ? nil : values.joined(separator: " → "), words].compactMap { $0 }.joined(separator: " ")
    }

    /// The summary without long values. Summaries of changes that a comparison doesn't keep are stored in this form.
    var brief: ChangeSummary {
        ChangeSummary(place: place, kind: kind, operation: operation, old: old?.brief, new: new?.brief, text: text)
    }
}

extension ChangeDetail {
    func summary(at path: RelativePath, column: String?) -> ChangeSummary {
        var place = ChangeSummary.Location(path: path)
        var sides: (old: DisplayValue?, new: DisplayValue?) = (nil, nil)
        switch content {
        case .value(let change):
            place.pointer = change.pointer
            sides = change.sides
        case .row(let row):
            place.table = row.table
            place.entity = row.entity
            place.row = row.key
            if let column = row.columns.first(where: { $0.name == column }) {
                place.column = column.name
                sides = (column.old, column.new)
            }
        case .schema(let schema):
            if ["table", "virtual table"].contains(schema.object) { place.table = schema.name }
            sides = (schema.old.map { .text($0) }, schema.new.map { .text($0) })
        case .metadata(let metadata): sides = (metadata.old, metadata.new)
        case .encoding(let encoding): sides = (.text(encoding.old), .text(encoding.new))
        case .text, .bytes, .image, .cookie, .fallback, .limit: break
        }
        return ChangeSummary(
            place: place, kind: word, operation: operation, old: sides.old, new: sides.new,
            text: description(at: path, column: column))
    }
}

extension DisplayValue {
    /// The most bytes of a text or of data that is kept whole in the summary of a change that a comparison doesn't keep.
    private static let briefBytes = 256

    /// The value, or the beginning of a long one; nil for an array or a dictionary.
    fileprivate var brief: DisplayValue? {
        switch self {
        case .value(.array), .value(.dictionary): nil
        case .value(.string(let text)) where text.utf8.count > Self.briefBytes:
            .textHead(PlistString(String(text.string.prefix(64))), count: UInt64(text.utf8.count))
        case .value(.data(let bytes)) where bytes.count > Self.briefBytes:
            .dataHead(Array(bytes.prefix(64)), count: UInt64(bytes.count))
        default: self
        }
    }
}

/// A change inside an entry together with its path. Its text is made only when it is needed.
package struct ChangePlace {
    let path: RelativePath
    let detail: ChangeDetail
    package var column: String?

    init(_ path: RelativePath, _ detail: ChangeDetail, column: String? = nil) {
        self.path = path
        self.detail = detail
        self.column = column
    }

    var text: String { detail.description(at: path, column: column) }
    var summary: ChangeSummary { detail.summary(at: path, column: column) }
}

extension ChangePlace {
    var hidingSecrets: ChangePlace {
        var (detail, cover) = (self.detail, SecretCover())
        cover.enter(path)
        cover.hide(&detail.content)
        return ChangePlace(path, detail, column: column)
    }
}
