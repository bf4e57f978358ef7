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
