public import CapsulePropertyList

/// The merge of three property lists in files: their values, and how they are written (docs/merge.md).
///
/// The encoding, which is the format and a text's character encoding, merges like a mode. Conflicts are one of the encoding, if any,
/// and then those of the values.
public struct PlistDocumentMerge: Sendable {
    /// What a merge gives.
    public struct Outcome: Sendable {
        /// The merged document; ours stands where a conflict is open.
        public var bytes: [UInt8]
        /// What it is written in.
        public var format: PlistFormat
        /// Its value.
        public var value: PlistValue
        /// What is worth a word: layout that is not carried, arrays without an identity.
        public var notes: [OverlayNote]

        init(_ document: PlistDocument) {
            self.init(bytes: document.bytes, format: document.format, value: document.value)
        }

        init(bytes: [UInt8], format: PlistFormat, value: PlistValue, notes: [OverlayNote] = []) {
            self.bytes = bytes
            self.format = format
            self.value = value
            self.notes = notes
        }
    }

    let identities: ArrayIdentities
    let path: RelativePath?

    /// Merges by these identities of arrays.
    ///
    /// - Parameters:
    ///   - identities: how the elements of arrays pair.
    ///   - path: for the conflicts.
    public init(identities: ArrayIdentities = ArrayIdentities(), path: RelativePath? = nil) {
        self.identities = identities
        self.path = path
    }

