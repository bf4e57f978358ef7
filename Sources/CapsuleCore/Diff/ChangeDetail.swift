package import CapsulePropertyList

/// One line of a report about an entry's content: a difference, or something that was not compared.
package struct ChangeDetail: Hashable, Sendable {
    /// The subject of a line.
    package enum Content: Hashable, Sendable {
        /// A value in a property list or in JSON.
        case value(PlistChange)
        /// A row of a database table.
        case row(RowChange)
        /// A table, index, view or trigger of a database.
        case schema(SchemaChange)
        /// Lines of a text.
        case text(TextChange)
        /// Bytes of an unknown format.
        case bytes(BytesChange)
        /// The format or the size of an image.
        case image(ImageChange)
        /// A cookie in a cookies file.
        case cookie(CookieChange)
        /// A mode, an attribute or a time.
        case metadata(MetadataChange)
        /// The same content in another encoding.
        case encoding(EncodingChange)
        /// Not a change: the reason that the content was compared with a simpler handler.
        case fallback(HandlerFallback)
        /// Not a change: something that was left out.
        case limit(Truncation)
    }

    /// The content of the line.
    package var content: Content
    /// The noise class of the line as a whole, if it is noise.
    package var noise: NoiseClass?

    /// Creates a line. It is not noise unless a class is given.
    package init(_ content: Content, noise: NoiseClass? = nil) {
        self.content = content
        self.noise = noise
    }

    /// True if the line describes a change, and not the course of the comparison.
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

    /// The word for the line in rules and reports: `value`, `row`, `schema`, `text`, `bytes`, `image`, `cookie`, `metadata`,
    /// `encoding`, `fallback` or `limit`.
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

    /// The operation `added`, `deleted`, `modified` or `order`, or nil if the content has no operation.
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
    /// The name of the class in rules and counts.
    package let rawValue: String

    /// Creates a class from any word. A user's rules can define their own classes.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The class that rules give to a change that is never noise.
    package static let signal = NoiseClass(rawValue: "signal")
    /// Cached scenes, which iOS recreates.
    package static let sceneSessions = NoiseClass(rawValue: "scene-sessions")
    /// Launch images, which iOS recreates.
    package static let splashboard = NoiseClass(rawValue: "splashboard")
    /// Data that apps can download or compute again.
    package static let caches = NoiseClass(rawValue: "caches")
    /// Data that the system keeps for itself in a container.
    package static let system = NoiseClass(rawValue: "system")
    /// Temporary files.
    package static let tmp = NoiseClass(rawValue: "tmp")
    /// Differences in the way SQLite stores the same content: WAL frames, shared memory, free pages.
    package static let sqlite = NoiseClass(rawValue: "sqlite")
    /// Core Data's own counters and history.
    package static let coreData = NoiseClass(rawValue: "core-data")
    /// The same cookies in another order.
    package static let cookiesOrder = NoiseClass(rawValue: "cookies-order")
}

/// A change of a mode, an attribute or a time.
package struct MetadataChange: Hashable, Sendable {
    /// The kind of metadata.
    package enum Field: Hashable, Sendable {
        /// The mode bits.
        case mode
        /// The extended attribute with this name.
        case attribute([UInt8])
        /// The modification time.
        case modified

        /// `mode`, `attribute` or `modified`.
        package var word: String {
            switch self {
            case .mode: "mode"
            case .attribute: "attribute"
            case .modified: "modified"
            }
        }
    }

    /// The metadata that changed.
    package var field: Field
    /// The older value, or nil if the older side lacks the attribute. Modes are strings of four octal digits.
    package var old: DisplayValue?
    /// The newer value, or nil if the newer side lacks the attribute.
    package var new: DisplayValue?
    /// The file of a unit that the change is about, if it is not the database itself.
    package var member: RelativePath?

    /// Creates a change of metadata.
    package init(_ field: Field, old: DisplayValue?, new: DisplayValue?, member: RelativePath? = nil) {
        self.field = field
        self.old = old
        self.new = new
        self.member = member
    }
}

/// Metadata that is not compared, because only one of the two sides can store it.
package struct MetadataGap: Hashable, Sendable {
    /// The kinds of metadata that a format may be unable to store.
    package enum Facts: Hashable, Sendable {
        /// The mode bits, which some zip files don't have.
        case mode
        /// The extended attributes, which no zip file has.
        case attributes

        /// `modes` or `extended attributes`.
        package var words: String {
            switch self {
            case .mode: "modes"
            case .attributes: "extended attributes"
            }
        }
    }

    /// The path of the entry on the newer side.
    package let path: RelativePath
    /// The metadata that was not compared.
    package let facts: Facts
}

/// A change of the encoding of equal content, or of its spelling within one encoding.
package struct EncodingChange: Hashable, Sendable {
    /// The older encoding: `binary`, `xml`, `json`, `utf-8`, `gzip`, `sqlite` …
    package var old: String
    /// The newer encoding, in the same words.
    package var new: String

    /// Creates a change from one encoding to another.
    package init(old: String, new: String) {
        self.old = old
        self.new = new
    }
}

/// The difference between two contents of an unknown format.
package struct BytesChange: Hashable, Sendable {
    /// The length of the older content in bytes.
    package var oldSize: UInt64
    /// The length of the newer content in bytes.
    package var newSize: UInt64
    /// The offset of the first byte that differs, or nil if one content is the beginning of the other.
    package var first: UInt64?
    /// The share of the newer bytes, from 0 to 1, that are in runs that the older content has too. It is nil if it was not computed.
    package var equal: Double?

    /// Creates the difference of two contents.
    package init(oldSize: UInt64, newSize: UInt64, first: UInt64?, equal: Double?) {
        self.oldSize = oldSize
        self.newSize = newSize
        self.first = first
        self.equal = equal
    }
}

