import CapsuleContainers
package import CapsuleCore
import CapsuleHashing
import CapsuleMerge
import CapsulePropertyList
import CapsuleSystem

/// Merges three property lists in files.
package struct PlistFileMerger: Sendable {
    private let options: MergeOptions

    package init(_ options: MergeOptions) { self.options = options }

    /// Merges the changes that two files made to a third one, and writes the result. Only the parts that differ from ours are
    /// rewritten. While a conflict is open, nothing is written unless the options allow it.
    package func merge(
        base: HostPath, ours: HostPath, theirs: HostPath, to output: OutputFile
    ) throws(CapsuleError) -> MergeOutcome {
        let paths = [base, ours, theirs]
        guard paths.count(where: { $0 == .standardStream }) <= 1 else {
            throw CapsuleError(.usage, "only one of the three can be standard input", hint: "use files for the others")
        }
        try options.refuse(output.path, overwriting: paths.map(\.bytes))
        if output.path != .standardStream { try FileProbe.checkTarget(output.path, as: .file, replacing: output.replaces) }
        var files: [PlistFile] = []
        for path in paths { files.append(try Self.read(path)) }
        let names = files.map { file in
            ConflictsDocument.Input(source: file.path.bytes, digest: SHA256Hasher.digest(of: file.document.bytes).hex)
        }
        var decisions = try options.decisions(for: (names[0], names[1], names[2]))
        let before = decisions
        let merge = PlistDocumentMerge(identities: ArrayIdentities(options.arrays))
        var bytes: [UInt8]
        var notes: [OverlayNote]
        do throws(OverlayError) {
            let outcome = try merge.merge(base: files[0].document, ours: files[1].document, theirs: files[2].document, &decisions)
            (bytes, notes) = (outcome.bytes, outcome.notes)
            if options.hasMarks, decisions.openCount > 0 {
                notes = []
                let labels = MergeLabels(ours: "\(ours)", base: "\(base)", theirs: "\(theirs)")
                bytes = try merge.marked(
                    base: files[0].document, ours: files[1].document, theirs: files[2].document, labels: labels, before,
                    notes: &notes)
            }
        } catch {
            throw CapsuleError(error, in: files[1])
        }
        try options.check(decisions)
        var outcome = MergeOutcome(
            ConflictsDocument(base: names[0], ours: names[1], theirs: names[2], conflicts: decisions.conflicts))
        outcome.warnings = files.flatMap(\.warnings)
        outcome.notes = notes.map(\.text) + options.notes(on: decisions)
        try options.list(outcome)
        guard outcome.openCount == 0 || options.isPartial else { return outcome }
        let mode = (files[1].mode ?? FileMode(CreationMask.fileMode)).closed(as: files.compactMap(\.mode))
        try output.with(mode: mode).write(bytes)
        outcome.output = output.path
        return outcome
    }

    private static func read(_ path: HostPath) throws(CapsuleError) -> PlistFile {
        do throws(CapsuleError) {
            return try PlistFile(path)
        } catch {
            guard error.code.isFailure, error.hint == nil, error.place == nil else { throw error }
            throw CapsuleError(
                error.code, error.message, path: error.path,
                hint: "'capsule merge' merges containers and property lists; 'git merge-file' merges other text")
        }
    }
}
