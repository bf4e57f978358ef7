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
