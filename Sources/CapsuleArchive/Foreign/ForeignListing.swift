package import CapsuleCore
package import CapsuleFileSystem

/// An archive's entries as a tree: each in a directory that is one, none twice, none outside.
package struct ForeignListing: Sendable {
    /// Paths from the archive's top; in no order. The top itself is not among them.
    package private(set) var entries: [TreeEntry] = []
    /// For each entry, which file of the archive's content is its; -1 for those without.
    package private(set) var files: [Int] = []
    /// For each entry, whether its mode came from the archive.
    package private(set) var haveModes: [Bool] = []
    /// The archive's own top directory.
    package private(set) var top: TreeEntry?
    /// Other names of files, as (place in ``entries``, the file they share), the first name included.
    package private(set) var hardLinks: [(entry: Int, file: Int)] = []
    /// What no tree can hold.
    package private(set) var special: [(path: RelativePath, kind: FileStatus.Kind)] = []
    /// Attributes too long to be kept.
    package private(set) var longAttributes: [(path: RelativePath, name: [UInt8])] = []

    /// Entries whose names begin with a slash, which is left out, as tar and unzip do: how many there are, and the first.
    package private(set) var absolute: (count: Int, first: [UInt8]) = (0, [])

    /// What stands at a path.
    private enum Place {
        /// A directory that no entry has named yet, but others lie in it.
        case implied(Int)
        case entry(Int)
        /// Something that was left out.
        case left
    }

    private var places: [RelativePath: Place] = [:]
    private var apparentSize: UInt64 = 0
    private var length = 0
    private var sharedFiles: Set<Int> = []
    private let apparentLimit: UInt64

    init(archiveLength: UInt64) {
        apparentLimit = ForeignLimits.apparentSize(of: archiveLength)
    }

    /// Takes in an entry.
    ///
    /// - Parameter file: the number its content has, if it is a file.
    /// - Throws: ``ArchiveError`` with the code `refused` or `limit` and the entry's name as path.
    mutating func add(_ given: ForeignEntry, file: Int) throws(ArchiveError) {
        let path = try path(named: given.name, of: given)
        if given.name.first == UInt8(ascii: "/") {
            absolute = (absolute.count + 1, absolute.count == 0 ? given.name : absolute.first)
        }
        var entry = given
        // From here on errors name the path, not the spelling.
        if !path.isRoot { entry.name = path.bytes }
        try count(entry)
        if path.isRoot {
            guard entry.kind == .directory else { throw refused("is the top of the archive, but not a directory", entry) }
            top = directory(.root, entry)
            noteLongAttributes(.root, entry)
            return
        }
        switch entry.kind {
        case .directory: try addDirectory(path, entry)
        case .file:
            try addPlain(
                TreeEntry(path: path, kind: .file, mode: entry.mode, modified: entry.modified, size: entry.size), file, entry)
        case .link:
            try checkTarget(entry)
            try addPlain(
                TreeEntry(path: path, kind: .link, mode: .link, modified: entry.modified, target: entry.target), -1, entry)
        case .hardLink: try addHardLink(path, entry)
        case .special(let kind):
            try claim(path, entry)
            places[path] = .left
            special.append((path, kind))
        }
    }

    // MARK: Names

    /// The path that a name means: `/` or `./` before it, `/` behind it and `//` in it mean nothing.
    private func path(named name: [UInt8], of entry: ForeignEntry) throws(ArchiveError) -> RelativePath {
        if name.isEmpty { throw refused("the name is empty", entry) }
        let components = name.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual([UInt8(ascii: ".")]) }
        if components.isEmpty { return .root }
        do throws(PathError) {
            return try RelativePath(validating: Array(components.joined(separator: [UInt8(ascii: "/")])))
        } catch {
            throw refused(error.message, entry)
        }
    }

    private func checkTarget(_ entry: ForeignEntry) throws(ArchiveError) {
        guard entry.target.count <= TreeEntry.maximumTargetLength else {
            throw ArchiveError(.limit, "its target is longer than \(TreeEntry.maximumTargetLength) bytes", path: entry.path)
        }
        guard !entry.target.isEmpty, !entry.target.contains(0) else {
            throw refused("its target is empty or has a NUL byte", entry)
        }
    }

    private mutating func count(_ entry: ForeignEntry) throws(ArchiveError) {
        guard UInt64(places.count) < CapsuleLimits.entries else {
            throw ArchiveError(
                .limit, "exceeds the \(CapsuleLimits.entries) entries that a capsule can hold", path: entry.path)
        }
        let (sum, overflow) = apparentSize.addingReportingOverflow(entry.size)
        apparentSize = sum
        guard !overflow, sum <= apparentLimit else {
            throw ArchiveError(.limit, "the files' sizes add up to more than \(apparentLimit >> 30) GiB", path: entry.path)
        }
        length += entry.name.count + entry.target.count
        length += entry.attributes.attributes.reduce(0) { $0 + $1.name.count + $1.value.count }
        length += entry.attributes.tooLong.reduce(0) { $0 + $1.count }
        guard length <= ForeignLimits.listingLength else {
            throw ArchiveError(
                .limit, "names and attributes add up to more than \(ForeignLimits.listingLength >> 20) MiB",
                path: entry.path)
        }
    }

    private func refused(_ message: String, _ entry: ForeignEntry) -> ArchiveError {
        ArchiveError(.refused, message, path: entry.path)
    }

    // MARK: Places

    /// Takes an empty place whose parents are directories, or can be.
    private mutating func claim(_ path: RelativePath, _ entry: ForeignEntry) throws(ArchiveError) {
        switch places[path] {
        case nil: break
        case .implied: throw refused("is not a directory, but other entries are in it", entry)
        case .entry(let number):
            throw refused(
                entries[number].kind == .directory || entry.kind == .directory
                    ? "is both a directory and something else" : "appears twice", entry)
        case .left: throw refused("appears twice", entry)
        }
        try makeParents(of: path, entry)
    }

    /// Makes up the directories that the archive doesn't have, with the time of the first entry in them.
    private mutating func makeParents(of path: RelativePath, _ entry: ForeignEntry) throws(ArchiveError) {
        var missing: [RelativePath] = []
        var next = path.parent
        while let parent = next, !parent.isRoot {
            if let place = places[parent] {
                switch place {
                case .implied: break
                case .entry(let number) where entries[number].kind == .directory: break
                case .entry, .left: throw refused("is in '\(parent)', which is not a directory", entry)
                }
                break
            }
            missing.append(parent)
            next = parent.parent
        }
        for parent in missing {
            length += parent.bytes.count
            append(
                TreeEntry(path: parent, kind: .directory, mode: FileMode(0o755), modified: entry.modified), -1, hasMode: false,
                isImplied: true)
        }
        if top == nil {
            top = TreeEntry(path: .root, kind: .directory, mode: FileMode(0o755), modified: entry.modified)
        }
    }

    private mutating func append(_ entry: TreeEntry, _ file: Int, hasMode: Bool, isImplied: Bool = false) {
        places[entry.path] = isImplied ? .implied(entries.count) : .entry(entries.count)
        entries.append(entry)
        files.append(file)
        haveModes.append(hasMode)
    }

    private mutating func addPlain(_ plain: TreeEntry, _ file: Int, _ entry: ForeignEntry) throws(ArchiveError) {
        try claim(plain.path, entry)
        var plain = plain
        plain.attributes = entry.attributes.attributes
        noteLongAttributes(plain.path, entry)
        append(plain, file, hasMode: entry.hasMode)
    }

    private func directory(_ path: RelativePath, _ entry: ForeignEntry) -> TreeEntry {
        TreeEntry(
            path: path, kind: .directory, mode: entry.mode, modified: entry.modified, attributes: entry.attributes.attributes)
    }

    /// A directory may be named again: the last word counts, as it does for archivers.
    private mutating func addDirectory(_ path: RelativePath, _ entry: ForeignEntry) throws(ArchiveError) {
        switch places[path] {
        case .implied(let number):
            entries[number] = directory(path, entry)
            haveModes[number] = entry.hasMode
            places[path] = .entry(number)
        case .entry(let number) where entries[number].kind == .directory:
            entries[number] = directory(path, entry)
            haveModes[number] = entry.hasMode
        default:
            try claim(path, entry)
            append(directory(path, entry), -1, hasMode: entry.hasMode)
        }
        noteLongAttributes(path, entry)
    }

    /// Another name of a file, which becomes a file of its own; of a link, a link.
    private mutating func addHardLink(_ path: RelativePath, _ entry: ForeignEntry) throws(ArchiveError) {
        var named = entry
        named.name = entry.target
        let target: RelativePath
        do throws(ArchiveError) {
            target = try self.path(named: entry.target, of: named)
        } catch {
            throw refused("is a hard link to '\(String(decoding: entry.target, as: UTF8.self))': \(error.message)", entry)
        }
        guard case .entry(let number)? = places[target], entries[number].kind != .directory else {
            throw refused("is a hard link to '\(target)', which is not an earlier file", entry)
        }
        var copy = entries[number]
        // The size of a link's second name was not counted: it is not the entry's own.
        let (sum, overflow) = apparentSize.addingReportingOverflow(copy.size)
        apparentSize = sum
        guard !overflow, sum <= apparentLimit else {
            throw ArchiveError(.limit, "the files' sizes add up to more than \(apparentLimit >> 30) GiB", path: entry.path)
        }
        length += copy.attributes.reduce(0) { $0 + $1.name.count + $1.value.count } + copy.target.count
        copy.path = path
        try claim(path, entry)
        if files[number] >= 0 {
            if sharedFiles.insert(files[number]).inserted { hardLinks.append((number, files[number])) }
            hardLinks.append((entries.count, files[number]))
        }
        append(copy, files[number], hasMode: haveModes[number])
    }

    private mutating func noteLongAttributes(_ path: RelativePath, _ entry: ForeignEntry) {
        for name in entry.attributes.tooLong { longAttributes.append((path, name)) }
    }
}

