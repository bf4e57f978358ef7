/// How a pointer looks into data: what a step like `<plist>` makes of bytes, and back.
public struct NestedCoding: Sendable {
    /// Property lists, JSON and keyed archives; `<zlib>` is an error.
    public static let standard = NestedCoding()

    /// Gives the bytes that compressed data holds; nil for data that is not compressed so, is damaged, or holds more bytes than
    /// the limit.
    public typealias Inflation = @Sendable (_ data: [UInt8], _ limit: Int) -> [UInt8]?
    /// Compresses bytes, with the wrapping that the data has in whose place they come; nil where that can't be done.
    public typealias Deflation = @Sendable (_ bytes: [UInt8], _ data: [UInt8]) -> [UInt8]?

    /// What `<zlib>` reads with; nil where nothing can.
    public var inflate: Inflation?
    /// What `<zlib>` writes with.
    public var deflate: Deflation?
    /// What readers of nested documents take on.
    public var limits: PlistLimits

    /// A coding for these steps; this module knows no compression itself.
    public init(
        inflate: Inflation? = nil, deflate: Deflation? = nil, limits: PlistLimits = .standard
    ) {
        self.inflate = inflate
        self.deflate = deflate
        self.limits = limits
    }

    private static let archiveStep: PlistString = "<archive>"

    /// The steps that lead into data.
    public static let steps: Set<PlistString> = ["<plist>", "<json>", "<zlib>", archiveStep]

    /// The document that a step finds in data.
    func document(_ step: PlistString, in bytes: [UInt8]) throws(PlistError) -> NestedDocument {
        switch step.string {
        case "<plist>":
            return try NestedDocument(.document(read(bytes, PlistFormat.all.subtracting([.json]))), of: bytes, limits)
        case "<json>":
            return try NestedDocument(.document(read(bytes, [.json])), of: bytes, limits)
        case Self.archiveStep.string:
            return try archive(in: read(bytes, PlistFormat.xmlOrBinary).value, of: bytes)
        case "<zlib>":
            guard let inflate, let deflate else { throw PlistError(.unsupported, "compressed data can't be read here") }
            guard let inflated = inflate(bytes, limits.documentBytes) else {
                throw PlistError(.damaged, "the data is not zlib data, damaged, or too large when decompressed")
            }
            return NestedDocument(.compressed(inflated, deflate), of: bytes, limits)
        default:
            throw PlistError(
                .mismatch, "\(step.quoted) is not a step into data",
                hint: "use '<plist>', '<archive>', '<json>' or '<zlib>'")
        }
    }

    /// The graph that a step finds in a dictionary which is a keyed archive itself; nil for any other step, which is a key.
    func archive(_ step: PlistString, in dictionary: PlistDictionary) throws(PlistError) -> NestedDocument? {
        guard step == Self.archiveStep, dictionary[step] == nil, KeyedArchive.isArchive(.dictionary(dictionary)) else {
            return nil
        }
        return try archive(in: .dictionary(dictionary), of: [])
    }

    private func archive(in value: PlistValue, of bytes: [UInt8]) throws(PlistError) -> NestedDocument {
        NestedDocument(.archive(try KeyedArchive(value).resolved(limits: limits)), of: bytes, limits)
    }

    private func read(_ bytes: [UInt8], _ formats: Set<PlistFormat>) throws(PlistError) -> PlistDocument {
        try PlistDocument.read(bytes, accepting: formats, limits: limits)
    }
}

/// What data holds, and how it is written back.
struct NestedDocument {
    enum Form {
        case document(PlistDocument)
        /// The graph of a keyed archive, which is shown but can't be written.
        case archive(PlistValue)
        case compressed([UInt8], NestedCoding.Deflation)
    }

    private let form: Form
    /// The data as it is.
    private let original: [UInt8]
    private let limits: PlistLimits

    init(_ form: Form, of original: [UInt8], _ limits: PlistLimits) {
        self.form = form
        self.original = original
        self.limits = limits
    }

    var value: PlistValue {
        switch form {
        case .document(let document): document.value
        case .archive(let value): value
        case .compressed(let bytes, _): .data(bytes)
        }
    }

    /// The data with another value in it, in the encoding and layout that it has.
    func bytes(holding value: PlistValue) throws(PlistError) -> [UInt8] {
        // Another compressor would spell the same bytes differently.
        if value == self.value { return original }
        switch form {
        case .document(let document):
            return try document.bytes(holding: value, limits: limits)
        case .archive:
            throw PlistError(
                .unsupported,
                "objects of a keyed archive can't be changed here: they may be shared",
                hint: "use '<plist>' to edit the archive's own '$objects'")
        case .compressed(_, let deflate):
            guard let bytes = value.data else {
                throw PlistError(.mismatch, "\(value.typeNameWithArticle) can't be compressed")
            }
            guard let deflated = deflate(bytes, original) else {
                throw PlistError(.unsupported, "the data can't be compressed again")
            }
            return deflated
        }
    }
}
