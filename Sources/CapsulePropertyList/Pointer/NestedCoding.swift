/// How a pointer looks into data: what a step like `<plist>` makes of bytes, and back.
public struct NestedCoding: Sendable {
    /// Nothing but property lists: `<zlib>` is an error.
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

    /// The document that a step finds in data.
    func document(_ step: PlistString, in bytes: [UInt8]) throws(PlistError) -> NestedDocument {
        switch step.string {
        case "<zlib>":
            guard let inflate, let deflate else { throw PlistError(.unsupported, "compressed data can't be looked into here") }
            return NestedDocument(.compressed(try inflate(bytes), deflate), of: bytes, limits)
        default:
            throw PlistError(
                .mismatch, "\(step.quoted) leads nowhere in data",
                hint: "into data lead '<plist>', '<archive>', '<json>' and '<zlib>'")
        }
    }
}
