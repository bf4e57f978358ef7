/// The format and size of an image, read from the beginning of its file.
package struct ImageHeader: Hashable, Sendable {
    package enum Format: String, Hashable, Sendable, CaseIterable {
        case png, jpeg, gif, webp, heic, heif, avif
    }

    package let format: Format
    /// The width in pixels as it is stored, or nil if the available bytes don't contain it.
    package let width: UInt32?
    package let height: UInt32?

    package var mediaType: String { "image/" + format.rawValue }

    package init?(_ head: [UInt8]) {
        // Most contents are no pictures, which is quick to see.
        guard let first = head.first, Self.firstBytes.contains(first) else { return nil }
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

    /// The first bytes of all formats. Those of HEIF begin with the length of a short box (ISO 14496-12, section 4.2).
    private static let firstBytes: [UInt8] = [0x89, 0xFF, UInt8(ascii: "G"), UInt8(ascii: "R"), 0]

    private static func format(_ fields: ByteFields) -> Format? {
        if fields.slice(0, count: 8).map({ Array($0) }) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] { return .png }
        if fields.slice(0, count: 3).map({ Array($0) }) == [0xFF, 0xD8, 0xFF] { return .jpeg }
        if fields.has("GIF87a", at: 0) || fields.has("GIF89a", at: 0) { return .gif }
        if fields.has("RIFF", at: 0), fields.has("WEBPVP8", at: 8) { return .webp }
        return ISOMediaBoxes(fields).imageFormat
    }
}

private struct ImageSize: Equatable {
    let width: UInt32
    let height: UInt32

    init(_ width: UInt64, _ height: UInt64) {
        self.width = UInt32(truncatingIfNeeded: width)
        self.height = UInt32(truncatingIfNeeded: height)
    }

    private static let chunkBytes = 12

    /// Returns the size in the first chunk, or in the second one after Apple's `CgBI`. (PNG, third edition, sections 5.3 and 11.2.1)
    static func ofPNG(_ fields: ByteFields) -> ImageSize? {
        var start = 8
        if fields.has("CgBI", at: start + 4), let length = fields.big(4, at: start) { start += Int(length) + chunkBytes }
        guard fields.has("IHDR", at: start + 4), let width = fields.big(4, at: start + 8),
            let height = fields.big(4, at: start + 12)
        else { return nil }
        return ImageSize(width, height)
    }

    /// Returns the size of the logical screen. (GIF89a, section 18)
    static func ofGIF(_ fields: ByteFields) -> ImageSize? {
        guard let width = fields.little(2, at: 6), let height = fields.little(2, at: 8) else { return nil }
        return ImageSize(width, height)
    }

    /// Returns the size in the first frame's header. The segments before it are skipped by their lengths. (ITU-T T.81, annex B)
    static func ofJPEG(_ fields: ByteFields) -> ImageSize? {
        var offset = 2
        while let byte = fields.byte(at: offset), byte == 0xFF, let marker = fields.byte(at: offset + 1) {
            switch marker {
            // Any number of fill bytes may precede a marker.
            case 0xFF:
                offset += 1
                continue
            // Markers without a segment.
            case 0x01, 0xD0...0xD8:
                offset += 2
                continue
            // The image's data or its end.
            case 0xD9, 0xDA:
                return nil
            case 0xC4, 0xC8, 0xCC:
                break
            case 0xC0...0xCF:
                guard let height = fields.big(2, at: offset + 5), let width = fields.big(2, at: offset + 7) else { return nil }
                // A height of 0 means that a later segment has it.
                return height == 0 ? nil : ImageSize(width, height)
            default:
                break
            }
            guard let length = fields.big(2, at: offset + 2), length >= 2 else { return nil }
            offset += 2 + Int(length)
        }
        return nil
    }

