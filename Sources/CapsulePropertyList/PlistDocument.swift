/// A property list as it stands in a file: the value and the bytes, so that it can be written back with only what
/// changed rewritten.
public struct PlistDocument: Sendable {
    /// The document as it was read.
    public let bytes: [UInt8]
    /// Its encoding.
    public let format: PlistFormat
    /// Its value.
    public let value: PlistValue
    /// What a lenient reading let pass.
    public let warnings: [PlistError]

    /// The document of these bytes, in one of the encodings accepted. JSON is read as it stands, without
    /// ``JSONPlistOptions/typed``.
    ///
    /// A key that comes twice in a dictionary is an error; if `isLenient`, the last value is kept and there is a warning.
    public static func read(
        _ bytes: [UInt8], accepting formats: Set<PlistFormat> = PlistFormat.all, limits: PlistLimits = .standard,
        isLenient: Bool = false
    ) throws(PlistError) -> PlistDocument {
        if isLenient {
            let (value, format, warnings) = try PlistReader.readLeniently(bytes, accepting: formats, limits: limits)
            return PlistDocument(bytes: bytes, format: format, value: value, warnings: warnings)
        }
        let (value, format) = try PlistReader.read(bytes, accepting: formats, limits: limits)
        return PlistDocument(bytes: bytes, format: format, value: value, warnings: [])
    }
}
