public import CapsuleCore
import CapsuleSystem
import CapsulePropertyList

/// How to merge.
public struct MergeOptions: Sendable {
    /// What was decided before.
    public var resolutions: ConflictsDocument?
    /// The sides that are preferred; the last one that fits decides.
    public var preferences: [MergePreference] = []
    /// Whether the result is written with conflicts open, ours in the place of each.
    public var isPartial = false
    /// Whether texts get blocks of marks where conflicts are open.
    public var hasMarks = false
    /// Where all conflicts are written before the result is; nil for nowhere.
    public var conflictsFile: HostPath?
    /// How elements of arrays pair, before the built-in rules.
    public var arrays: [ArrayIdentities.Rule] = []
    /// What the result, and the file of conflicts, may take the place of.
    public var replaces = Replacement.nothing
    /// Whether what was read of live containers is kept in the user's cache.
    public var usesCache = true
    /// How many threads work.
    public var jobs = 1
    /// The moment that the manifest has.
    public let captured: Timestamp

    /// Writes only what has no open conflict, by one thread, unless changed.
    public init(captured: Timestamp) { self.captured = captured }
}

extension MergeOptions {
    /// What decides conflicts.
    ///
    /// - Throws: for resolutions of other inputs.
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

    /// - Throws: where the result or the conflicts would take the place of one of the three, or of each other, or of what may not
    ///   go.
    func refuse(_ output: HostPath, overwriting inputs: [[UInt8]]) throws(CapsuleError) {
        let places = ReadPlaces(inputs)
        try places.refuse(output)
        guard let conflictsFile else { return }
        try places.refuse(conflictsFile, flag: "--conflicts")
        try OutputPlaces.refuse([(output, "-o"), (conflictsFile, "--conflicts")])
        if conflictsFile != .standardStream {
            try FileProbe.checkTarget(conflictsFile, as: .file, replacing: replaces, flag: "--conflicts")
        }
    }

    /// Writes down all conflicts, before anything is written that has them decided.
    func list(_ outcome: MergeOutcome) throws(CapsuleError) {
        if let conflictsFile { try ConflictsFile.write(outcome.document, to: conflictsFile, replacing: replaces) }
    }

    /// What to say of preferences that concern none of the conflicts: what they name may be misspelled.
    func notes(on decisions: MergeDecisions) -> [String] {
        if decisions.conflicts.isEmpty { return [] }
        return preferences.filter { preference in !decisions.conflicts.contains(where: preference.concerns) }
            .map { "no conflict matches '--prefer \($0.text)'" }
    }

    /// - Throws: where what was decided does not go with the conflicts that there are.
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
        // The numbers go by these inputs, and by what else the merge was told.
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

/// A file of conflicts: XML, or JSON where the name says so.
public enum ConflictsFile {
    /// Writes the conflicts of a merge, for their owner alone: they hold values of all three sides. `-` is standard output.
    public static func write(
        _ document: ConflictsDocument, to path: HostPath, replacing: Replacement
    ) throws(CapsuleError) {
        try OutputFile.write(
            try bytes(of: document.document, for: path), to: path, replacing: replacing, mode: OutputFile.privateMode)
    }

    /// XML can't hold a null or a fraction of a second, which rows and JSON have: then it is JSON, too.
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

    /// Reads what was decided; `-` is standard input.
    ///
    /// - Throws: with the place for what is no such file.
    public static func read(_ path: HostPath) throws(CapsuleError) -> ConflictsDocument {
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

/// What a merge came to.
public struct MergeOutcome: Sendable {
    /// The three inputs and the conflicts, decided and open.
    public let document: ConflictsDocument
    /// What was written; nil if nothing was.
    public var output: HostPath?
    /// Of containers, how many entries the result has of theirs, or has no more because of theirs.
    public var taken = 0
    /// Of containers, how many files were merged by their contents.
    public var merged = 0
    /// Keys that come twice in a property list that is merged by itself, with their places.
    public var warnings: [CapsuleError] = []
    /// What is worth a word, a sentence each.
    public var notes: [String] = []

    /// How many conflicts are open.
    public var openCount: Int { document.conflicts.count { $0.resolution == nil } }

    init(_ document: ConflictsDocument) { self.document = document }
}
