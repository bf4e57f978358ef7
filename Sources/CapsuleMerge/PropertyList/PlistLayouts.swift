import CapsuleCore
import CapsulePropertyList

/// The layouts of the three documents of a merge. It writes a value with as much of them as one document can have.
struct PlistLayouts {
    struct Side {
        let document: PlistDocument
        let text: PlistText?
        let encoding: PlistEncoding

        init(_ document: PlistDocument) {
            self.document = document
            text = document.text
            encoding = PlistEncoding(document.format, text?.encoding)
        }
    }

    /// The base; nil if both sides added the document.
    let base: Side?
    let ours: Side
    let theirs: Side
    /// The three texts merged by lines, if that gives the merged value.
    var merged: [UInt8]?
    /// The merged comments and digits; nil if they are not merged separately.
    var parts: TextPartsMerge?
    /// Notes on comments and layout that could not be kept.
    private(set) var notes: [OverlayNote] = []

    init(base: PlistDocument?, ours: PlistDocument, theirs: PlistDocument) {
        self.base = base.map { Side($0) }
        self.ours = Side(ours)
        self.theirs = Side(theirs)
    }

    /// Returns the bytes of a value.
    ///
    /// If the texts merge by lines, that is the result. Otherwise the value is put into one of the documents: ours, or theirs if only
    /// theirs has a layout of its own; then comments and digits are merged. A note names the side whose layout is lost. If no
    /// document has the encoding, the value is written without a layout.
    mutating func bytes(of value: PlistValue, in encoding: PlistEncoding) throws(OverlayError) -> [UInt8] {
        if let merged { return merged }
        let bytes = try edited(holding: value, in: encoding)
        guard let parts, encoding.format == ours.encoding.format else { return bytes }
        return try parts.applied(to: bytes, encoding.format)
    }

    /// Returns the value of merged bytes if decisions on numbers changed it.
    func value(of bytes: [UInt8]) -> PlistValue? {
        parts?.decideValues == true ? try? PlistDocument.read(bytes, isLenient: true).value : nil
    }

    private mutating func edited(holding value: PlistValue, in encoding: PlistEncoding) throws(OverlayError) -> [UInt8] {
        do throws(PlistError) {
            let (isOursLaidOut, isTheirsLaidOut) = (try isLaidOut(ours), try isLaidOut(theirs))
            let fits = (ours: ours.encoding == encoding, theirs: theirs.encoding == encoding)
            let takesTheirs = fits.theirs && (!fits.ours || isTheirsLaidOut && !isOursLaidOut)
            let takesOurs = fits.ours && !takesTheirs
            let lost = parts == nil ? "comments and layout" : "layout"
            func note(_ side: String) {
                notes.append(OverlayNote("the \(lost) of \(side) \(parts == nil ? "are" : "is") lost"))
            }
            if isOursLaidOut, !takesOurs { note("ours") }
            if isTheirsLaidOut, !takesTheirs { note("theirs") }
            let side = takesOurs ? ours : takesTheirs ? theirs : base.flatMap { $0.encoding == encoding ? $0 : nil }
            if let side { return try side.document.bytes(holding: value) }
            return try PlistWriter.write(value, as: encoding.format)
        } catch {
            throw OverlayError(error, at: error.pointer.flatMap { try? PlistPointer($0) })
        }
    }

