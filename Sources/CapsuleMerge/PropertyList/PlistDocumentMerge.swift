package import CapsuleCore
package import CapsulePropertyList

/// The merge of three property list files: of their values, and of the way they are written (docs/merge.md).
///
/// The encoding, which is the format and a text's character encoding, merges like a mode. A conflict about the encoding comes
/// before those about values.
package struct PlistDocumentMerge: Sendable {
    package struct Outcome: Sendable {
        /// The merged document, with ours in each open conflict.
        package var bytes: [UInt8]
        package var format: PlistFormat
        package var value: PlistValue
        /// Notes for the user: layout that was lost, arrays without an identity.
        package var notes: [OverlayNote] = []
    }

    let identities: ArrayIdentities
    let path: RelativePath?
    /// The place of a property list in data, for the rules of array identity.
    var place: [PlistString] = []

    package init(identities: ArrayIdentities = ArrayIdentities(), path: RelativePath? = nil) {
        self.identities = identities
        self.path = path
    }

    /// - Parameters:
    ///   - base: the base; nil if both sides added the document.
    ///   - ours: the side whose layout the result has, if possible.
    ///   - decisions: settles the conflicts. It is unchanged if this function throws.
    /// - Throws: `unsupported` for a value that the result's encoding can't hold, `invalid` if a decision led to that, and the
    ///   errors of ``PlistMerge``. As long as a conflict is open, the result is in an encoding that can hold it, with a note.
    package func merge(
        base: PlistDocument?, ours: PlistDocument, theirs: PlistDocument, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> Outcome {
        if ours.bytes == theirs.bytes || theirs.bytes == base?.bytes { return Outcome(ours) }
        if ours.bytes == base?.bytes { return Outcome(theirs) }
        return try DeepThread.run(for: [base?.value, ours.value, theirs.value]) { () throws(OverlayError) in
            try mergeChanged(base: base, ours: ours, theirs: theirs, &decisions)
        }
    }

    private func mergeChanged(
        base: PlistDocument?, ours: PlistDocument, theirs: PlistDocument, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> Outcome {
        var layouts = PlistLayouts(base: base, ours: ours, theirs: theirs)
        var own = decisions
        let decided = try decided(layouts, &own)
        layouts.merged = decided.text
        layouts.parts = decided.parts
        let conflicts = own.conflicts.dropFirst(decisions.conflicts.count)
        var outcome = try outcome(decided.value, in: decided.encoding, conflicts, &layouts)
        outcome.notes = decided.notes + layouts.notes
        decisions = own
        return outcome
    }

    /// Returns the document of a value. An encoding that can't hold a value of ours, or a chosen one, must not hide the conflicts,
    /// because the conflicts depend only on the inputs.
    private func outcome(
        _ value: PlistValue, in encoding: PlistEncoding, _ conflicts: ArraySlice<Conflict>, _ layouts: inout PlistLayouts
    ) throws(OverlayError) -> Outcome {
        if conflicts.contains(where: { $0.resolution == nil }) {
            return try layouts.provisional(value, in: encoding, or: layouts.ours.document)
        }
        do throws(OverlayError) {
            let bytes = try layouts.bytes(of: value, in: encoding)
            return Outcome(bytes: bytes, format: encoding.format, value: layouts.value(of: bytes) ?? value)
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

    /// The decided encoding, value and parts of a document.
    struct Decided {
        let encoding: PlistEncoding
        var value: PlistValue
        let notes: [OverlayNote]
        /// The whole text, if the three merge by lines.
        var text: [UInt8]?
        /// The comments and digits; nil if the texts merge by lines, or have different formats.
        var parts: TextPartsMerge?
    }

    func decided(_ layouts: PlistLayouts, _ decisions: inout MergeDecisions) throws(OverlayError) -> Decided {
        let first = decisions.conflicts.count
        let encoding = encoding(of: layouts, &decisions)
        let (base, ours, theirs) = (layouts.base?.document.value, layouts.ours.document.value, layouts.theirs.document.value)
        var values = PlistMerge(identities: identities, path: path)
        values.outerPlace = place
        let value = try values.merge(base: base, ours: ours, theirs: theirs, &decisions)
        var decided = Decided(encoding: encoding, value: value, notes: values.notes)
        let conflicts = Array(decisions.conflicts.dropFirst(first))
        if conflicts.isEmpty { decided.text = layouts.mergedText(holding: value, in: encoding) }
        guard decided.text == nil, layouts.ours.encoding.format == layouts.theirs.encoding.format else { return decided }
        var (reference, undecided) = (value, MergeDecisions())
        if !conflicts.isEmpty { reference = try values.merge(base: base, ours: ours, theirs: theirs, &undecided) }
        let parts = TextPartsMerge(layouts, reference, conflicts, path: path, &decisions)
        decided.parts = parts
        for (pointer, side) in parts.kept {
            let value = ThreeWayValues(base, ours, theirs).value(side)
            // If the side deleted it, it stays deleted.
            if let kept = try? value?.value(at: pointer) { try? decided.value.edit(.add(kept), at: pointer) }
        }
        return decided
    }

    private func encoding(of layouts: PlistLayouts, _ decisions: inout MergeDecisions) -> PlistEncoding {
        let (base, ours, theirs) = (layouts.base?.encoding, layouts.ours.encoding, layouts.theirs.encoding)
        if case .value(let encoding) = ModeMerge(base: base, ours: ours, theirs: theirs), !layouts.losesComments {
            return encoding
        }
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
                // Another format may be named as well, but not one that several of the three have in different character encodings.
                all.first { string($0) == value }
                    ?? PlistFormat.allCases.first { format in
                        value.string?.string == format.word && !all.contains { $0.format == format }
                    }.map { PlistEncoding($0) }
            }
        }
        let conflict = Conflict(
            .encoding, path: path, base: base.map { string($0) }, ours: string(ours), theirs: string(theirs),
            reason: base == nil ? "both added" : "both changed")
        return decisions.resolve(conflict) { chosen($0) != nil }.flatMap { chosen($0) } ?? ours
    }
}

extension PlistDocumentMerge {
    /// Returns the merged document as text, with blocks of marks around the whole lines of each open conflict. If no conflict is
    /// open, returns the merged document itself.
    ///
    /// Taking ours in all blocks gives the merged document with ours in the open conflicts. Taking theirs gives the same document
    /// with theirs there, and the comments of theirs. If the encoding is in an open conflict, or if one text can't be written in the
    /// encoding of the other, the whole text is one block, with each half in the format of its own encoding. A binary document is
    /// written as XML. A value that XML can't hold becomes the nearest one that it can hold, with a note.
    ///
    /// - Parameters:
    ///   - ours: the side whose layout the result has, if possible.
    ///   - decisions: the decisions as they were before these documents were merged.
    ///   - notes: receives the notes of the merge and of conversions.
    package func marked(
        base: PlistDocument?, ours: PlistDocument, theirs: PlistDocument, size: Int = 7, labels: MergeLabels,
        _ decisions: MergeDecisions = MergeDecisions(), notes: inout [OverlayNote]
    ) throws(OverlayError) -> [UInt8] {
        try DeepThread.run(for: [base?.value, ours.value, theirs.value]) { () throws(OverlayError) in
            try markConflicts(base: base, ours: ours, theirs: theirs, size: size, labels: labels, decisions, notes: &notes)
        }
    }

    private func markConflicts(
        base: PlistDocument?, ours: PlistDocument, theirs: PlistDocument, size: Int, labels: MergeLabels,
        _ decisions: MergeDecisions, notes: inout [OverlayNote]
    ) throws(OverlayError) -> [UInt8] {
        var own = decisions
        let outcome = try merge(base: base, ours: ours, theirs: theirs, &own)
        notes += outcome.notes
        let open = own.conflicts.dropFirst(decisions.conflicts.count).filter { $0.resolution == nil }
        guard !open.isEmpty else { return outcome.bytes }

        let layouts = PlistLayouts(base: base, ours: ours, theirs: theirs)
        var (others, olds) = (decisions.deciding(rest: .theirs), decisions.deciding(rest: .base))
        let other = try decided(layouts, &others)
        // The base's lines only help readers. They are left out if the base can't be taken everywhere.
        let old = base == nil || labels.base == nil ? nil : try? decided(layouts, &olds)
        var isWhole = open.contains { $0.kind == .encoding }
        var writer = MarkedTexts(isConverted: outcome.format == .binary, notes: notes)
        let document = try writer.document(outcome.bytes, outcome.format, outcome.value)
        let otherText: [UInt8]
        if !isWhole, let text = try? writer.text(of: other, in: document) {
            otherText = text
        } else {
            // If the encoding is not in conflict, the encoding that holds ours can't hold theirs.
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
            try marks.add(linesOf: text.utf8, base: oldText, otherText)
        }
        return text.encoding.bytes(of: marks.text)
    }

    package func marked(
        base: PlistDocument?, ours: PlistDocument, theirs: PlistDocument, size: Int = 7, labels: MergeLabels,
        _ decisions: MergeDecisions = MergeDecisions()
    ) throws(OverlayError) -> [UInt8] {
        var notes: [OverlayNote] = []
        return try marked(base: base, ours: ours, theirs: theirs, size: size, labels: labels, decisions, notes: &notes)
    }
}

extension PlistDocumentMerge.Outcome {
    init(_ document: PlistDocument) {
        self.init(bytes: document.bytes, format: document.format, value: document.value)
    }
}

/// Writes the texts of property lists for blocks of marks.
private struct MarkedTexts {
    /// The merged documents, if each text is in its own encoding; nil if all are one text with different values.
    var layouts: PlistLayouts?
    /// True if that one text was converted from a binary document.
    let isConverted: Bool
    private(set) var notes: [OverlayNote]

    init(isConverted: Bool, notes: [OverlayNote]) {
        self.isConverted = isConverted
        self.notes = notes
    }

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

    /// Returns the text of a side's decisions in UTF-8: in its own encoding, or as `document` with as few changed lines as
    /// possible.
    mutating func text(
        of decided: PlistDocumentMerge.Decided, in document: PlistDocument
    ) throws(OverlayError) -> [UInt8] {
        if var layouts {
            layouts.parts = decided.parts
            let written = try layouts.provisional(decided.value, in: decided.encoding, or: layouts.theirs.document)
            return try self.document(written.bytes, written.format, written.value).text?.utf8 ?? []
        }
        do throws(PlistError) {
            var bytes = try document.bytes(holding: isConverted ? held(decided.value) : decided.value)
            if let parts = decided.parts, !isConverted { bytes = (try? parts.applied(to: bytes, document.format)) ?? bytes }
            return try PlistDocument.read(bytes, accepting: [document.format], isLenient: true).text?.utf8 ?? []
        } catch {
            throw OverlayError(error)
        }
    }

    /// Returns the nearest value that XML can hold, and notes the differences.
    private mutating func held(_ value: PlistValue) throws(PlistError) -> PlistValue {
        let conversion = try PlistConversion(of: value, to: .xml)
        for note in conversion.notes {
            let note = OverlayNote(note.message, at: note.pointer.flatMap { try? PlistPointer($0) })
            if !notes.contains(note) { notes.append(note) }
        }
        return conversion.value
    }
}
