public import CapsulePropertyList

/// One line of what differs inside an entry, or of what was not looked at.
public struct ChangeDetail: Hashable, Sendable {
    /// What the line is about.
    public enum Content: Hashable, Sendable {
        /// A place of a property list or of JSON.
        case value(PlistChange)
        /// A row of a database's table.
        case row(RowChange)
        /// A table, index, view or trigger of a database.
        case schema(SchemaChange)
        /// Lines of a text.
        case text(TextChange)
        /// Bytes that nothing more is known of.
        case bytes(BytesChange)
        /// The format or the size of an image.
        case image(ImageChange)
        /// A cookie of a file of cookies.
        case cookie(CookieChange)
        /// Mode, attributes or times.
        case metadata(MetadataChange)
        /// The same content in another encoding.
        case encoding(EncodingChange)
        /// No change: why the content was compared by lesser means.
        case fallback(HandlerFallback)
        /// No change: what is not told.
        case limit(DetailLimit)
    }

    /// What the line is about, with what it says.
    public var content: Content
    /// The class of it as a whole, where it is noise.
    public var noise: NoiseClass?

    /// A line that is no noise until a rule says so.
    public init(_ content: Content, noise: NoiseClass? = nil) {
        self.content = content
        self.noise = noise
    }

    /// Whether it tells of a change, and not of how the comparison went.
    public var isChange: Bool {
        switch content {
        case .fallback, .limit: false
        default: true
        }
    }

    /// Whether there may be more changes than were found: the comparison was cut short, or something was not looked at.
    public var isGap: Bool {
        switch content {
        case .limit(let limit): !limit.isJudged
        case .fallback(let fallback): fallback.to == HandlerFallback.nothing
        default: false
        }
    }

    /// The word of rules and reports: `value`, `row`, `schema`, `text`, `bytes`, `image`, `cookie`, `metadata`, `encoding`,
    /// `fallback` or `limit`.
    public var word: String {
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

    /// `added`, `deleted`, `modified` or `order` for what has such a word; nil else.
    public var operation: String? {
        switch content {
        case .value(let change): if case .encoding = change.kind { nil } else { change.name }
        case .row(let change): change.operation.rawValue
        case .schema(let change): change.operation.rawValue
        case .cookie(let change): change.operation.rawValue
        default: nil
        }
    }
}

/// A kind of change that runs make by themselves (docs/diff.md, section 4).
public struct NoiseClass: RawRepresentable, Hashable, Sendable {
    /// As rules and counts name it.
    public let rawValue: String

    /// Takes any word: rules of a user's bring classes of their own.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// What rules call a change that is never noise.
    public static let signal = NoiseClass(rawValue: "signal")
    /// iOS's cached scenes, which it makes anew.
    public static let sceneSessions = NoiseClass(rawValue: "scene-sessions")
    /// Launch images, which iOS makes anew.
    public static let splashboard = NoiseClass(rawValue: "splashboard")
    /// What apps can fetch or compute again.
    public static let caches = NoiseClass(rawValue: "caches")
    /// What the system keeps for itself in a container.
    public static let system = NoiseClass(rawValue: "system")
    /// Temporary files.
    public static let tmp = NoiseClass(rawValue: "tmp")
    /// How SQLite stores what is the same: its log's frames, its shared memory, its free pages.
    public static let sqlite = NoiseClass(rawValue: "sqlite")
    /// Core Data's own counters and history.
    public static let coreData = NoiseClass(rawValue: "core-data")
    /// The same cookies in another order.
    public static let cookiesOrder = NoiseClass(rawValue: "cookies-order")
}

/// Another mode, attribute or time.
public struct MetadataChange: Hashable, Sendable {
    /// Which of them.
    public enum Field: Hashable, Sendable {
        /// The mode bits.
        case mode
        /// An extended attribute, by its name.
        case attribute([UInt8])
        /// The time of the last change.
        case modified

        /// `mode`, `attribute` or `modified`.
        public var word: String {
            switch self {
            case .mode: "mode"
            case .attribute: "attribute"
            case .modified: "modified"
            }
        }
    }

    /// Which of them it is.
    public var field: Field
    /// nil for an attribute that is not there. Modes are strings of four octal digits.
    public var old: ShownValue?
    /// The newer value; nil where the newer side has none.
    public var new: ShownValue?
    /// The file of a unit that it is about, where that is not the database itself.
    public var member: RelativePath?

