/// How a pointer looks into data: what a step like `<plist>` makes of bytes, and back.
public struct NestedCoding: Sendable {
    /// Property lists, JSON and keyed archives; `<zlib>` is an error.
    public static let standard = NestedCoding()

    /// Takes zlib's or gzip's wrapping off; nil where that can't be done.
    public var inflate: (@Sendable ([UInt8]) throws(PlistError) -> [UInt8])?
    /// Wraps bytes as zlib does.
    public var deflate: (@Sendable ([UInt8]) throws(PlistError) -> [UInt8])?
    /// What readers of nested documents take on.
    public var limits: PlistLimits

    /// A coding for these steps; this module knows no compression itself.
    public init(
        inflate: (@Sendable ([UInt8]) throws(PlistError) -> [UInt8])? = nil,
        deflate: (@Sendable ([UInt8]) throws(PlistError) -> [UInt8])? = nil, limits: PlistLimits = .standard
    ) {
        self.inflate = inflate
        self.deflate = deflate
        self.limits = limits
    }

    private static let archiveStep: PlistString = "<archive>"

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
            guard let inflate, let deflate else { throw PlistError(.unsupported, "compressed data can't be looked into here") }
            return NestedDocument(.compressed(try inflate(bytes), deflate), of: bytes, limits)
        default:
            throw PlistError(
                .mismatch, "\(step.quoted) leads nowhere in data",
                hint: "into data lead '<plist>', '<archive>', '<json>' and '<zlib>'")
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
