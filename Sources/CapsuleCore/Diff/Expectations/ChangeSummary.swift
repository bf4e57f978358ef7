public import CapsulePropertyList

/// A change in a few words and in parts: where it is, what became of it, and both values.
public struct ChangeSummary: Hashable, Sendable {
    /// Where a change is; what a change has no need of is nil or empty.
    public struct Place: Hashable, Sendable {
        /// The entry.
        public var path: RelativePath
        /// The SQL name of the row's table.
        public var table: String?
        /// The row's Core Data entity, where that is known.
        public var entity: String?
        /// What the row is known by.
        public var row: [RowChange.Key] = []
        /// The SQL name of the column.
        public var column: String?
        /// The place in a property list or in JSON.
        public var pointer: PlistPointer?

        /// An entry itself.
        public init(path: RelativePath) {
            self.path = path
        }
    }

    /// Where it is.
    public let place: Place
    /// The word of rules and reports for the line: `value`, `row`, or for an entry's own line `added`, `deleted`…
    public let kind: String
    /// `added`, `deleted`, `modified`, `order`, `renamed` or `type`; nil for what has no such word.
    public let operation: String?
    /// The older value, where there is one value.
    public let old: ShownValue?
    /// The newer value, where there is one value.
    public let new: ShownValue?
    /// All of that on one line; secrets are hidden.
    public let text: String

    /// The same without what is long in its values: for what is kept of changes that a comparison doesn't keep.
    var brief: ChangeSummary {
        ChangeSummary(place: place, kind: kind, operation: operation, old: old?.brief, new: new?.brief, text: text)
    }
}

extension EntryChange {
    /// The entry's own line.
    var summary: ChangeSummary {
        ChangeSummary(place: .init(path: path), kind: word, operation: word, old: nil, new: nil, text: line)
    }
}

extension ChangeDetail {
    /// The line, or one column of it.
    func summary(at path: RelativePath, column: String?) -> ChangeSummary {
        var place = ChangeSummary.Place(path: path)
        var sides: (old: ShownValue?, new: ShownValue?) = (nil, nil)
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

extension ShownValue {
    /// Bytes of a text, and of data, that are kept of changes that a comparison doesn't keep.
    private static let briefBytes = 256

    /// The value, or the beginning of a long one; nil for a container.
    fileprivate var brief: ShownValue? {
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
