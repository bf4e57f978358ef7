public import CapsuleCore
import CapsuleFileSystem
import CapsulePropertyList

/// Merges three versions of one file, as git asks a merge driver to (gitattributes(5), "Defining a custom merge driver").
///
/// Git 2.39 takes every status but 0 for a conflict, with the file of ours as it stands; so whatever goes wrong, that file is never
/// left as ours alone without the status 255, and theirs is put into it as long as it can be written at all.
public struct GitMergeDriver: Sendable {
    /// What came of it.
    public struct Outcome: Sendable {
        /// 0 for a clean merge; 1 for conflicts; that of git's own text merge where these are no three property lists; 255 for trouble.
        public let status: Int32
        /// What is marked in the file; none where git merges bases into one, which is nobody's to resolve.
        public var conflicts: [Conflict] = []
        /// What is worth a word of a merge, lower case, no period.
        public var notes: [String] = []
        /// Why it is not merged as a property list.
        public var trouble: CapsuleError?
        /// Why what came of it is not in the file, which is as it was.
        public var failure: CapsuleError?
    }

    /// Git's own: more than that has another meaning, to a shell or to ``GitCommandLine/driver``.
    static let mostConflicts: Int32 = 125
    /// The status for trouble.
    public static let failed: Int32 = 255
    private static let defaultSize = 7
    static let labels = MergeLabels(ours: "ours", theirs: "theirs")
    private static let labelsWithBase = MergeLabels(ours: "ours", base: "base", theirs: "theirs")

    let base: HostPath
    let ours: HostPath
    let theirs: HostPath
    let size: Int
    private let name: [UInt8]

    /// - Parameters:
    ///   - base: `%O`; an empty file where both sides added it.
    ///   - ours: `%A`, which the result goes into.
    ///   - theirs: `%B`.
    ///   - size: `%L`, the length of a mark; 7 for what is none.
    ///   - name: `%P`, the path in the repository: for messages.
    public init(base: HostPath, ours: HostPath, theirs: HostPath, size: [UInt8], name: [UInt8]) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        let length = Int(String(decoding: size, as: UTF8.self)) ?? Self.defaultSize
        self.size = ConflictMarks.sizes.contains(length) ? length : Self.defaultSize
        self.name = name
    }

    /// Merges, and writes what came of it in the place of ours, at once or not at all.
    public func run() -> Outcome {
        let file: EditedFile
        do throws(FileSystemError) {
            file = try EditedFile(ours, limit: PlistFile.longest)
        } catch {
            return Outcome(status: Self.failed, failure: CapsuleError(error))
        }
        do throws(CapsuleError) {
            var outcome = Outcome(status: 0)
            let bytes = try merge(file, &outcome)
            return Self.write(bytes, into: file, outcome)
        } catch {
            return fallBack(file, error)
        }
    }

    static func write(_ bytes: [UInt8], into file: EditedFile, _ outcome: Outcome) -> Outcome {
        guard bytes != file.bytes else { return outcome }
        do throws(FileSystemError) {
            try file.replace(with: bytes)
            return outcome
        } catch {
            // It is there, whole: what a power failure might do to a working copy is git's to say.
            if error.code == .unsynced { return outcome }
            return Outcome(status: failed, trouble: outcome.trouble, failure: CapsuleError(error))
        }
    }

    // MARK: Property lists

    /// A merge against one base.
    private struct Merged {
        let bytes: [UInt8]
        let conflicts: [Conflict]
        let notes: [String]
    }

    /// - Throws: where they can't be merged as property lists.
    private func merge(_ file: EditedFile, _ outcome: inout Outcome) throws(CapsuleError) -> [UInt8] {
        let bytes = try [base, theirs].map { (path) throws(CapsuleError) in
            try CapsuleError.wrapping { () throws(FileSystemError) in try EditedFile(path, limit: PlistFile.longest).bytes }
        }
        let olds = try bytes[0].isEmpty ? [nil] : bases(bytes[0])
        let own = try document(file.bytes, "ours")
        let other = try document(bytes[1], "theirs")
        // Lines of one of two bases would tell half of what is known.
        let labels = olds.count == 1 && Self.showsBase() ? Self.labelsWithBase : Self.labels
        let merged = try olds.map { (old) throws(CapsuleError) in try merge(old, own, other, labels) }
        guard merged.allSatisfy({ $0.bytes == merged[0].bytes }) else {
            throw CapsuleError("the base has conflict marks, and its two sides merge differently")
        }
        let warnings = [("ours", own), ("theirs", other)].flatMap { (side, document) in
            document.warnings.map { CapsuleError.note(of: $0, in: HostPath(side)) }
        }
        outcome = Outcome(status: merged.allSatisfy(\.conflicts.isEmpty) ? 0 : 1, notes: warnings + merged[0].notes)
        if outcome.status > 0, !isOfBases { outcome.conflicts = merged[0].conflicts }
        return merged[0].bytes
    }

    private func merge(
        _ base: PlistDocument?, _ ours: PlistDocument, _ theirs: PlistDocument, _ labels: MergeLabels
    ) throws(CapsuleError) -> Merged {
        let merge = PlistDocumentMerge(path: try? RelativePath(validating: name))
        do throws(OverlayError) {
            var decisions = MergeDecisions()
            let merged = try merge.merge(base: base, ours: ours, theirs: theirs, &decisions)
            let notes = merged.notes.map(\.message)
            guard decisions.openCount > 0 else { return Merged(bytes: merged.bytes, conflicts: [], notes: notes) }
            let marked = try merge.marked(base: base, ours: ours, theirs: theirs, size: size, labels: labels)
            return Merged(bytes: marked, conflicts: decisions.conflicts, notes: notes)
        } catch {
            throw CapsuleError(error.message, hint: error.hint)
        }
    }

    /// The base; where git made it of several by a merge with conflicts, what it is by either side. What comes of it has to be
    /// the same for both.
    private func bases(_ bytes: [UInt8]) throws(CapsuleError) -> [PlistDocument?] {
        do throws(CapsuleError) {
            return [try document(bytes, "the base")]
        } catch {
            guard let readings = MarkedReadings(bytes) else { throw error }
            return try [readings.ours, readings.theirs].map { (side) throws(CapsuleError) in try document(side, "the base") }
        }
    }

    private func document(_ bytes: [UInt8], _ side: String) throws(CapsuleError) -> PlistDocument {
        do throws(PlistError) {
            return try PlistDocument.read(bytes)
        } catch {
            throw CapsuleError(error, in: HostPath(side))
        }
    }

    // MARK: What the user wants

    /// Whether the user wants to see the base between ours and theirs.
    private static func showsBase() -> Bool {
        let style = try? GitProgram.run(["config", "--get", "merge.conflictStyle"].map { Array($0.utf8) }).output
        return style.map { ["diff3\n", "zdiff3\n"].contains(String(decoding: $0, as: UTF8.self)) } ?? false
    }

    /// Whether git is merging bases into one, which it does with longer marks: nobody is to resolve those conflicts.
    private var isOfBases: Bool {
        guard size > Self.defaultSize else { return false }
        let arguments = ["check-attr", "-z", "conflict-marker-size", "--"].map { Array($0.utf8) } + [name]
        guard let outcome = try? GitProgram.run(arguments), outcome.status == 0 else { return false }
        let wanted = outcome.output.split(separator: 0).last.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        return size > wanted ?? Self.defaultSize
    }
}