    /// A change of what stands beside content.
    public init(_ field: Field, old: ShownValue?, new: ShownValue?, member: RelativePath? = nil) {
        self.field = field
        self.old = old
        self.new = new
        self.member = member
    }
}

/// Facts beside an entry's content that are not compared, since only one of the two sides can have them.
public struct MetadataGap: Hashable, Sendable {
    /// The facts that one format can't store.
    public enum Facts: Hashable, Sendable {
        /// The mode bits: some zip files have none.
        case mode
        /// The extended attributes: no zip file has any.
        case attributes

        /// `modes` or `extended attributes`.
        public var words: String {
            switch self {
            case .mode: "modes"
            case .attributes: "extended attributes"
            }
        }
    }

    /// The entry, on the newer side.
    public let path: RelativePath
    /// The facts that were not compared.
    public let facts: Facts
}

/// The same content in another encoding, or written in another way in the same one.
public struct EncodingChange: Hashable, Sendable {
    /// `binary`, `xml`, `json`, `utf-8`, `gzip`, `sqlite` …
    public var old: String
    /// The newer content's, in the same words.
    public var new: String

    /// From one encoding to another.
    public init(old: String, new: String) {
        self.old = old
        self.new = new
    }
}

/// What differs between bytes that nothing more is known of.
public struct BytesChange: Hashable, Sendable {
    /// The older content's length in bytes.
    public var oldSize: UInt64
    /// The newer content's length in bytes.
    public var newSize: UInt64
    /// The offset of the first byte that differs; nil where the one is the beginning of the other.
    public var first: UInt64?
    /// The share of the newer bytes that stand in the older content too, 0 to 1, in runs; nil where that was not looked for.
    public var equal: Double?

    /// The difference of two contents.
    public init(oldSize: UInt64, newSize: UInt64, first: UInt64?, equal: Double?) {
        self.oldSize = oldSize
        self.newSize = newSize
        self.first = first
        self.equal = equal
    }
}

/// What differs between two images as their headers tell it.
public struct ImageChange: Hashable, Sendable {
    /// One side.
    public struct Side: Hashable, Sendable {
        /// `png`, `jpeg`, `gif` or `heic`.
        public var format: String
        /// nil where the header does not tell.
        public var width: UInt32?
        /// In pixels, as ``width`` is.
        public var height: UInt32?
        /// The file's length.
        public var bytes: UInt64

        /// An image's header.
        public init(format: String, width: UInt32?, height: UInt32?, bytes: UInt64) {
            self.format = format
            self.width = width
            self.height = height
            self.bytes = bytes
        }
    }

    /// The older image.
    public var old: Side
    /// The newer image.
    public var new: Side

    /// The difference of two images.
    public init(old: Side, new: Side) {
        self.old = old
        self.new = new
    }
}

extension ImageHeader {
    /// A side of a change.
    public func side(bytes: UInt64) -> ImageChange.Side {
        ImageChange.Side(format: format.rawValue, width: width, height: height, bytes: bytes)
    }
}

/// Why a content was not compared by what it seemed to be.
public struct HandlerFallback: Hashable, Sendable {
    /// What stands in ``from`` where the bytes themselves could not be read.
    public static let content = "content"

    /// What stands in ``to`` where nothing compared it then.
    public static let nothing = "none"

    /// Of which sides the content could not be read as that.
    public enum Side: String, Hashable, Sendable {
        /// The older one.
        case a
        /// The newer one.
        case b
        /// Both of them.
        case both
    }

    /// The side that the handler could not read.
    public var side: Side
    /// The handler that could not compare the content.
    public var from: String
    /// What compared it then.
    public var to: String
    /// For people.
    public var reason: String
    /// Of a keyed archive that was compared as a property list: where it is in the content.
    public var archive: PlistPointer?

    /// A handler's failure.
    public init(side: Side, from: String, to: String, reason: String, archive: PlistPointer? = nil) {
        self.side = side
        self.from = from
        self.to = to
        self.reason = reason
        self.archive = archive
    }
}

/// Something that there is more of than is told.
public struct DetailLimit: Hashable, Sendable {
    /// What ``what`` is where there was no time for more.
    public static let time = "time"

    /// `rows`, `lines`, `changes`, `bytes`, `time`, `depth` …
    public var what: String
    /// The table whose rows they are, if they are rows.
    public var table: String?
    /// How many are told; nil where that says nothing.
    public var shown: UInt64?
    /// nil where it was not counted.
    public var total: UInt64?
    /// Whether what is not told was compared and judged as all else is (``EntryChange/unshown``): then it only isn't shown.
    public var isJudged: Bool
    /// The bound that ended the comparison: seconds of `time`, a number of `changes`; nil where there is no such number.
    public var limit: UInt64?

    /// A bound that was met.
    public init(
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

extension DetailLimit {
    /// What ended the comparison, with the number of the limit.
    public var reason: String {
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