/// The difference between two images, according to their headers.
package struct ImageChange: Hashable, Sendable {
    /// An image on one side.
    package struct Side: Hashable, Sendable {
        /// The format: `png`, `jpeg`, `gif`, `webp`, `heic`, `heif` or `avif`.
        package var format: String
        /// The width in pixels, or nil if the header does not contain it.
        package var width: UInt32?
        /// The height in pixels, or nil if the header does not contain it.
        package var height: UInt32?
        /// The length of the file in bytes.
        package var bytes: UInt64

        /// Creates a side from an image's header.
        package init(format: String, width: UInt32?, height: UInt32?, bytes: UInt64) {
            self.format = format
            self.width = width
            self.height = height
            self.bytes = bytes
        }
    }

    /// The older image.
    package var old: Side
    /// The newer image.
    package var new: Side

    /// Creates the difference of two images.
    package init(old: Side, new: Side) {
        self.old = old
        self.new = new
    }
}

extension ImageHeader {
    /// Returns the image as a side of a change.
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

    /// The sides whose content could not be read in the expected format.
    package enum Side: String, Hashable, Sendable {
        /// The older side.
        case a
        /// The newer side.
        case b
        /// Both sides.
        case both
    }

    /// The side that the handler could not read.
    package var side: Side
    /// The handler that could not compare the content.
    package var from: String
    /// The handler that compared the content instead.
    package var to: String
    /// The reason, for people.
    package var reason: String
    /// The place in the content of a keyed archive that was compared as a property list.
    package var archive: PlistPointer?

    /// Creates the record of a handler's failure.
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
    /// The table that the rows belong to, if the limit is about rows.
    package var table: String?
    /// The number that is shown, or nil if a number has no meaning.
    package var shown: UInt64?
    /// The total number, or nil if it was not counted.
    package var total: UInt64?
    /// True if the rest was compared and judged like everything else (``EntryChange/unshown``), and is only not shown.
    package var isJudged: Bool
    /// The limit that ended the comparison: seconds for `time`, a number for `changes`. It is nil if there is no such number.
    package var limit: UInt64?

    /// Creates the record of a limit that was reached.
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
    /// The reason that the comparison ended, with the number of the limit.
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
    /// A column of the row.
    package struct Column: Hashable, Sendable {
        /// The SQL name of the column.
        package var name: String
        /// The Core Data attribute that the column stores, if it is known.
        package var attribute: String?
        /// The older value, or nil for a row that was added.
        package var old: DisplayValue?
        /// The newer value, or nil for a row that was deleted.
        package var new: DisplayValue?
        /// The differences between property lists in both values. Their pointers begin at the column's value.
        package var nested: [PlistChange]
        /// The reason that a property list in a value was not compared as one, or nil if none was skipped.
        package var nestedGap: NestedGap?
        /// The noise class of the column's change, if it is noise. A row is noise if all its changed columns are.
        package var noise: NoiseClass?

        /// Creates a column with its values.
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
        /// The column's name, or `rowid`.
        package var column: String
        /// The value of the column in this row.
        package var value: DisplayValue

        /// Creates one part of a row's key.
        package init(_ column: String, _ value: DisplayValue) {
            self.column = column
            self.value = value
        }
    }

    /// The operation on the row.
    package var operation: ChangeOperation
    /// The table's SQL name.
    package var table: String
    /// The Core Data entity that the table stores, if it is known.
    package var entity: String?
    /// The virtual table whose data the table stores, or nil if it is an ordinary table.
    package var owner: String?
    /// The key of the row. It is empty if the table has neither a primary key nor row IDs on both sides. Then only the columns
    /// identify the row.
    package var key: [Key]
    /// The columns that differ, for a modified row. Otherwise all columns that are neither NULL nor part of the key.
    package var columns: [Column]
    /// True if the database is known not to be a Core Data store, whatever the names of its tables are.
    package var isPlain = false
    /// True if the database is a keychain, whose data is secret.
    package var isKeychain = false

    /// Creates the change of a row.
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
    /// The operation on the object.
    package var operation: ChangeOperation
    /// The kind of the object: `table`, `virtual table`, `index`, `view`, `trigger`, or `pragma` for a pragma that affects the
    /// meaning of a database.
    package var object: String
    /// The name of the object.
    package var name: String
    /// The SQL statement that created it, or the pragma's value. It is nil if the older database does not have the object, and
    /// for indexes that constraints create.
    package var old: String?
    /// The newer statement or value, or nil if the newer database does not have it.
    package var new: String?
    /// The Core Data entity that a table is named after, if it is known.
    package var entity: String?

    /// Creates a change of the schema.
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
    /// Only the newer side has it.
    case added
    /// Only the older side has it.
    case deleted
    /// Both sides have it, with different content.
    case modified
}

/// A class of noise to leave out when a container is read.
package struct DroppedNoise: Sendable {
    /// The class.
    package let noise: NoiseClass
    /// The patterns of the tree paths that belong to the class.
    package let paths: [Glob]

    package init(_ noise: NoiseClass, paths: [Glob]) {
        self.noise = noise
        self.paths = paths
    }

    /// The patterns that match only what is inside directories: those that end with `/**`. The directories themselves stay, because
    /// an installed app expects them.
    package var contents: [Glob] { paths.filter { $0.pattern.suffix(3).elementsEqual("/**".utf8) } }

    /// The reason that the manifest gives for what is left out with this class.
    package var reason: String { "dropped: \(noise.rawValue)" }
}
