package import CapsulePropertyList

/// One line of a report about an entry's content: a difference, or something that was not compared.
package struct ChangeDetail: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case value(PlistChange)
        case row(RowChange)
        case schema(SchemaChange)
        case text(TextChange)
        case bytes(BytesChange)
        case image(ImageChange)
        case cookie(CookieChange)
        case metadata(MetadataChange)
        case encoding(EncodingChange)
        /// Not a change: the reason that the content was compared with a simpler handler.
        case fallback(HandlerFallback)
        /// Not a change: something that was left out.
        case limit(Truncation)
    }

    package var content: Content
    package var noise: NoiseClass?

    package init(_ content: Content, noise: NoiseClass? = nil) {
        self.content = content
        self.noise = noise
    }

    package var isChange: Bool {
        switch content {
        case .fallback, .limit: false
        default: true
        }
    }

    /// True if there may be more changes than were found, because the comparison was cut short or something was not compared.
    package var isGap: Bool {
        switch content {
        case .limit(let limit): !limit.isJudged
        case .fallback(let fallback): fallback.to == HandlerFallback.nothing
        default: false
        }
    }

    package var word: String {
        switch content {
        case .value(let change): if case .encoding = change.kind { "encoding" } else { "value" }
        case .row: "row"
        case .schema: "schema"
        case .text: "text"
        case .bytes: "bytes"
        case .image: "image"
        case .cookie: "cookie"
        case .metadata: "metadata"
        case .encoding: "encoding"
        case .fallback: "fallback"
        case .limit: "limit"
        }
    }

    package var operation: String? {
        switch content {
        case .value(let change): if case .encoding = change.kind { nil } else { change.name }
        case .row(let change): change.operation.rawValue
        case .schema(let change): change.operation.rawValue
        case .cookie(let change): change.operation.rawValue
        default: nil
        }
    }
}

/// A class of changes that runs make by themselves (docs/diff.md, section 4).
package struct NoiseClass: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The class that rules give to a change that is never noise.
    package static let signal = NoiseClass(rawValue: "signal")
    package static let sceneSessions = NoiseClass(rawValue: "scene-sessions")
    package static let splashboard = NoiseClass(rawValue: "splashboard")
    package static let caches = NoiseClass(rawValue: "caches")
    package static let system = NoiseClass(rawValue: "system")
    package static let tmp = NoiseClass(rawValue: "tmp")
    package static let sqlite = NoiseClass(rawValue: "sqlite")
    package static let coreData = NoiseClass(rawValue: "core-data")
    package static let cookiesOrder = NoiseClass(rawValue: "cookies-order")
}

/// A change of a mode, an attribute or a time.
package struct MetadataChange: Hashable, Sendable {
    package enum Field: Hashable, Sendable {
        case mode
        case attribute([UInt8])
        case modified

        package var word: String {
            switch self {
            case .mode: "mode"
            case .attribute: "attribute"
            case .modified: "modified"
            }
        }
    }

    package var field: Field
    /// The older value, or nil if the older side lacks the attribute. Modes are strings of four octal digits.
    package var old: DisplayValue?
    package var new: DisplayValue?
    /// The file of a unit that the change is about, if it is not the database itself.
    package var member: RelativePath?

    package init(_ field: Field, old: DisplayValue?, new: DisplayValue?, member: RelativePath? = nil) {
        self.field = field
        self.old = old
        self.new = new
        self.member = member
    }
}

/// Metadata that is not compared, because only one of the two sides can store it.
package struct MetadataGap: Hashable, Sendable {
    package enum Facts: Hashable, Sendable {
        /// The mode bits, which some zip files don't have.
        case mode
        /// The extended attributes, which no zip file has.
        case attributes

        package var words: String {
            switch self {
            case .mode: "modes"
            case .attributes: "extended attributes"
            }
        }
    }

    package let path: RelativePath
    package let facts: Facts
}

