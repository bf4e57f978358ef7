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
