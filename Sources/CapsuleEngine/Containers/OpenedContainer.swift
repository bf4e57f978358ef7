import CapsuleCore
import CapsuleSystem
import CapsulePropertyList

/// A container that was found, understood and listed; its files' bytes can be read.
struct OpenedContainer: Sendable {
    /// Its name: what stands before `.xcappdata`.
    var name: [UInt8]
    var layout: ContainerLayout
    var source: SourceDescription
    /// The app groups' identifiers, by bytes.
    var groups: [[UInt8]]
    /// In the order of the index. A live file's digest is zero, and its attributes are not known, unless the cache had it.
    var entries: [TreeEntry]
    /// Whether the entries' digests and attributes are known.
    var isDigested: Bool
    var content: any ContentProvider
    /// What can't be, or was not, taken over.
    var omitted: [Omission]
    /// How many of ``omitted`` the user asked for; they come first.
    var wantedOmissions: Int
    /// How many of those were left out when the version was packed that the container is; they come last.
    var earlierOmissions = 0
    /// The overlays that a capsule's version carries, each a document.
    var overlays: [PlistValue] = []
    /// What it was taken for, and why, in words.
    var evidence: [String]
    /// What is kept of what was read of the files; nil where it is not live, or not wanted.
    var statCache: StatCacheSession?
    /// The places of entries whose modes are made up, since an archive had none for them.
    var withoutModes: Set<Int> = []
    /// Whether extended attributes could have come with the entries.
    var hasAttributes = true
    /// The modes of the files that it was read from: what is made of it is open to nobody whom they are closed to.
    var inputModes: [FileMode] = []
    /// What was taken otherwise than the container has it, a sentence each, lower case, no period.
    var remarks: [String] = []
}

extension OpenedContainer {
    /// What was left out or flattened though nobody asked for it.
    var unwantedOmissions: [Omission] { Array(omitted.dropFirst(wantedOmissions)) }

    /// Whether what is read of its files must have the digests that its entries have: a live container's may change.
    var hasFinalDigests: Bool { isDigested && !content.isLive }

    /// The directories that could not be listed, of a container that was just listed.
    var unlistedDirectories: [Omission] { omitted.filter(\.isUnlisted) }

    /// Why directories could not be listed, by their paths.
    var unlisted: [RelativePath: String] {
        var reasons: [RelativePath: String] = [:]
        for omission in unlistedDirectories {
            if let path = try? RelativePath(validating: omission.path) {
                reasons[path] = String(omission.reason.dropFirst(Omission.unlisted.count))
            }
        }
        return reasons
    }

    /// Without what the options leave out, for containers that were listed without them.
    func filtered(_ options: ContainerOptions) throws(CapsuleError) -> OpenedContainer {
        try options.refuseGroups()
        let leftOut = options.leftOut
        if leftOut.isEmpty { return self }
        guard let content = content as? any PiecewiseContent else {
            throw CapsuleError(.usage, "is already completely listed, so nothing can be left out")
        }
        var excluded = ExcludedPaths(leftOut)
        var kept = self
        kept.entries = []
        var numbers: [UInt32] = []
        for (number, entry) in entries.enumerated() {
            // The wrapper has no path that patterns speak of.
            if entry.root != .wrapper, excluded.take(entry.path, isDirectory: entry.kind == .directory, pattern: entry.path) {
                continue
            }
            kept.entries.append(entry)
            numbers.append(UInt32(number))
        }
        kept.content = SelectedContent(content, numbers: numbers)
        kept.omitted =
            excluded.matched.map { Omission(path: $0.bytes, reason: options.reason(forLeavingOut: $0.bytes)) } + omitted
        kept.wantedOmissions += excluded.matched.count
        return kept
    }

    /// The container with only some of its entries.
    func selecting(_ numbers: [UInt32]) -> OpenedContainer {
        if numbers.count == entries.count { return self }
        var selected = self
        selected.entries = numbers.map { entries[Int($0)] }
        selected.withoutModes = Set(numbers.indices.filter { withoutModes.contains(Int(numbers[$0])) })
        // A live container's files are found by their paths, not by numbers.
        if let content = content as? any PiecewiseContent { selected.content = SelectedContent(content, numbers: numbers) }
        return selected
    }
}

