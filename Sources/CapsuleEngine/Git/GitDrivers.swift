import CapsuleArchive
import CapsuleContainers
package import CapsuleCore
import CapsuleHashing
package import CapsuleMerge
import CapsulePropertyList
import CapsuleSystem

/// Converts a file to text that git compares: a property list becomes one line for each value.
package enum GitTextconv {
    package enum Text: Sendable {
        case lines([UInt8])
        /// The entries of a capsule's latest version, as `ls -l` lists them.
        case capsule(ContainerListing)
        case file(HostPath)
    }

    /// - Throws: `CapsuleError` only if the path is not a file, or can't be read at all.
    package static func text(of argument: HostPath, jobs: Int) throws(CapsuleError) -> Text {
        // Git always means a file, whatever its name is.
        let path = argument == .standardStream ? HostPath("./-") : argument
        let file: EditedFile
        do throws(CapsuleError) {
            if let listing = try listing(of: path, jobs: jobs) { return .capsule(listing) }
            file = try EditedFile(path, limit: PlistFile.longest)
        } catch {
            guard error.code == .limit else { throw error }
            // The file is shown as it is.
            return .file(path)
        }
        return (lines(of: file.bytes) ?? markedLines(of: file.bytes)).map { .lines($0) } ?? .file(path)
    }

    private static func lines(of bytes: [UInt8]) -> [UInt8]? {
        guard let document = try? PlistDocument.read(bytes, isLenient: true) else { return nil }
        return try? PointerLines.text(of: document) { SHA256Hasher.digest(of: $0).hex }
    }

    /// Returns the lines of both sides of a file in conflict, with marks around the differences. Git compares such a file with
    /// the sides.
    private static func markedLines(of bytes: [UInt8]) -> [UInt8]? {
        guard let readings = MarkedReadings(bytes), let ours = lines(of: readings.ours), let theirs = lines(of: readings.theirs)
        else { return nil }
        return try? readings.marking(ours: ours, theirs: theirs)
    }

    private static func listing(of path: HostPath, jobs: Int) throws(CapsuleError) -> ContainerListing? {
        let file = try CapsuleFile(opening: path)
        guard (try? CapsuleReader(file)) != nil else { return nil }
        return try? ContainerListing(Container(path.bytes), digesting: true, jobs: jobs)
    }

    package static func copy(_ path: HostPath, to output: StandardStream) throws(CapsuleError) {
        let descriptor = try Syscall.openFile(path)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while true {
            let count = try Syscall.read(descriptor.raw, at: offset, into: buffer, path: path)
            if count == 0 { return }
            try output.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += UInt64(count)
        }
    }
}

