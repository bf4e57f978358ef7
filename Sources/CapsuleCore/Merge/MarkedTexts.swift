import CapsulePropertyList

/// The texts of property lists that blocks of marks are made from.
struct MarkedTexts {
    /// The documents that were merged, if each text is to be in its own encoding; nil where all are one text with other values.
    var layouts: PlistLayouts?
    /// Whether that one text was made from a binary document.
    let isConverted: Bool
    /// What could not be kept.
    private(set) var notes: [OverlayNote]

    init(isConverted: Bool, notes: [OverlayNote]) {
        self.isConverted = isConverted
        self.notes = notes
    }

    /// The document of these bytes and their value; XML of a binary one.
    mutating func document(
        _ bytes: [UInt8], _ format: PlistFormat, _ value: PlistValue
    ) throws(OverlayError) -> PlistDocument {
        do throws(PlistError) {
            guard format == .binary else { return try .read(bytes, accepting: [format], isLenient: true) }
            return try .read(try PlistWriter.write(held(value), as: .xml), accepting: [.xml])
        } catch {
            throw OverlayError(error)
        }
    }

    /// The text, in UTF-8, of what was decided for a side: in its own encoding, or that of `document`, of which as few lines as need
    /// be change.
    mutating func text(
        of decided: (encoding: PlistEncoding, value: PlistValue, notes: [OverlayNote]), in document: PlistDocument
    ) throws(OverlayError) -> [UInt8] {
        if var layouts {
            let written = try layouts.provisional(decided.value, in: decided.encoding, or: layouts.theirs.document)
            return try self.document(written.bytes, written.format, written.value).text?.utf8 ?? []
        }
        do throws(PlistError) {
            let bytes = try document.bytes(holding: isConverted ? held(decided.value) : decided.value)
            return try PlistDocument.read(bytes, accepting: [document.format], isLenient: true).text?.utf8 ?? []
        } catch {
            throw OverlayError(error)
        }
    }

    /// The nearest value that XML can hold.
    private mutating func held(_ value: PlistValue) throws(PlistError) -> PlistValue {
        let conversion = try PlistConversion(of: value, to: .xml)
        for note in conversion.notes {
            let note = OverlayNote(note.message, at: note.pointer.flatMap { try? PlistPointer($0) })
            if !notes.contains(note) { notes.append(note) }
        }
        return conversion.value
    }
}
