import CapsuleCore
public import CapsulePropertyList
import CapsuleRules

/// One change of a container: of an entry, or of a part of its content.
public struct Change: Hashable, Sendable {
    /// The kinds of changes.
    public enum Kind: String, Hashable, Sendable {
        /// An entry is new.
        case added
        /// An entry is gone.
        case deleted
        /// An entry's content differs, and it is not compared by parts.
        case modified
        /// An entry has another path.
        case renamed
        /// An entry is of another type, such as a link instead of a file.
        case type
        /// A value of a property list or of JSON differs.
        case value
        /// A row of a database differs.
        case row
        /// The schema of a database differs.
        case schema
        /// Lines of a text differ.
        case text
        /// Bytes differ that have no known format.
        case bytes
        /// An image differs.
        case image
        /// A cookie differs.
        case cookie
        /// The mode, an extended attribute or a link's target differs.
        case metadata
        /// The same property list is stored in another encoding.
        case encoding
        /// Another change.
        case other
    }

    /// A value of the key that names a row.
    public struct Key: Hashable, Sendable {
        /// The name of the column.
        public let column: String
        /// The value; nil if it is too long to name a row.
        public let value: PlistValue?
    }

    /// The kind of the change.
    public let kind: Kind
    /// The word for what was done to the part: `added`, `deleted`, `modified`, `order` and so on.
    public let operation: String
    /// The path of the entry in the container. Bytes that are not UTF-8 are replaced.
    public let path: String
    /// The place in a property list or in JSON, as a JSON Pointer (RFC 6901).
    public let pointer: String?
    /// The table of a row, or of a change of the schema.
    public let table: String?
    /// The values of the key of a row.
    public let row: [Key]
    /// The older value; nil if there is none, or if the change has more than one.
    public let old: PlistValue?
    /// The newer value; nil if there is none, or if the change has more than one.
    public let new: PlistValue?
    /// The class of noise, such as `caches`; nil if the change is none.
    public let noise: String?
    private let text: String

    init(_ reference: ChangeReference, in diff: ContainerDiff, noise: NoiseClass?) {
        let summary = diff.summary(of: reference)
        kind = summary.flatMap { Kind(rawValue: $0.kind) } ?? .other
        operation = summary?.operation ?? "modified"
        path = summary.map { String(decoding: $0.place.path.bytes, as: UTF8.self) } ?? ""
        pointer = summary?.place.pointer?.description
        table = summary?.place.table
        row = (summary?.place.row ?? []).map { Key(column: $0.column, value: $0.value.plistValue) }
        old = summary?.old?.plistValue
        new = summary?.new?.plistValue
        self.noise = noise?.rawValue
        text = summary?.text ?? ""
    }
}

extension Change: CustomStringConvertible {
    /// The place and the change on one line: `Library/Preferences/com.example.gifs.plist /launches: 6 → 7`.
    public var description: String { text }
}

extension DisplayValue {
    /// The value, if all of it is there.
    fileprivate var plistValue: PlistValue? {
        if case .value(let value) = self { value } else { nil }
    }
}
