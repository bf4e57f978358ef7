import CapsulePropertyList

/// Three documents of a merge: writes a value with as much of their layouts as one document can have.
struct PlistLayouts {
    /// A document and its text.
    struct Side {
        let document: PlistDocument
        /// nil for a binary one.
        let text: PlistText?
        let encoding: PlistEncoding

        init(_ document: PlistDocument) {
            self.document = document
            text = document.text
            encoding = PlistEncoding(document.format, text?.encoding)
        }
    }

    /// nil where both sides added the document.
    let base: Side?
    let ours: Side
    let theirs: Side
    /// Whether sides were chosen: then values of the one may stand where the other's text has comments on its own.
    var hasConflicts = false
    /// What could not be kept.
    private(set) var notes: [OverlayNote] = []

    init(base: PlistDocument?, ours: PlistDocument, theirs: PlistDocument) {
        self.base = base.map { Side($0) }
        self.ours = Side(ours)
        self.theirs = Side(theirs)
    }

    /// The bytes of a value.
    ///
    /// Texts of one format are merged as texts, if that is clean and gives the very value. Else the value is put into one of the
    /// documents, ours rather than theirs unless only theirs has a layout of its own, and a note names what is not carried. What
    /// no document is written in, is written anew.
    mutating func bytes(of value: PlistValue, in encoding: PlistEncoding) throws(OverlayError) -> [UInt8] {
        if let bytes = mergedText(holding: value, in: encoding) { return bytes }
        do throws(PlistError) {
            let (isOursLaidOut, isTheirsLaidOut) = (try isLaidOut(ours), try isLaidOut(theirs))
            let fits = (ours: ours.encoding == encoding, theirs: theirs.encoding == encoding)
            let takesTheirs = fits.theirs && (!fits.ours || isTheirsLaidOut && !isOursLaidOut)
            let takesOurs = fits.ours && !takesTheirs
            func note(_ side: String) { notes.append(OverlayNote("the comments and layout of \(side) are lost")) }
            if isOursLaidOut, !takesOurs { note("ours") }
            if isTheirsLaidOut, !takesTheirs { note("theirs") }
            let side = takesOurs ? ours : takesTheirs ? theirs : base.flatMap { $0.encoding == encoding ? $0 : nil }
            if let side { return try bytes(of: value, in: side) }
            return try PlistWriter.write(value, as: encoding.format)
        } catch {
            throw OverlayError(error, at: error.pointer.flatMap { try? PlistPointer($0) })
        }
    }

    /// A side's document with another value.
    private func bytes(of value: PlistValue, in side: Side) throws(PlistError) -> [UInt8] {
        let bytes = try side.document.bytes(holding: value)
        func fitting(_ other: Side?) -> PlistDocument? { other?.encoding.format == side.encoding.format ? other?.document : nil }
        guard hasConflicts, bytes != side.document.bytes, let characters = side.encoding.text,
            let comments = MergedComments(in: side.document, [ours, theirs].compactMap { fitting($0) }, base: fitting(base))
        else { return bytes }
        let document = try PlistDocument.read(bytes, accepting: [side.encoding.format], isLenient: true)
        return comments.text(of: document).map { characters.bytes(of: $0) } ?? bytes
    }

    /// A document of a value that may change, since something is in question.
    ///
    /// If the encoding can't hold it, it is in another one of the three, or binary; if none can, it is the side as it is. A note tells
    /// of both.
    mutating func provisional(
        _ value: PlistValue, in encoding: PlistEncoding, or side: PlistDocument
    ) throws(OverlayError) -> PlistDocumentMerge.Outcome {
        let refusal: OverlayError
        var attempt = self
        do throws(OverlayError) {
            let bytes = try attempt.bytes(of: value, in: encoding)
            self = attempt
            return PlistDocumentMerge.Outcome(bytes: bytes, format: encoding.format, value: value)
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

    /// The three texts merged, if they are of the format, no lines are in question and the value is this one.
    private func mergedText(holding value: PlistValue, in encoding: PlistEncoding) -> [UInt8]? {
        guard let base, let characters = encoding.text,
            [base, ours, theirs].allSatisfy({ $0.encoding.format == encoding.format }),
            let old = lines(of: base), let own = lines(of: ours), let other = lines(of: theirs)
        else { return nil }
        let merge = LineMerge(base: old, ours: own, theirs: other)
        guard merge.isClean else { return nil }
        let bytes = characters.bytes(of: merge.merged { _, _ in [] })
        // Both may have added one key in two places: a reader that refuses keys that come twice keeps that from being taken.
        guard let read = try? PlistReader.read(bytes, accepting: [encoding.format]), read.value == value else { return nil }
        return bytes
    }

    private func lines(of side: Side) -> TextContent? {
        side.text.flatMap { try? TextContent(utf8: $0.utf8) }
    }

    /// Whether there is more to a side's text than the base's with the side's values in it.
    private func isLaidOut(_ side: Side) throws(PlistError) -> Bool {
        guard let text = side.text else { return false }
        if let base, base.encoding.format == side.encoding.format {
            guard base.document.bytes != side.document.bytes else { return false }
            let plain = try base.document.bytes(holding: side.document.value)
            return try PlistDocument.read(plain, accepting: [side.encoding.format], isLenient: true).text?.utf8 != text.utf8
        }
        return try PlistWriter.write(side.document.value, as: side.encoding.format) != side.document.bytes
    }
}

/// How a property list is written: its format, and the encoding of its characters if it is a text.
struct PlistEncoding: Hashable, Sendable {
    let format: PlistFormat
    /// nil for a binary one.
    let text: PlistText.Encoding?

    /// What a format is written in where nothing else is said.
    init(_ format: PlistFormat) {
        self.format = format
        text = format == .binary ? nil : .standard
    }

    init(_ format: PlistFormat, _ text: PlistText.Encoding?) {
        self.format = format
        self.text = text
    }

    /// `xml` and the like; `xml utf-16le` where another one has this format and other characters.
    func name(among others: [PlistEncoding]) -> String {
        let isAlone = !others.contains { $0.format == format && $0.text != text }
        return isAlone ? format.word : ([format.word] + [text?.name].compactMap { $0 }).joined(separator: " ")
    }
}