/// A change of the encoding of equal content, or of its spelling within one encoding.
package struct EncodingChange: Hashable, Sendable {
    package var old: String
    package var new: String

    package init(old: String, new: String) {
        self.old = old
        self.new = new
    }
}

/// The difference between two contents of an unknown format.
package struct BytesChange: Hashable, Sendable {
    package var oldSize: UInt64
    package var newSize: UInt64
    /// The offset of the first byte that differs, or nil if one content is the beginning of the other.
    package var first: UInt64?
    /// The share of the newer bytes, from 0 to 1, that are in runs that the older content has too. It is nil if it was not computed.
    package var equal: Double?

    package init(oldSize: UInt64, newSize: UInt64, first: UInt64?, equal: Double?) {
        self.oldSize = oldSize
        self.newSize = newSize
        self.first = first
        self.equal = equal
    }
}

/// The difference between two images, according to their headers.
package struct ImageChange: Hashable, Sendable {
    package struct Side: Hashable, Sendable {
        package var format: String
        /// The width in pixels, or nil if the header does not contain it.
        package var width: UInt32?
        package var height: UInt32?
        package var bytes: UInt64

        package init(format: String, width: UInt32?, height: UInt32?, bytes: UInt64) {
            self.format = format
            self.width = width
            self.height = height
            self.bytes = bytes
        }
    }

    package var old: Side
    package var new: Side

    package init(old: Side, new: Side) {
        self.old = old
        self.new = new
    }
}

extension ImageHeader {
    package func side(bytes: UInt64) -> ImageChange.Side {
        ImageChange.Side(format: format.rawValue, width: width, height: height, bytes: bytes)
    }
}

/// A failure to compare a content in its apparent format.
package struct HandlerFallback: Hashable, Sendable {
    /// The value of ``from`` if the bytes themselves could not be read.
    package static let content = "content"

    /// The value of ``to`` if nothing compared the content.
    package static let nothing = "none"

    package enum Side: String, Hashable, Sendable {
        /// The older side.
        case a
        /// The newer side.
        case b
        case both
    }

    package var side: Side
    package var from: String
    package var to: String
    package var reason: String
    package var archive: PlistPointer?

    package init(side: Side, from: String, to: String, reason: String, archive: PlistPointer? = nil) {
        self.side = side
        self.from = from
        self.to = to
        self.reason = reason
        self.archive = archive
    }
}

/// A limit that shortened a list or a comparison: how much is shown, and of how much.
package struct Truncation: Hashable, Sendable {
    /// The value of ``what`` if the time ran out.
    package static let time = "time"

    /// The limited thing: `rows`, `lines`, `changes`, `bytes`, `time`, `depth` …
    package var what: String
    package var table: String?
    /// The number that is shown, or nil if a number has no meaning.
    package var shown: UInt64?
    /// The total number, or nil if it was not counted.
    package var total: UInt64?
    /// True if the rest was compared and judged like everything else (``EntryChange/unshown``), and is only not shown.
    package var isJudged: Bool
    /// The limit that ended the comparison: seconds for `time`, a number for `changes`. It is nil if there is no such number.
    package var limit: UInt64?

    package init(
        _ what: String, table: String? = nil, shown: UInt64? = nil, total: UInt64? = nil, isJudged: Bool = false,
        limit: UInt64? = nil
    ) {
        self.what = what
        self.table = table
        self.shown = shown
        self.total = total
        self.isJudged = isJudged
        self.limit = limit
    }
}

extension Truncation {
    package var reason: String {
        let place = table.map { " in table \($0)" } ?? ""
        let number = limit.map { "\($0) " } ?? ""
        switch what {
        case Self.time: return "the limit of \(number)seconds per database was reached\(place)"
        case "changes": return "the limit of \(number)changes was reached\(place)"
        case "depth": return "a value nested too deep was compared as a whole"
        case "nestedDocuments": return "property lists in data that are nested too deep or too large were compared as data"
        case "elements": return "there are too many similar array elements to pair"
        default: return "the limit of \(what) was reached\(place)"
        }
    }
}

