/// What data holds, and how it is written back.
struct NestedDocument {
    enum Form {
        /// What is shown but can't be written; the words say what it is.
        case readOnly(PlistValue, String)
        case compressed([UInt8], (@Sendable ([UInt8]) throws(PlistError) -> [UInt8]))
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
        case .readOnly(let value, _): value
        case .compressed(let bytes, _): .data(bytes)
        }
    }

    /// The data with another value in it, in the encoding that it has.
    func bytes(holding value: PlistValue) throws(PlistError) -> [UInt8] {
        // Another compressor would spell the same bytes differently.
        if value == self.value { return original }
        switch form {
        case .readOnly(_, let what):
            throw PlistError(.unsupported, "\(what) can be looked into but not changed")
        case .compressed(_, let deflate):
            guard let bytes = value.data else {
                throw PlistError(.mismatch, "\(value.typeNameWithArticle) can't be compressed")
            }
            return try deflate(bytes)
        }
    }
}