/// The content of some of a container's entries, under the numbers that they have among themselves.
struct SelectedContent: PiecewiseContent {
    private let content: any PiecewiseContent
    /// For each entry its number in ``content``.
    private let numbers: [UInt32]

    init(_ content: any PiecewiseContent, numbers: [UInt32]) {
        self.content = content
        self.numbers = numbers
    }

    var isLive: Bool { content.isLive }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        try content.open(entry, number: Int(numbers[number]))
    }

    func makeReader() -> any ContentReader {
        SelectedReader(content.makeReader(), numbers)
    }

    func stretch(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64> {
        content.stretch(of: Int(numbers[number]), from: offset, size: size, length: length)
    }

    func locality(of number: Int) -> UInt64 {
        content.locality(of: Int(numbers[number]))
    }
}

private final class SelectedReader: ContentReader {
    private let reader: any ContentReader
    private let numbers: [UInt32]

    init(_ reader: any ContentReader, _ numbers: [UInt32]) {
        self.reader = reader
        self.numbers = numbers
    }

    func forEachPiece(
        of number: Int, in range: Range<UInt64>,
        _ body: (UInt64, UInt64, UnsafeRawBufferPointer?) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        try reader.forEachPiece(of: Int(numbers[number]), in: range, body)
    }
}

/// A container's content whose entries have other names or roots than they were listed with.
struct RelistedContent: PiecewiseContent {
    private let content: any PiecewiseContent
    /// The entries as they were listed, by which files are opened.
    private let entries: [TreeEntry]

    init(_ content: any PiecewiseContent, entries: [TreeEntry]) {
        self.content = content
        self.entries = entries
    }

    var isLive: Bool { content.isLive }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        try content.open(entries[number], number: number)
    }

    func makeReader() -> any ContentReader { content.makeReader() }

    func stretch(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64> {
        content.stretch(of: number, from: offset, size: size, length: length)
    }

    func locality(of number: Int) -> UInt64 { content.locality(of: number) }
}

extension OpenedContainer {
    /// The mode of a file that holds what the container holds: who can't list the container's own directory, or read the file that it
    /// comes from, can't read the new file.
    var fileMode: FileMode {
        let reach = entries.lazy.filter(Self.isTop).reduce(UInt16(0o066)) { $0 & $1.mode.rawValue }
        return FileMode(CreationMask.fileMode & (0o600 | reach)).closed(as: inputModes)
    }

    /// Closes the container's own directory, and those of its app groups, to everybody to whom one of other containers has the same
    /// directory closed. What is in it may come from there, with a mode that leaves the guard to the directory.
    mutating func close(as others: [OpenedContainer]) {
        var modes: [RelativePath: FileMode] = [:]
        for entry in others.lazy.flatMap(\.entries) where Self.isTop(entry) {
            // The owner's bits stay, and what is more than reading, writing and searching.
            let mode = FileMode(entry.mode.rawValue | 0o7700)
            modes[entry.path] = modes[entry.path].map { $0.within(mode) } ?? mode
        }
        for number in entries.indices where Self.isTop(entries[number]) {
            guard let mode = modes[entries[number].path] else { continue }
            entries[number].mode = entries[number].mode.within(mode)
        }
    }

    /// Whether an entry is the container's own directory, or an app group's.
    private static func isTop(_ entry: TreeEntry) -> Bool {
        guard entry.kind == .directory else { return false }
        return entry.root == .wrapper || entry.root.groupNumber != nil && entry.path.components.count == groupDepth
    }

    /// The parts of `AppGroups/ID`.
    private static let groupDepth = 2
}

extension HostPath {
    /// The mode of a plain file that is read, which what is made of it has at most; of `-`, that of the file behind it.
    ///
    /// - Returns: nil for anything else.
    var inputMode: FileMode? {
        guard let path = self == .standardStream ? RealPath.ofStandardInput() : self,
            let status = try? Syscall.status(path, following: true), status.kind == .file
        else { return nil }
        return status.mode
    }
}

extension FileMode {
    /// The same mode for a file that is made of others: nobody can read it who can't read all of them. Its owner can.
    func closed(as modes: [FileMode]) -> FileMode { modes.reduce(self) { $0.within(FileMode($1.rawValue | 0o600)) } }

    /// What both modes allow.
    func within(_ other: FileMode) -> FileMode { FileMode(rawValue & other.rawValue) }
}