    /// Returns the document of a value that may still change, because conflicts are open.
    ///
    /// If the encoding can't hold the value, the document is in the encoding of another of the three, or binary. If none can hold
    /// it, the result is `side` as it is. A note reports either.
    mutating func provisional(
        _ value: PlistValue, in encoding: PlistEncoding, or side: PlistDocument
    ) throws(OverlayError) -> PlistDocumentMerge.Outcome {
        let refusal: OverlayError
        var attempt = self
        do throws(OverlayError) {
            let bytes = try attempt.bytes(of: value, in: encoding)
            self = attempt
            return PlistDocumentMerge.Outcome(bytes: bytes, format: encoding.format, value: attempt.value(of: bytes) ?? value)
        } catch {
            guard error.code == .unsupported else { throw error }
            refusal = error
        }
        func note(_ what: String) -> OverlayNote {
            OverlayNote("\(refusal.message); while conflicts are open, the result is \(what)", at: refusal.target)
        }
        for other in [ours.encoding, theirs.encoding, base?.encoding, PlistEncoding(.binary)] {
            guard let other, other != encoding else { continue }
            attempt = self
            guard let bytes = try? attempt.bytes(of: value, in: other) else { continue }
            self = attempt
            notes.append(note(other.format.word))
            return PlistDocumentMerge.Outcome(bytes: bytes, format: other.format, value: value)
        }
        notes.append(note(side.bytes == ours.document.bytes ? "ours" : "theirs"))
        return PlistDocumentMerge.Outcome(side)
    }

    /// Returns the three texts merged, if they have the format, have no conflicts and give exactly this value; nil otherwise.
    func mergedText(holding value: PlistValue, in encoding: PlistEncoding) -> [UInt8]? {
        guard let base, let characters = encoding.text,
            [base, ours, theirs].allSatisfy({ $0.encoding.format == encoding.format }),
            let old = lines(of: base), let own = lines(of: ours), let other = lines(of: theirs)
        else { return nil }
        let merge = LineMerge(base: old, ours: own, theirs: other)
        guard merge.isClean else { return nil }
        let bytes = characters.bytes(of: merge.merged { _, _ in [] })
        // Both sides may have added the same key in two places. The reader refuses duplicate keys, so that such a text is not used.
        guard let read = try? PlistReader.read(bytes, accepting: [encoding.format]), read.value == value else { return nil }
        return bytes
    }

    /// True if a side has comments that are not in the base, and the other one converts the document to another format.
    var losesComments: Bool {
        guard let base, ours.encoding.format != theirs.encoding.format else { return false }
        let old = Set(base.document.comments)
        return [ours, theirs].contains { $0.encoding.format == base.encoding.format && !old.isSuperset(of: $0.document.comments) }
    }

    private func lines(of side: Side) -> TextContent? {
        side.text.flatMap { try? TextContent(utf8: $0.utf8) }
    }

    /// Returns true if a side's text differs from the base's with the side's values in it, or, without a base, from a newly written
    /// one.
    private func isLaidOut(_ side: Side) throws(PlistError) -> Bool {
        guard let text = side.text else { return false }
        if let base, base.encoding.format == side.encoding.format {
            guard base.document.bytes != side.document.bytes else { return false }
            let value = side.document.value
            let bytes = try base.document.bytes(holding: value)
            let plain = try PlistDocument.read(bytes, accepting: [side.encoding.format], isLenient: true)
            guard parts != nil else { return plain.text?.utf8 != text.utf8 }
            // Comments and digits are merged separately.
            let own = try? plain.bytes(replacing: side.document.parts(pairedWith: value).parts, pairedWith: value)
            return own.map { $0 != side.document.bytes } ?? true
        }
        return try PlistWriter.write(side.document.value, as: side.encoding.format) != side.document.bytes
    }
}

extension PlistDocument {
    fileprivate var comments: [[UInt8]] {
        parts(pairedWith: value).parts.flatMap { place, part in place.position == .number ? [] : part.content }
    }
}

/// The way a property list is written: its format and, for a text, the encoding of its characters.
struct PlistEncoding: Hashable, Sendable {
    let format: PlistFormat
    let text: PlistText.Encoding?

    init(_ format: PlistFormat) {
        self.format = format
        text = format == .binary ? nil : .standard
    }

    init(_ format: PlistFormat, _ text: PlistText.Encoding?) {
        self.format = format
        self.text = text
    }

    /// Returns `xml` and the like; `xml utf-16le` if another one has the same format with another character encoding.
    func name(among others: [PlistEncoding]) -> String {
        let isAlone = !others.contains { $0.format == format && $0.text != text }
        return isAlone ? format.word : ([format.word] + [text?.name].compactMap { $0 }).joined(separator: " ")
    }
}
