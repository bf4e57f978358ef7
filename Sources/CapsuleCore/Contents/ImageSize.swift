/// Width and height of an image, from its header.
struct ImageSize: Equatable {
    let width: UInt32
    let height: UInt32

    init(_ width: UInt64, _ height: UInt64) {
        self.width = UInt32(truncatingIfNeeded: width)
        self.height = UInt32(truncatingIfNeeded: height)
    }

    /// Bytes of a chunk's length, type and check.
    private static let chunkBytes = 12

    /// From the first chunk, or from the second behind Apple's `CgBI`. (PNG, third edition, sections 5.3 and 11.2.1)
    static func ofPNG(_ fields: ByteFields) -> ImageSize? {
        var start = 8
        if fields.has("CgBI", at: start + 4), let length = fields.big(4, at: start) { start += Int(length) + chunkBytes }
        guard fields.has("IHDR", at: start + 4), let width = fields.big(4, at: start + 8),
            let height = fields.big(4, at: start + 12)
        else { return nil }
        return ImageSize(width, height)
    }

    /// From the logical screen. (GIF89a, section 18)
    static func ofGIF(_ fields: ByteFields) -> ImageSize? {
        guard let width = fields.little(2, at: 6), let height = fields.little(2, at: 8) else { return nil }
        return ImageSize(width, height)
    }

    /// From the first frame's header; the segments before it are passed by their lengths. (ITU-T T.81, annex B)
    static func ofJPEG(_ fields: ByteFields) -> ImageSize? {
        var offset = 2
        while let byte = fields.byte(at: offset), byte == 0xFF, let marker = fields.byte(at: offset + 1) {
            switch marker {
            // Any number of these may stand in front of a marker.
            case 0xFF:
                offset += 1
                continue
            // Markers alone.
            case 0x01, 0xD0...0xD8:
                offset += 2
                continue
            // The image's data, or its end.
            case 0xD9, 0xDA:
                return nil
            case 0xC4, 0xC8, 0xCC:
                break
            case 0xC0...0xCF:
                guard let height = fields.big(2, at: offset + 5), let width = fields.big(2, at: offset + 7) else { return nil }
                // No height is one that a later segment tells.
                return height == 0 ? nil : ImageSize(width, height)
            default:
                break
            }
            guard let length = fields.big(2, at: offset + 2), length >= 2 else { return nil }
            offset += 2 + Int(length)
        }
        return nil
    }

    /// From the first chunk: lossy, lossless or extended. (RFC 9649, sections 2.5 to 2.7; RFC 6386, section 9.1)
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
        // The two upper bits say how it is to be scaled.
        return ImageSize(width & 0x3FFF, height & 0x3FFF)
    }
}
