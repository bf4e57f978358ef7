/// Decodes and encodes data for the steps of a pointer that lead into data, such as `<plist>`.
package struct NestedCoding: Sendable {
    /// Supports property lists, JSON and keyed archives. `<zlib>` is an error.
    package static let standard = NestedCoding()

    /// Decompresses data. Returns nil for data that is not in the expected format, is damaged, or decompresses to more bytes than
    /// the limit.
    package typealias Inflation = @Sendable (_ data: [UInt8], _ limit: Int) -> [UInt8]?
    /// Compresses bytes with the same wrapper as the data that they replace. Returns nil if that is not possible.
    package typealias Deflation = @Sendable (_ bytes: [UInt8], _ data: [UInt8]) -> [UInt8]?

    /// The decompression for `<zlib>`; nil if it is not supported.
    package var inflate: Inflation?
    package var deflate: Deflation?
    package var limits: PlistLimits

    /// Creates a coding. This module has no compression of its own.
    package init(inflate: Inflation? = nil, deflate: Deflation? = nil, limits: PlistLimits = .standard) {
        self.inflate = inflate
        self.deflate = deflate
        self.limits = limits
    }

    private static let archiveStep: PlistString = "<archive>"
    package static let steps: Set<PlistString> = ["<plist>", "<json>", "<zlib>", archiveStep]

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

    /// Returns the graph if the step is `<archive>` and the dictionary is a keyed archive itself, or nil for any other step, which
    /// is a key.
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

/// The content of data, and the way to write it back.
struct NestedDocument {
    enum Form {
        case document(PlistDocument)
        /// The graph of a keyed archive, which can be read but not written.
        case archive(PlistValue)
        case compressed([UInt8], NestedCoding.Deflation)
    }

    private let form: Form
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

    func bytes(holding value: PlistValue) throws(PlistError) -> [UInt8] {
        // Another compressor would encode the same bytes differently.
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