/// A row of a table that only one side has, or whose values differ.
package struct RowChange: Hashable, Sendable {
    package struct Column: Hashable, Sendable {
        package var name: String
        package var attribute: String?
        package var old: DisplayValue?
        package var new: DisplayValue?
        /// The differences between property lists in both values. Their pointers begin at the column's value.
        package var nested: [PlistChange]
        /// The reason that a property list in a value was not compared as one, or nil if none was skipped.
        package var nestedGap: NestedGap?
        /// The noise class of the column's change, if it is noise. A row is noise if all its changed columns are.
        package var noise: NoiseClass?

        package init(
            _ name: String, attribute: String? = nil, old: DisplayValue? = nil, new: DisplayValue? = nil,
            nested: [PlistChange] = []
        ) {
            self.name = name
            self.attribute = attribute
            self.old = old
            self.new = new
            self.nested = nested
        }
    }

    /// A part of the key that identifies the row: a column of the primary key with its value, or the `rowid`.
    package struct Key: Hashable, Sendable {
        package var column: String
        package var value: DisplayValue
        /// False for a `rowid` that no column has, also if a column has this name.
        package let isColumn: Bool

        package init(_ column: String, _ value: DisplayValue, isColumn: Bool = true) {
            self.column = column
            self.value = value
            self.isColumn = isColumn
        }
    }

    package var operation: ChangeOperation
    package var table: String
    package var entity: String?
    package var owner: String?
    /// The key of the row. It is empty if the table has neither a primary key nor row IDs on both sides. Then only the columns
    /// identify the row.
    package var key: [Key]
    /// The columns that differ, for a modified row. Otherwise all columns that are neither NULL nor part of the key.
    package var columns: [Column]
    /// The columns of an added or deleted row that are NULL, without values.
    package var nulls: [Column] = []
    /// True if the database is known not to be a Core Data store, whatever the names of its tables are.
    package var isPlain = false
    /// The name that a column gives the others, as in a table of names and values.
    package var naming: SecretName = []
    /// True if the database is a keychain, whose data is secret.
    package var isKeychain = false

    package init(
        _ operation: ChangeOperation, table: String, entity: String? = nil, key: [Key], columns: [Column]
    ) {
        self.operation = operation
        self.table = table
        self.entity = entity
        self.key = key
        self.columns = columns
    }
}

/// A table, index, view or trigger that only one side has, or whose definition differs.
package struct SchemaChange: Hashable, Sendable {
    package var operation: ChangeOperation
    /// The kind of the object: `table`, `virtual table`, `index`, `view`, `trigger`, or `pragma` for a pragma that affects the
    /// meaning of a database.
    package var object: String
    package var name: String
    /// The SQL statement that created it, or the pragma's value. It is nil if the older database does not have the object, and
    /// for indexes that constraints create.
    package var old: String?
    package var new: String?
    package var entity: String?

    package init(_ operation: ChangeOperation, object: String, name: String, old: String? = nil, new: String? = nil) {
        self.operation = operation
        self.object = object
        self.name = name
        self.old = old
        self.new = new
    }
}

/// The change of a row, a schema object or a cookie as a whole.
package enum ChangeOperation: String, Hashable, Sendable, CaseIterable {
    case added, deleted, modified
}

/// A class of noise to leave out when a container is read.
package struct DroppedNoise: Sendable {
    package let noise: NoiseClass
    package let paths: [Glob]

    package init(_ noise: NoiseClass, paths: [Glob]) {
        self.noise = noise
        self.paths = paths
    }

    /// The patterns that match only what is inside directories: those that end with `/**`. The directories themselves stay, because
    /// an installed app expects them.
    package var contents: [Glob] { paths.filter { $0.pattern.suffix(3).elementsEqual("/**".utf8) } }
    package var reason: String { "dropped: \(noise.rawValue)" }
}
