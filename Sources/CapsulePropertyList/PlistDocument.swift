/// A property list as it stands in a file: the value and the bytes, so that it can be written back with only what
/// changed rewritten.
public struct PlistDocument: Sendable {
    /// The document as it was read.
    public let bytes: [UInt8]
    /// Its encoding.
    public let format: PlistFormat
    /// Its value.
    public let value: PlistValue
    /// What the reading let pass: keys that come twice.
    public let warnings: [PlistError]

    /// The document of these bytes, in one of the encodings accepted. JSON is read as it stands, without
    /// ``JSONPlistOptions/typed``.
    ///
    /// Of a key that comes twice in a dictionary of XML, the last value is kept, as by Apple's parser, and there is a warning with both
    /// places. In other encodings it is an error, unless `isLenient`. A document whose format is Capsule's own is read by
    /// ``PlistReader``, for which it is an error in any encoding.
    public static func read(
        _ bytes: [UInt8], accepting formats: Set<PlistFormat> = PlistFormat.all, limits: PlistLimits = .standard,
        isLenient: Bool = false
    ) throws(PlistError) -> PlistDocument {
        let (value, format, warnings) = try PlistReader.read(
            bytes, accepting: formats, limits: limits, duplicates: isLenient ? .last : .lastOfXML)
        return PlistDocument(bytes: bytes, format: format, value: value, warnings: warnings)
    }
}