/// Merges three versions of one file as a git merge driver does (gitattributes(5), "Defining a custom merge driver"). Git 2.39
/// treats every status except 0 as a conflict, and takes the file of ours as it is. If anything goes wrong, that file is
/// therefore never left with ours alone unless the status is 255. Theirs is written into the file if it can be written at all.
package struct GitMergeDriver: Sendable {
    package struct Outcome: Sendable {
        /// The exit status: 0 for a clean merge, 1 for conflicts, that of git's own text merge if not all three files are
        /// property lists, and 255 for a failure.
        package let status: Int32
        /// The conflicts that are marked in the file. There are none when git merges several bases into one, because nobody
        /// resolves those.
        package var conflicts: [Conflict] = []
        package var notes: [String] = []
        package var trouble: CapsuleError?
        /// The reason why the result could not be written to the file, which is unchanged then.
        package var failure: CapsuleError?
    }

    /// The largest status of git's own text merge. Larger ones have another meaning to a shell or to ``GitCommandLine/driver``.
    static let mostConflicts: Int32 = 125
    package static let failed: Int32 = 255
    private static let defaultSize = 7
    static let labels = MergeLabels(ours: "ours", theirs: "theirs")
    private static let labelsWithBase = MergeLabels(ours: "ours", base: "base", theirs: "theirs")

    let base: HostPath
    let ours: HostPath
    let theirs: HostPath
    let size: Int
    private let name: [UInt8]

    /// - Parameters:
    ///   - base: `%O`, an empty file if both sides added the file.
    ///   - ours: `%A`, the file that the result is written to.
    ///   - theirs: `%B`.
    ///   - size: `%L`, the length of a conflict mark. If it is not a valid length, 7 is used.
    ///   - name: `%P`, the path in the repository, for messages.
    package init(base: HostPath, ours: HostPath, theirs: HostPath, size: [UInt8], name: [UInt8]) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        let length = Int(String(decoding: size, as: UTF8.self)) ?? Self.defaultSize
        self.size = ConflictMarks.sizes.contains(length) ? length : Self.defaultSize
        self.name = name
    }

    package func run() -> Outcome {
        let file: EditedFile
        do throws(CapsuleError) {
            file = try EditedFile(ours, limit: PlistFile.longest)
        } catch {
            return Outcome(status: Self.failed, failure: error)
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
        do throws(CapsuleError) {
            try file.replace(with: bytes)
            return outcome
        } catch {
            // The file is complete. Its safety in a power failure is up to git, as for the rest of the working copy.
            if error.code == .unsynced { return outcome }
            return Outcome(status: failed, trouble: outcome.trouble, failure: error)
        }
    }

    private struct MergeAttempt {
        let bytes: [UInt8]
        let conflicts: [Conflict]
        let notes: [String]
    }

    private func merge(_ file: EditedFile, _ outcome: inout Outcome) throws(CapsuleError) -> [UInt8] {
        let bytes = try [base, theirs].map { (path) throws(CapsuleError) in
            try EditedFile(path, limit: PlistFile.longest).bytes
        }
        let olds = try bytes[0].isEmpty ? [nil] : bases(bytes[0])
        let own = try document(file.bytes, "ours")
        let other = try document(bytes[1], "theirs")
        // With two bases, the lines of one would show only half of the base.
        let labels = olds.count == 1 && Self.showsBase() ? Self.labelsWithBase : Self.labels
        let merged = try olds.map { (old) throws(CapsuleError) in try merge(old, own, other, labels) }
        guard merged.allSatisfy({ $0.bytes == merged[0].bytes }) else {
            throw CapsuleError("the base has conflict marks, and its two sides merge differently")
        }
        let warnings = [("ours", own), ("theirs", other)].flatMap { (side, document) in
            document.warnings.map { CapsuleError.note(of: $0, in: HostPath(side)) }
        }
        outcome = Outcome(status: merged.allSatisfy(\.conflicts.isEmpty) ? 0 : 1, notes: warnings + merged[0].notes)
        if outcome.status > 0, !isConflictOfBases { outcome.conflicts = merged[0].conflicts }
        return merged[0].bytes
    }

    private func merge(
        _ base: PlistDocument?, _ ours: PlistDocument, _ theirs: PlistDocument, _ labels: MergeLabels
    ) throws(CapsuleError) -> MergeAttempt {
        let merge = PlistDocumentMerge(path: try? RelativePath(validating: name))
        do throws(OverlayError) {
            var decisions = MergeDecisions()
            let merged = try merge.merge(base: base, ours: ours, theirs: theirs, &decisions)
            let notes = merged.notes.map(\.message)
            guard decisions.openCount > 0 else { return MergeAttempt(bytes: merged.bytes, conflicts: [], notes: notes) }
            let marked = try merge.marked(base: base, ours: ours, theirs: theirs, size: size, labels: labels)
            return MergeAttempt(bytes: marked, conflicts: decisions.conflicts, notes: notes)
        } catch {
            throw CapsuleError(error.message, hint: error.hint)
        }
    }

    /// Returns the base. If git made it from several bases by a merge with conflicts, both sides of the marks are returned, and
    /// the result must be the same for both.
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

    private static func showsBase() -> Bool {
        let style = try? GitProgram.run(["config", "--get", "merge.conflictStyle"].map { Array($0.utf8) }).output
        return style.map { ["diff3\n", "zdiff3\n"].contains(String(decoding: $0, as: UTF8.self)) } ?? false
    }

    /// True if git is merging several bases into one. It uses longer marks then, and nobody resolves the conflicts.
    private var isConflictOfBases: Bool {
        guard size > Self.defaultSize else { return false }
        let arguments = ["check-attr", "-z", "conflict-marker-size", "--"].map { Array($0.utf8) } + [name]
        guard let outcome = try? GitProgram.run(arguments), outcome.status == 0 else { return false }
        let wanted = outcome.output.split(separator: 0).last.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        return size > wanted ?? Self.defaultSize
    }

    func fallBack(_ file: EditedFile, _ trouble: CapsuleError) -> Outcome {
        let labels = ["-L", "ours", "-L", "base", "-L", "theirs"].map { Array($0.utf8) }
        let arguments =
            [Array("merge-file".utf8), Array("-p".utf8), Array("--marker-size=\(size)".utf8)] + labels
            + [ours, base, theirs].map { Self.asPath($0) }
        let limit = Int(PlistFile.longest) * 3
        let other = try? EditedFile(theirs, limit: PlistFile.longest).bytes
        if let merged = try? GitProgram.run(arguments, limit: limit), merged.status <= 127 {
            var outcome = Outcome(status: min(merged.status, Self.mostConflicts), trouble: trouble)
            if let old = try? EditedFile(base, limit: PlistFile.longest).bytes, MarkedReadings(old) != nil {
                // Git made these marks in a merge of bases, or in a resolution that it remembers.
                outcome.trouble = nil
                outcome.notes = ["merged as text: the base has conflict marks"]
            }
            if let other, !isSound(merged.output), isSound(file.bytes), isSound(other) {
                outcome = Outcome(status: max(outcome.status, 1), notes: outcome.notes, trouble: outcome.trouble)
                outcome.notes.append("merging by lines does not give a valid property list, so all differences are one conflict")
                return Self.write(oneBlock(file.bytes, other), into: file, outcome)
            }
            return Self.write(merged.output, into: file, outcome)
        }
        // Git doesn't merge binary files. The result must show that nothing has been decided.
        let outcome = Outcome(status: Self.failed, trouble: trouble)
        guard let other else { return outcome }
        return Self.write(wideText(file.bytes, other) ?? bothSides(file.bytes, other), into: file, outcome)
    }

    /// Returns true if the bytes are a property list, or if both sides of their conflict marks are. One with a key twice is not: both
    /// sides may have added it.
    private func isSound(_ bytes: [UInt8]) -> Bool {
        if (try? PlistReader.read(bytes)) != nil { return true }
        guard let readings = MarkedReadings(bytes) else { return false }
        return [readings.ours, readings.theirs].allSatisfy { (try? PlistReader.read($0)) != nil }
    }

    /// Returns a text with one conflict block from the first line that differs to the last.
    private func oneBlock(_ ours: [UInt8], _ theirs: [UInt8]) -> [UInt8] {
        guard let own = try? TextContent(ours), let other = try? TextContent(theirs), own.encoding == other.encoding,
            own.hasMark == other.hasMark
        else { return bothSides(ours, theirs) }
        let merge = TextMerge(base: nil, ours: own, theirs: other)
        return merge.marked(size: size, ours: Self.labels.ours, base: nil, theirs: Self.labels.theirs)
    }

    /// Merges the lines of texts in UTF-16, which git treats as binary files. Returns nil if one of the three files is not a
    /// text, or if their encodings conflict.
    private func wideText(_ ours: [UInt8], _ theirs: [UInt8]) -> [UInt8]? {
        guard let old = try? EditedFile(base, limit: PlistFile.longest).bytes, let own = try? TextContent(ours),
            let other = try? TextContent(theirs)
        else { return nil }
        let content = old.isEmpty ? nil : try? TextContent(old)
        guard old.isEmpty || content != nil else { return nil }
        var merge = TextMerge(base: content, ours: own, theirs: other)
        var decisions = MergeDecisions()
        _ = merge.merge(&decisions)
        // Marks can't show a conflict between encodings.
        guard !decisions.conflicts.contains(where: { $0.kind == .encoding }) else { return nil }
        return merge.marked(size: size, ours: Self.labels.ours, base: Self.labels.base, theirs: Self.labels.theirs)
    }

    /// Returns a path that is not taken for a flag.
    private static func asPath(_ path: HostPath) -> [UInt8] {
        path.bytes.first == UInt8(ascii: "-") ? Array("./".utf8) + path.bytes : path.bytes
    }

    /// Returns one conflict block with all of ours and all of theirs. A binary property list is shown as XML, anything else as
    /// its bytes.
    private func bothSides(_ ours: [UInt8], _ theirs: [UInt8]) -> [UInt8] {
        func mark(_ character: Character, _ label: String) -> [UInt8] {
            Array((String(repeating: character, count: size) + (label.isEmpty ? "" : " " + label) + "\n").utf8)
        }
        func shown(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            if let document = try? PlistDocument.read(bytes), document.format == .binary,
                let text = try? PlistWriter.write(document.value, as: .xml)
            {
                bytes = text
            }
            return bytes.last == 0x0A || bytes.isEmpty ? bytes : bytes + [0x0A]
        }
        return mark("<", Self.labels.ours) + shown(ours) + mark("=", "") + shown(theirs) + mark(">", Self.labels.theirs)
    }
}