    /// Merges documents.
    ///
    /// - Parameters:
    ///   - base: nil where both sides added the document.
    ///   - ours: the side that the result is written in the way of.
    ///   - theirs: the other side.
    ///   - decisions: where this throws, nothing was settled.
    /// - Throws: `unsupported` for a value that the result's encoding can't hold, `invalid` where what was decided led to that, and
    ///   what ``PlistMerge`` throws. As long as a conflict is open the result is in an encoding that can hold it, with a note.
    public func merge(
        base: PlistDocument?, ours: PlistDocument, theirs: PlistDocument, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> Outcome {
        if ours.bytes == theirs.bytes || theirs.bytes == base?.bytes { return Outcome(ours) }
        if ours.bytes == base?.bytes { return Outcome(theirs) }
        var layouts = PlistLayouts(base: base, ours: ours, theirs: theirs)
        var own = decisions
        let decided = try decided(layouts, &own)
        let conflicts = own.conflicts.dropFirst(decisions.conflicts.count)
        layouts.hasConflicts = !conflicts.isEmpty
        var outcome = try outcome(decided.value, in: decided.encoding, conflicts, &layouts)
        outcome.notes = decided.notes + layouts.notes
        decisions = own
        return outcome
    }

    /// The document of a value. That an encoding can't hold what stands in a place, or what was taken there, must not hide the
    /// conflicts: which they are depends on the inputs alone.
    private func outcome(
        _ value: PlistValue, in encoding: PlistEncoding, _ conflicts: ArraySlice<Conflict>, _ layouts: inout PlistLayouts
    ) throws(OverlayError) -> Outcome {
        if conflicts.contains(where: { $0.resolution == nil }) {
            return try layouts.provisional(value, in: encoding, or: layouts.ours.document)
        }
        do throws(OverlayError) {
            return Outcome(bytes: try layouts.bytes(of: value, in: encoding), format: encoding.format, value: value)
        } catch {
            guard error.code == .unsupported, !conflicts.isEmpty else { throw error }
            let cause =
                conflicts.first { conflict in conflict.pointer.map { error.target?.isAtOrBelow($0) == true } ?? false }
                ?? conflicts.first { $0.kind == .encoding }
            throw OverlayError(
                .invalid,
                "the value chosen for \(cause.map { "conflict '\($0.id)'" } ?? "the conflicts") can't be written: \(error.message)",
                at: error.target, hint: "choose a different encoding or value")
        }
    }

    /// The encoding and the value of the result.
    func decided(
        _ layouts: PlistLayouts, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> (encoding: PlistEncoding, value: PlistValue, notes: [OverlayNote]) {
        let encoding = encoding(of: layouts, &decisions)
        var values = PlistMerge(identities: identities, path: path)
        let value = try values.merge(
            base: layouts.base?.document.value, ours: layouts.ours.document.value, theirs: layouts.theirs.document.value,
            &decisions)
        return (encoding, value, values.notes)
    }

    /// The encoding of the result, ours if it is in question and open.
    private func encoding(of layouts: PlistLayouts, _ decisions: inout MergeDecisions) -> PlistEncoding {
        let (base, ours, theirs) = (layouts.base?.encoding, layouts.ours.encoding, layouts.theirs.encoding)
        if case .value(let encoding) = ModeMerge(base: base, ours: ours, theirs: theirs) { return encoding }
        let all = [base, ours, theirs].compactMap { $0 }
        func name(_ encoding: PlistEncoding) -> String { encoding.name(among: all) }
        func string(_ encoding: PlistEncoding) -> PlistValue { .string(PlistString(name(encoding))) }
        func chosen(_ resolution: Resolution) -> PlistEncoding? {
            switch resolution {
            case .ours: ours
            case .theirs: theirs
            case .base: base
            case .absent: nil
            case .value(let value):
                // A format that none of the three has may be named as well, but not one that several have in different characters.
                all.first { string($0) == value }
                    ?? PlistFormat.allCases.first { format in
                        value.string?.string == format.word && !all.contains { $0.format == format }
                    }.map { PlistEncoding($0) }
            }
        }
        let conflict = Conflict(
            .encoding, path: path, base: base.map { string($0) }, ours: string(ours), theirs: string(theirs),
            reason: base == nil ? "both added" : "both changed")
        return decisions.settle(conflict) { chosen($0) != nil }.flatMap { chosen($0) } ?? ours
    }
}

extension PlistDocumentMerge {
    /// The merged document as text, with blocks of marks around the whole lines of each open conflict; where none is open, the merged
    /// document itself.
    ///
    /// Taking ours in all blocks gives the merged document with ours at the open places, taking theirs the same document with theirs
    /// there; the lines of a block have the comments that their side has there. Where the encoding is open, or the one can't be written
    /// as the other is, all of the text is one block, each half in its own encoding's format. A binary document is written as XML; what XML can't hold, as the nearest that it can, with a note.
    ///
    /// - Parameters:
    ///   - base: nil where both sides added the document.
    ///   - ours: the side that the result is written in the way of.
    ///   - theirs: the other side.
    ///   - size: length of a mark.
    ///   - labels: what stands behind the marks.
    ///   - decisions: as they were before the merge of these documents.
    ///   - notes: gets those of the merge and of conversions.
    /// - Throws: what ``merge(base:ours:theirs:_:)`` throws.
    public func marked(
        base: PlistDocument?, ours: PlistDocument, theirs: PlistDocument, size: Int = 7, labels: MergeLabels,
        _ decisions: MergeDecisions = MergeDecisions(), notes: inout [OverlayNote]
    ) throws(OverlayError) -> [UInt8] {
        var own = decisions
        let outcome = try merge(base: base, ours: ours, theirs: theirs, &own)
        notes += outcome.notes
        let open = own.conflicts.dropFirst(decisions.conflicts.count).filter { $0.resolution == nil }
        guard !open.isEmpty else { return outcome.bytes }

        var layouts = PlistLayouts(base: base, ours: ours, theirs: theirs)
        layouts.hasConflicts = true
        var (others, olds) = (decisions.deciding(rest: .theirs), decisions.deciding(rest: .base))
        let other = try decided(layouts, &others)
        // What the base has is of use to readers only: where it can't be taken everywhere, its lines are left out.
        let old = base == nil || labels.base == nil ? nil : try? decided(layouts, &olds)
        var isWhole = open.contains { $0.kind == .encoding }
        var writer = MarkedTexts(isConverted: outcome.format == .binary, notes: notes)
        let document = try writer.document(outcome.bytes, outcome.format, outcome.value)
        var otherText: [UInt8]
        if !isWhole, let text = try? writer.text(of: other, in: document) {
            otherText = text
        } else {
            // Where it is not the encoding that is in question, the one that can hold ours can't hold theirs.
            isWhole = true
            writer.layouts = layouts
            otherText = try writer.text(of: other, in: document)
        }
        let oldText = old.flatMap { try? writer.text(of: $0, in: document) }
        notes = writer.notes
        guard let text = document.text else { return outcome.bytes }
        var marks = ConflictMarks(size: size, labels: labels)
        if isWhole || text.utf8 == otherText {
            marks.add(ours: text.utf8[...], base: (oldText ?? [])[...], theirs: otherText[...])
        } else {
            func own(_ side: PlistDocument, _ half: [UInt8], beside others: [UInt8]...) -> [UInt8] {
                OwnComments(of: side).text(of: half, beside: others, in: document.format)
            }
            let ownText = own(ours, text.utf8, beside: otherText)
            otherText = own(theirs, otherText, beside: text.utf8)
            // A line that the base shares with one side alone is in question as well.
            let oldText = oldText.flatMap { old in base.map { own($0, old, beside: ownText, otherText) } }
            try marks.add(linesOf: ownText, base: oldText, otherText)
        }
        return text.encoding.bytes(of: marks.text)
    }

    /// Marks, without a word about what could not be kept.
    public func marked(
        base: PlistDocument?, ours: PlistDocument, theirs: PlistDocument, size: Int = 7, labels: MergeLabels,
        _ decisions: MergeDecisions = MergeDecisions()
    ) throws(OverlayError) -> [UInt8] {
        var notes: [OverlayNote] = []
        return try marked(base: base, ours: ours, theirs: theirs, size: size, labels: labels, decisions, notes: &notes)
    }
}

/// The texts of property lists that blocks of marks are made from.
private struct MarkedTexts {
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