    /// Returns the size in the first chunk: lossy, lossless or extended. (RFC 9649, sections 2.5 to 2.7; RFC 6386, section 9.1)
    static func ofWebP(_ fields: ByteFields) -> ImageSize? {
        if fields.has("VP8X", at: 12) {
            guard let width = fields.little(3, at: 24), let height = fields.little(3, at: 27) else { return nil }
            return ImageSize(width + 1, height + 1)
        }
        if fields.has("VP8L", at: 12) {
            guard fields.byte(at: 20) == 0x2F, let bits = fields.little(4, at: 21) else { return nil }
            return ImageSize(bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        }
        guard fields.has("VP8 ", at: 12), fields.slice(23, count: 3).map({ Array($0) }) == [0x9D, 0x01, 0x2A],
            let width = fields.little(2, at: 26), let height = fields.little(2, at: 28)
        else { return nil }
        // The two upper bits contain a scaling factor.
        return ImageSize(width & 0x3FFF, height & 0x3FFF)
    }
}

/// The boxes of an ISO media file, as far as they contain the format and size of images. (ISO/IEC 14496-12, 23008-12)
private struct ISOMediaBoxes {
    /// The maximum number of boxes that are read at one level. A real file has few, or a few hundred properties.
    private static let boxLimit = 4096
    private static let brandLimit = 64

    private let fields: ByteFields

    init(_ fields: ByteFields) {
        self.fields = fields
    }

    private typealias Box = (type: [UInt8], content: ByteFields)

    var imageFormat: ImageHeader.Format? {
        guard fields.has("ftyp", at: 4), let box = Self.boxes(of: fields, limit: 1).first else { return nil }
        // The major brand, its version, and the compatible brands.
        let places = [0] + stride(from: 8, to: box.content.count, by: 4).prefix(Self.brandLimit)
        let brands = places.compactMap { box.content.slice($0, count: 4) }.map { String(decoding: $0, as: UTF8.self) }
        guard let major = brands.first else { return nil }
        if let format = Self.formats[major] { return format }
        guard ["mif1", "mif2", "msf1", "miaf"].contains(major) else { return nil }
        return brands.lazy.compactMap { Self.formats[$0] }.first ?? .heif
    }

    private static let formats: [String: ImageHeader.Format] = {
        var formats: [String: ImageHeader.Format] = ["avif": .avif, "avis": .avif]
        for brand in ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"] { formats[brand] = .heic }
        return formats
    }()

    /// The largest extent of an item. The image's tiles and thumbnails are smaller.
    var imageSize: ImageSize? {
        guard let meta = Self.box("meta", in: fields),
            // The version and flags come first.
            let items = meta.slice(4, count: meta.count - 4).map({ ByteFields($0) }),
            let properties = Self.box("iprp", in: items), let container = Self.box("ipco", in: properties)
        else { return nil }
        let sizes = Self.boxes(of: container).compactMap { box -> ImageSize? in
            guard box.type == Array("ispe".utf8), let width = box.content.big(4, at: 4), let height = box.content.big(4, at: 8)
            else { return nil }
            return ImageSize(width, height)
        }
        return sizes.max { UInt64($0.width) * UInt64($0.height) < UInt64($1.width) * UInt64($1.height) }
    }

    private static func box(_ type: String, in fields: ByteFields) -> ByteFields? {
        boxes(of: fields).first { $0.type == Array(type.utf8) }?.content
    }

    private static func boxes(of fields: ByteFields, limit: Int = boxLimit) -> [Box] {
        var boxes: [Box] = []
        var offset = 0
        while boxes.count < limit, var size = fields.big(4, at: offset), let type = fields.slice(offset + 4, count: 4) {
            var headerBytes: UInt64 = 8
            let left = UInt64(fields.count - offset)
            switch size {
            // The box extends to the end of the file.
            case 0: size = left
            case 1:
                guard let large = fields.big(8, at: offset + 8) else { return boxes }
                (size, headerBytes) = (large, 16)
            default: break
            }
            guard size >= headerBytes, left >= headerBytes,
                let content = fields.slice(offset + Int(headerBytes), count: Int(min(size, left) - headerBytes))
            else { return boxes }
            boxes.append((Array(type), ByteFields(content)))
            offset += Int(min(size, left))
        }
        return boxes
    }
}
