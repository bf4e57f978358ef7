/// The boxes of a file of the ISO family, as far as images tell their format and size in them. (ISO/IEC 14496-12, 23008-12)
struct ISOMediaBoxes {
    /// Boxes that are looked at in one place: a real file has few, or a few hundred properties.
    private static let boxLimit = 4096
    private static let brandLimit = 64

    private let fields: ByteFields

    init(_ fields: ByteFields) {
        self.fields = fields
    }

    private typealias Box = (type: [UInt8], content: ByteFields)

    /// The format by the brands of the first box; nil for other files, films among them.
    var imageFormat: ImageHeader.Format? {
        guard fields.has("ftyp", at: 4), let box = Self.boxes(of: fields, limit: 1).first else { return nil }
        // The major brand, its version, and the brands that it can be read as.
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

    /// The largest extent that an item has: a picture's tiles and thumbnails are smaller than it.
    var imageSize: ImageSize? {
        guard let meta = Self.box("meta", in: fields),
            // Version and flags come first.
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

    /// The boxes next to each other, the last one as far as it is there.
    private static func boxes(of fields: ByteFields, limit: Int = boxLimit) -> [Box] {
        var boxes: [Box] = []
        var offset = 0
        while boxes.count < limit, var size = fields.big(4, at: offset), let type = fields.slice(offset + 4, count: 4) {
            var headerBytes: UInt64 = 8
            let left = UInt64(fields.count - offset)
            switch size {
            // To the end of the file.
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
