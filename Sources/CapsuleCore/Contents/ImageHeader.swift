/// What the beginning of an image's file tells of it.
public struct ImageHeader: Hashable, Sendable {
    /// A format that is told by its first bytes.
    public enum Format: String, Hashable, Sendable, CaseIterable {
        /// A format by the word that is usual for it.
        case png, jpeg, gif, webp, heic, heif, avif
    }

    /// What the first bytes say it is.
    public let format: Format
    /// In pixels, as they are stored; nil where the bytes at hand do not tell.
    public let width: UInt32?
    /// In pixels, as ``width`` is.
    public let height: UInt32?

    /// The media type, `image/png`. (IANA's registry of media types)
    public var mediaType: String { "image/" + format.rawValue }

    /// Looks at the first bytes of a file; nil if they are of no image that is known.
    public init?(_ head: [UInt8]) {
        let fields = ByteFields(head)
        guard let format = Self.format(fields) else { return nil }
        self.format = format
        let size: ImageSize? =
            switch format {
            case .png: ImageSize.ofPNG(fields)
            case .jpeg: ImageSize.ofJPEG(fields)
            case .gif: ImageSize.ofGIF(fields)
            case .webp: ImageSize.ofWebP(fields)
            case .heic, .heif, .avif: ISOMediaBoxes(fields).imageSize
            }
        (width, height) = (size?.width, size?.height)
    }

    /// A side of a change.
    public func side(bytes: UInt64) -> ImageChange.Side {
        ImageChange.Side(format: format.rawValue, width: width, height: height, bytes: bytes)
    }

    private static func format(_ fields: ByteFields) -> Format? {
        if fields.slice(0, count: 8).map({ Array($0) }) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] { return .png }
        if fields.slice(0, count: 3).map({ Array($0) }) == [0xFF, 0xD8, 0xFF] { return .jpeg }
        if fields.has("GIF87a", at: 0) || fields.has("GIF89a", at: 0) { return .gif }
        if fields.has("RIFF", at: 0), fields.has("WEBPVP8", at: 8) { return .webp }
        return ISOMediaBoxes(fields).imageFormat
    }
}
