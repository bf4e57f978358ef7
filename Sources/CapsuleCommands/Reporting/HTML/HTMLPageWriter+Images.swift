import CapsuleCore

extension HTMLPageWriter {
    /// The pictures of an entry whose details don't speak of an image: of one that one side alone has.
    mutating func pictures(of entry: EntryChange) {
        let hasImage = entry.details.contains { if case .image = $0.content { true } else { false } }
        let (old, new) = entry.pictures
        guard !hasImage, old != nil || new != nil else { return }
        out.raw("<section><h4>Image</h4>\n<div class=\"pair\">")
        if let old { _ = figure("Old", "old", old, nil, of: entry) }
        if let new { _ = figure("New", "new", new, nil, of: entry) }
        out.raw("</div></section>\n")
    }

    /// Both pictures side by side, with what their headers say; two of one size can also be shown one over the other.
    mutating func image(_ change: ImageChange, of entry: EntryChange, noise: NoiseClass?) {
        openSection(isNoise: noise != nil)
        out.raw("<h4>Image ")
        pill(noise)
        out.raw("</h4>\n<div class=\"pictures\"><div class=\"pair\">")
        let old = figure("Old", "old", entry.pictures.old, change.old, of: entry)
        let new = figure("New", "new", entry.pictures.new, change.new, of: entry)
        out.raw("</div>")
        if let old, let new, old.width == new.width, old.height == new.height { comparing() }
        out.raw("</div></section>\n")
    }

    /// What shows two pictures one over the other; it needs the script.
    private mutating func comparing() {
        out.raw("<div class=\"compare js\" role=\"group\" aria-label=\"Compare the pictures\">")
        out.raw("<button type=\"button\" value=\"\" aria-pressed=\"true\">Side by side</button>")
        out.raw("<button type=\"button\" value=\"slide\" aria-pressed=\"false\">Slider</button>")
        out.raw("<button type=\"button\" value=\"blink\" aria-pressed=\"false\">Blink</button>")
        out.raw(
            "<label class=\"at\"><span>Old</span><input type=\"range\" min=\"0\" max=\"100\" value=\"50\" autocomplete=\"off\"")
        out.raw(" aria-label=\"Share of the old picture in percent\"><span>New</span></label></div>")
    }

    /// - Returns: the header of the picture, if it is shown.
    private mutating func figure(
        _ word: StaticString, _ side: StaticString, _ picture: EntryChange.Picture?, _ told: ImageChange.Side?,
        of entry: EntryChange
    ) -> PictureHeader? {
        let header = picture.flatMap { PictureHeader($0.bytes) }
        var shown: PictureHeader?
        out.raw("<figure class=\"")
        out.raw(side)
        out.raw("\"><div class=\"frame\">")
        if let problem = problem(picture, header) {
            out.raw("<p class=\"none\">")
            out.raw(problem)
            out.raw("</p>")
        } else if let picture, let header {
            embed(picture, header, word, of: entry)
            shown = header
        }
        out.raw("</div><figcaption><b>")
        out.raw(word)
        out.raw("</b> ")
        if let told {
            out.text(told.format.uppercased())
            if let width = told.width, let height = told.height { pixels(UInt64(width), UInt64(height)) }
        } else if let header {
            out.raw(header.format.word)
            pixels(header.width, header.height)
        } else if let picture {
            line(picture.type)
        }
        if let bytes = told?.bytes ?? picture.map({ UInt64($0.bytes.count) }) {
            out.raw(", ")
            out.text(Quantity.counted(bytes, "byte", "bytes"))
        }
        if let shown, shown.enlargement > 1 {
            out.raw(", shown at ")
            out.number(shown.enlargement)
            out.raw("\u{00D7}")
        }
        out.raw("</figcaption></figure>\n")
        return shown
    }

    private mutating func pixels(_ width: UInt64, _ height: UInt64) {
        out.raw(", ")
        out.number(width)
        out.raw(" \u{00D7} ")
        out.number(height)
        out.raw(" px")
    }

    /// Why a picture is not shown. No browser is asked to show what is none, or what would fill its memory.
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
        out.raw(scale > 1 ? "<img class=\"px\" alt=\"" : "<img alt=\"")
        out.raw(word)
        out.raw(" picture of ")
        out.attribute(entry.path.bytes)
        out.raw("\" width=\"")
        out.number(header.width * scale)
        out.raw("\" height=\"")
        out.number(header.height * scale)
        out.raw("\" decoding=\"async\" src=\"data:")
        out.raw(header.format.mediaType)
        out.raw(";base64,")
        out.base64(picture.bytes)
        out.raw("\">")
    }
}

extension PictureHeader {
    /// How much larger a small picture is shown, so that its pixels can be seen: at most 8 times, up to about 128 pixels.
    fileprivate var enlargement: UInt64 { min(8, max(1, 128 / max(width, height))) }
}
