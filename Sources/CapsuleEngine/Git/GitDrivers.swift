import CapsuleArchive
public import CapsuleCore
import CapsuleFileSystem
import CapsuleHashing
import CapsulePropertyList

/// A file as text that git compares: of a property list a line for each value.
public enum GitTextconv {
    /// What a file is shown as.
    public enum Text: Sendable {
        /// Lines.
        case lines([UInt8])
        /// The entries of a capsule's latest version, as `ls -l` lists them.
        case capsule(ContainerListing)
        /// Its own bytes: it is no property list, or none that can be told so.
        case file(HostPath)
    }

    /// - Throws: only for what can't be read at all, or is no file.
    public static func text(of argument: HostPath, jobs: Int) throws(CapsuleError) -> Text {
        // Git means a file, whatever it is called.
        let path = argument == .standardStream ? HostPath("./-") : argument
        let file: EditedFile
        do throws(FileSystemError) {
            if let listing = try listing(of: path, jobs: jobs) { return .capsule(listing) }
            file = try EditedFile(path, limit: PlistFile.longest)
        } catch {
            guard error.code == .tooLarge else { throw CapsuleError(error) }
            // Too large.
            return .file(path)
        }
        return (lines(of: file.bytes) ?? markedLines(of: file.bytes)).map { .lines($0) } ?? .file(path)
    }

    private static func lines(of bytes: [UInt8]) -> [UInt8]? {
        guard let document = try? PlistDocument.read(bytes, isLenient: true) else { return nil }
        return try? PointerLines.text(of: document) { SHA256Hasher.digest(of: $0).hex }
    }

    /// Of a file in conflict, what both sides make of it, with marks around what differs: git compares it with the sides.
    private static func markedLines(of bytes: [UInt8]) -> [UInt8]? {
        guard let readings = MarkedReadings(bytes), let ours = lines(of: readings.ours), let theirs = lines(of: readings.theirs)
        else { return nil }
        return try? readings.marking(ours: ours, theirs: theirs)
    }

    /// The latest version of a capsule; nil for any other file, and for a capsule that can't be read.
    private static func listing(of path: HostPath, jobs: Int) throws(FileSystemError) -> ContainerListing? {
        let file = try CapsuleFile(opening: path)
        guard (try? CapsuleReader(file)) != nil else { return nil }
        return try? ContainerListing(Container(path.bytes), digesting: true, jobs: jobs)
    }

    /// Writes the bytes of a file to standard output.
    public static func copy(_ path: HostPath) throws(CapsuleError) {
        let output = StandardOutput()
        let descriptor = try CapsuleError.wrapping { () throws(FileSystemError) in try Syscall.openFile(path) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while true {
            let count = try CapsuleError.wrapping { () throws(FileSystemError) in
                try Syscall.read(descriptor.raw, at: offset, into: buffer, path: path)
            }
            if count == 0 { return }
            try output.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += UInt64(count)
        }
    }
}

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

/// What is no merge of property lists.
extension GitMergeDriver {
    /// Merges the lines, as git does without a driver.
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
                // Git's own, of a merge of bases or of a resolution that it remembers.
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
        // Git merges no binary files. Whoever opens this one is to see that nothing has been decided.
        let outcome = Outcome(status: Self.failed, trouble: trouble)
        guard let other else { return outcome }
        return Self.write(wideText(file.bytes, other) ?? bothSides(file.bytes, other), into: file, outcome)
    }

    /// Whether it is a property list, by either side where it has marks.
    private func isSound(_ bytes: [UInt8]) -> Bool {
        if (try? PlistDocument.read(bytes)) != nil { return true }
        guard let readings = MarkedReadings(bytes) else { return false }
        return [readings.ours, readings.theirs].allSatisfy { (try? PlistDocument.read($0)) != nil }
    }

    /// One block from the first line that differs to the last.
    private func oneBlock(_ ours: [UInt8], _ theirs: [UInt8]) -> [UInt8] {
        guard let own = try? TextContent(ours), let other = try? TextContent(theirs), own.encoding == other.encoding,
            own.hasMark == other.hasMark
        else { return bothSides(ours, theirs) }
        let merge = TextMerge(base: nil, ours: own, theirs: other)
        return merge.marked(size: size, ours: Self.labels.ours, base: nil, theirs: Self.labels.theirs)
    }

    /// The lines of texts in UTF-16, which git takes for binary files; nil where one of the three is no text.
    private func wideText(_ ours: [UInt8], _ theirs: [UInt8]) -> [UInt8]? {
        guard let old = try? EditedFile(base, limit: PlistFile.longest).bytes, let own = try? TextContent(ours),
            let other = try? TextContent(theirs)
        else { return nil }
        let content = old.isEmpty ? nil : try? TextContent(old)
        guard old.isEmpty || content != nil else { return nil }
        var merge = TextMerge(base: content, ours: own, theirs: other)
        var decisions = MergeDecisions()
        _ = merge.merge(&decisions)
        // Which encoding it is to be can't be marked.
        guard !decisions.conflicts.contains(where: { $0.kind == .encoding }) else { return nil }
        return merge.marked(size: size, ours: Self.labels.ours, base: Self.labels.base, theirs: Self.labels.theirs)
    }

    /// A file of that name, and no flag.
    private static func asPath(_ path: HostPath) -> [UInt8] {
        path.bytes.first == UInt8(ascii: "-") ? Array("./".utf8) + path.bytes : path.bytes
    }

    /// One block with all of ours and all of theirs: of what is a binary property list its text in XML, of anything else its bytes.
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
