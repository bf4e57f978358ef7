import CapsuleCore
import CapsuleRules

extension HTMLPageWriter {
    /// Writes the pictures of an entry without an image detail, such as one that only one side has.
    mutating func pictures(of entry: EntryChange) {
        let hasImage = entry.details.contains { if case .image = $0.content { true } else { false } }
        let (old, new) = entry.pictures
        guard !hasImage, old != nil || new != nil else { return }
        write(#"<section><h4>Image</h4>\#n<div class="pair">"#)
        if let old { figure("Old", "old", old, nil, of: entry) }
        if let new { figure("New", "new", new, nil, of: entry) }
        write("</div></section>\n")
    }

    /// Writes both pictures side by side, with the facts from their headers. Two pictures of the same size can also be shown one over the
    /// other.
    mutating func image(_ change: ImageChange, of entry: EntryChange, noise: NoiseClass?) {
        openSection(isNoise: noise != nil)
        write(
            """
            <h4>Image \(pill(noise))</h4>
            <div class="pictures"><div class="pair">
            """)
        let old = figure("Old", "old", entry.pictures.old, change.old, of: entry)
        let new = figure("New", "new", entry.pictures.new, change.new, of: entry)
        write("</div>")
        if let old, let new, old.width == new.width, old.height == new.height { write(Self.comparing) }
        write("</div></section>\n")
    }

    /// The controls that show two pictures one over the other. They need the script.
    private static var comparing: HTML {
        """
        <div class="compare js" role="group" aria-label="Compare the pictures">\
        <button type="button" value="" aria-pressed="true">Side by side</button>\
        <button type="button" value="slide" aria-pressed="false">Slider</button>\
        <button type="button" value="blink" aria-pressed="false">Blink</button>\
        <label class="at"><span>Old</span><input type="range" min="0" max="100" value="50" autocomplete="off" \
        aria-label="Share of the old picture in percent"><span>New</span></label></div>
        """
    }

    /// Writes one picture with its caption.
    /// - Returns: the header of the picture, if it is shown.
    @discardableResult
    mutating func figure(
        _ word: StaticString, _ side: StaticString, _ picture: EntryChange.Picture?, _ told: ImageChange.Side?,
        of entry: EntryChange
    ) -> PictureHeader? {
        let header = picture.flatMap { PictureHeader($0.bytes) }
        var shown: PictureHeader?
        write(#"<figure class="\#(side)"><div class="frame">"#)
        if let problem = problem(picture, header) {
            write(#"<p class="none">\#(problem)</p>"#)
        } else if let picture, let header {
            embed(picture, header, word, of: entry)
            shown = header
        }
        let bytes = told?.bytes ?? picture.map { UInt64($0.bytes.count) }
        let enlargement = shown?.enlargement ?? 1
        write(
            """
            </div><figcaption><b>\(word)</b> \(kind(of: picture, header, told))\
            \(bytes.map { ", \(Quantity.counted($0, "byte", "bytes"))" })\
            \(if: enlargement > 1, ", shown at \(enlargement)×")</figcaption></figure>\n
            """)
        return shown
    }

    mutating func cellPicture(_ bytes: [UInt8]) -> HTML {
        guard let header = PictureHeader(bytes) else { return "" }
        let picture = EntryChange.Picture(type: "\(header.format.mediaType)", bytes: bytes)
        guard problem(picture, header) == nil else { return "" }
        pictureBudget -= bytes.count
        let scale = header.enlargement
        return """
            <img\(if: scale > 1, #" class="px""#) alt="picture" width="\(header.width * scale)" height="\(header.height * scale)" \
            decoding="async" src="data:\(header.format.mediaType);base64,\(HTML(base64: bytes))">
            """
    }

    private mutating func kind(
        of picture: EntryChange.Picture?, _ header: PictureHeader?, _ told: ImageChange.Side?
    ) -> HTML {
        if let told {
            guard let width = told.width, let height = told.height else { return "\(told.format.uppercased())" }
            return "\(told.format.uppercased()), \(width) × \(height) px"
        }
        if let header { return "\(header.format.word), \(header.width) × \(header.height) px" }
        return picture.map { line($0.type) } ?? ""
    }

    /// Returns the reason why a picture is not shown. A browser never gets data that is not an image, or that would fill its memory.
    private func problem(_ picture: EntryChange.Picture?, _ header: PictureHeader?) -> StaticString? {
        guard let picture else { return "The picture is not included in this page." }
        if picture.type == "image/heic" || picture.type == "image/heif" { return "HEIC: not shown, few browsers support it." }
        guard let header else { return "Not shown: not an image that browsers support." }
        if header.width > 1 << 16 || header.height > 1 << 16 || header.width * header.height > 1 << 26 {
            return "Not shown: it has too many pixels."
        }
        return picture.bytes.count > pictureBudget ? "Not shown: the page has too many pictures; --full shows all." : nil
    }

    private mutating func embed(
        _ picture: EntryChange.Picture, _ header: PictureHeader, _ word: StaticString, of entry: EntryChange
    ) {
        pictureBudget -= picture.bytes.count
        let scale = header.enlargement
        write(
            """
            <img\(if: scale > 1, #" class="px""#) alt="\(word) picture of \(attribute: entry.path.bytes)" \
            width="\(header.width * scale)" height="\(header.height * scale)" decoding="async" \
            src="data:\(header.format.mediaType);base64,
            """)
        // A picture may be large: it is not copied into other markup first.
        write(HTML(base64: picture.bytes))
        write(#"">"#)
    }
}

extension PictureHeader {
    /// The factor by which a small picture is enlarged, so that its pixels are visible: at most 8, up to about 128 pixels.
    fileprivate var enlargement: UInt64 { min(8, max(1, 128 / max(width, height))) }
}

/// The facts from an image's first bytes, for formats that every browser supports.
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
    /// The width in pixels; never 0. So is the height.
    let width: UInt64
    let height: UInt64

    /// - Returns: nil if the data has none of the formats, or ends before the size.
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

    /// ITU T.81, annex B: segments up to the frame header.
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
