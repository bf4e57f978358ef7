/// What an image's first bytes say of it, for images that every browser shows.
struct PictureHeader: Equatable {
    enum Format: Equatable {
        case png
        case jpeg
        case gif
        case webp

        /// The media type (IANA).
        var mediaType: StaticString {
            switch self {
            case .png: "image/png"
            case .jpeg: "image/jpeg"
            case .gif: "image/gif"
            case .webp: "image/webp"
            }
        }

        var word: StaticString {
            switch self {
            case .png: "PNG"
            case .jpeg: "JPEG"
            case .gif: "GIF"
            case .webp: "WebP"
            }
        }
    }

    let format: Format
    /// In pixels; never 0.
    let width: UInt64
    let height: UInt64

    /// - Returns: nil for what is none of the formats, and where the header ends before the size.
    init?(_ bytes: [UInt8]) {
        let found = Self.png(bytes) ?? Self.gif(bytes) ?? Self.webp(bytes) ?? Self.jpeg(bytes)
        guard let (format, width, height) = found, width > 0, height > 0 else { return nil }
        self.format = format
        self.width = width
        self.height = height
    }

    private typealias Found = (Format, UInt64, UInt64)

    /// PNG, third edition, section 11.2.1: the header is the first chunk.
    private static func png(_ bytes: [UInt8]) -> Found? {
        guard begins(bytes, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), begins(bytes, Array("IHDR".utf8), at: 12),
            let width = big(bytes, at: 16, 4), let height = big(bytes, at: 20, 4)
        else { return nil }
        return (.png, width, height)
    }

    /// GIF89a, section 18: the logical screen.
    private static func gif(_ bytes: [UInt8]) -> Found? {
        guard begins(bytes, Array("GIF87a".utf8)) || begins(bytes, Array("GIF89a".utf8)),
            let width = little(bytes, at: 6, 2), let height = little(bytes, at: 8, 2)
        else { return nil }
        return (.gif, width, height)
    }

    /// RFC 9649, sections 2.5 to 2.7.
    private static func webp(_ bytes: [UInt8]) -> Found? {
        guard begins(bytes, Array("RIFF".utf8)), begins(bytes, Array("WEBPVP8".utf8), at: 8), bytes.count > 15 else { return nil }
        switch bytes[15] {
        case UInt8(ascii: "X"):
            guard let width = little(bytes, at: 24, 3), let height = little(bytes, at: 27, 3) else { return nil }
            return (.webp, width + 1, height + 1)
        case UInt8(ascii: "L"):
            guard begins(bytes, [0x2F], at: 20), let bits = little(bytes, at: 21, 4) else { return nil }
            return (.webp, bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        case UInt8(ascii: " "):
            guard begins(bytes, [0x9D, 0x01, 0x2A], at: 23), let width = little(bytes, at: 26, 2),
                let height = little(bytes, at: 28, 2)
            else { return nil }
            return (.webp, width & 0x3FFF, height & 0x3FFF)
        default: return nil
        }
    }

    /// ITU T.81, annex B: segments up to the frame's.
    private static func jpeg(_ bytes: [UInt8]) -> Found? {
        guard begins(bytes, [0xFF, 0xD8]) else { return nil }
        var place = 2
        while place + 1 < bytes.count, bytes[place] == 0xFF {
            let marker = bytes[place + 1]
            switch marker {
            case 0xFF: place += 1
            case 0x01, 0xD0...0xD7: place += 2
            case 0xD9, 0xDA: return nil
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard let height = big(bytes, at: place + 5, 2), let width = big(bytes, at: place + 7, 2) else { return nil }
                return (.jpeg, width, height)
            default:
                guard let length = big(bytes, at: place + 2, 2), length >= 2 else { return nil }
                place += 2 + Int(length)
            }
        }
        return nil
    }

    private static func begins(_ bytes: [UInt8], _ mark: [UInt8], at place: Int = 0) -> Bool {
        bytes.count >= place + mark.count && bytes[place..<place + mark.count].elementsEqual(mark)
    }

    private static func big(_ bytes: [UInt8], at place: Int, _ count: Int) -> UInt64? {
        guard bytes.count >= place + count else { return nil }
        return bytes[place..<place + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func little(_ bytes: [UInt8], at place: Int, _ count: Int) -> UInt64? {
        guard bytes.count >= place + count else { return nil }
        return bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
