import CapsuleContainers
package import CapsuleCore
package import CapsuleMerge
import CapsulePropertyList
import CapsuleSystem

/// Options for merging.
package struct MergeOptions: Sendable {
    package var resolutions: ConflictsDocument?
    /// The last preference that matches a conflict decides.
    package var preferences: [MergePreference] = []
    /// True if the result is written with open conflicts, each with ours in its place.
    package var isPartial = false
    /// True if texts, and property lists that are merged by themselves, get conflict markers where conflicts are open.
    package var hasMarks = false
    /// The file to which all conflicts are written before the result; nil for none.
    package var conflictsFile: OutputFile?
    package var arrays: [ArrayIdentities.Rule] = []
    package var replaces = false
    package var usesCache = true
    package var jobs = 1
    package let captured: Timestamp

    package init(captured: Timestamp) { self.captured = captured }

    func decisions(
        for inputs: (base: ConflictsDocument.Input, ours: ConflictsDocument.Input, theirs: ConflictsDocument.Input)
    ) throws(CapsuleError) -> MergeDecisions {
        guard let resolutions else { return MergeDecisions(preferences: preferences) }
        for (known, found, name) in [
            (resolutions.base, inputs.base, "BASE"), (resolutions.ours, inputs.ours, "OURS"),
            (resolutions.theirs, inputs.theirs, "THEIRS"),
        ] where known.digest != found.digest {
            throw CapsuleError(
                "differs from the \(name) that the conflicts file was written for", path: HostPath(found.source),
                hint: "merge again with '--conflicts' to list the current conflicts")
        }
        return MergeDecisions(resolutions: resolutions.resolutions, preferences: preferences)
    }

    /// - Throws: an error if the result or the conflicts would replace one of the three inputs, each other, or something that may
    ///   not be replaced.
    func refuse(_ output: HostPath, overwriting inputs: [[UInt8]]) throws(CapsuleError) {
        let places = InputPaths(inputs)
        try places.refuse(output)
        guard let conflictsFile else { return }
        try places.refuse(conflictsFile.path, flag: "--conflicts")
        try OutputPaths.refuse([(output, "-o"), (conflictsFile.path, "--conflicts")])
        if conflictsFile.path != .standardStream {
            try FileProbe.checkTarget(conflictsFile.path, as: .file, replacing: replaces, flag: "--conflicts")
        }
    }

    /// Writes all conflicts to the file for them. This is done before the result that contains the decisions is written.
    func list(_ outcome: MergeOutcome) throws(CapsuleError) {
        if let conflictsFile { try ConflictsFile.write(outcome.document, to: conflictsFile) }
    }

    /// Returns remarks on preferences that match none of the conflicts, because they may be misspelled.
    func notes(on decisions: MergeDecisions) -> [String] {
        if decisions.conflicts.isEmpty { return [] }
        return preferences.filter { preference in !decisions.conflicts.contains(where: preference.concerns) }
            .map { "no conflict matches '--prefer \($0.text)'" }
    }

    func check(_ decisions: MergeDecisions) throws(CapsuleError) {
        guard let resolutions else { return }
        let found = Set(decisions.conflicts.map(\.id))
        if let unknown = resolutions.conflicts.first(where: { !found.contains($0.id) }) {
            throw CapsuleError(
                "the merge has no conflict '\(unknown.id)' among its \(found.count)",
                hint: "don't change an 'Id' that the merge wrote")
        }
        let listed = Dictionary(resolutions.conflicts.map { ($0.id, $0) }) { first, _ in first }
        if let missing = decisions.conflicts.first(where: { listed[$0.id] == nil }) {
            throw CapsuleError(
                "the resolutions don't list the conflict '\(missing.id)'",
                hint: "keep every conflict in the file: one without 'Take' stays open")
        }
        // The numbers of conflicts depend on the inputs and on the options of the merge.
        for conflict in decisions.conflicts where listed[conflict.id]?.isAbout(conflict) == false {
            throw CapsuleError(
                "conflict '\(conflict.id)' is not the one in the resolutions",
                path: conflict.path.map { HostPath($0.bytes) },
                hint: "merge again with '--conflicts', then use the same '--arrays'")
        }
        if let unfit = decisions.unfitNumbers.first, let conflict = decisions.conflicts.first(where: { $0.id == unfit }) {
            throw CapsuleError(
                "the value in the resolutions for conflict '\(unfit)' does not fit there",
                path: conflict.path.map { HostPath($0.bytes) },
                hint: "a conflict of kind '\(conflict.kind.rawValue)' takes a value of the same type as its sides")
        }
    }
}

/// A file of conflicts. It is XML, or JSON if its name says so.
package enum ConflictsFile {
    /// Only the owner can read the file, because it has values of all three sides.
    package static func write(_ document: ConflictsDocument, to output: OutputFile) throws(CapsuleError) {
        try output.forOwner.write(try bytes(of: document.document, for: output.path))
    }

    /// Returns XML, or JSON for values that XML can't hold: a null or a fraction of a second, which rows and JSON may have.
    private static func bytes(of value: PlistValue, for path: HostPath) throws(CapsuleError) -> [UInt8] {
        do throws(PlistError) {
            if !path.isNamedJSON {
                do throws(PlistError) {
                    return try PlistWriter.write(value, as: .xml)
                } catch {
                    guard error.code == .notRepresentable else { throw error }
                }
            }
            return try JSONPlistWriter.write(value, options: .typed)
        } catch {
            throw CapsuleError(error, in: path)
        }
    }

    /// `-` is standard input.
    package static func read(_ path: HostPath) throws(CapsuleError) -> ConflictsDocument {
        let file = try PlistFile(path)
        try file.refuseDuplicateKeys()
        var value = file.document.value
        if file.document.format == .json {
            do throws(PlistError) {
                value = try PlistReader.read(file.document.bytes, accepting: [.json], json: .typed).value
            } catch {
                throw CapsuleError(error, in: path)
            }
        }
        do throws(OverlayError) {
            return try ConflictsDocument(value)
        } catch {
            throw CapsuleError(error, inDocument: file)
        }
    }
}

/// The result of a merge.
package struct MergeOutcome: Sendable {
    package let document: ConflictsDocument
    package var output: HostPath?
    /// For containers: the number of entries that were taken or deleted because of theirs.
    package var taken = 0
    /// For containers: the number of files whose contents were merged.
    package var merged = 0
    /// For a merge of property lists: duplicate keys, with their places.
    package var warnings: [CapsuleError] = []
    package var notes: [String] = []

    package var openCount: Int { document.conflicts.count { $0.resolution == nil } }
    init(_ document: ConflictsDocument) { self.document = document }
}