/// An entry as an archive has it: nothing of it has been checked but that the numbers are numbers.
struct ForeignEntry {
    enum Kind: Equatable {
        case directory, file, link
        /// Another name of the file that ``ForeignEntry/target`` names.
        case hardLink
        /// What no tree holds.
        case special(FileStatus.Kind)
    }

    var name: [UInt8]
    var kind: Kind
    var mode: FileMode
    /// Whether the archive has a mode for it; otherwise ``mode`` is made up.
    var hasMode = true
    var modified: Timestamp
    /// A file's length, holes included.
    var size: UInt64 = 0
    /// What a link or hard link leads to.
    var target: [UInt8] = []
    var attributes = ExtendedAttributes.Reading()

    /// The name for messages.
    var path: HostPath { HostPath(name) }
}

/// What the upper bits of a Unix mode say an entry is (inode(7)).
enum FileTypeBits: Equatable {
    case directory, file, link
    case special(FileStatus.Kind)
    /// Nothing known.
    case none

    init(_ mode: some BinaryInteger) {
        switch UInt32(truncatingIfNeeded: mode) & 0o170000 {
        case 0o040000: self = .directory
        case 0o100000: self = .file
        case 0o120000: self = .link
        case 0o010000: self = .special(.pipe)
        case 0o140000: self = .special(.socket)
        case 0o020000, 0o060000: self = .special(.device)
        default: self = .none
        }
    }
}
