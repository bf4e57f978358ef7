package import CapsuleCore
package import CapsuleSystem

/// The entries of an archive as a tree: each is inside a directory, none occurs twice, and none is outside the archive's top.
package struct ForeignListing: Sendable {
    /// The entries with paths relative to the archive's top, in no particular order. The top itself is not included.
    package private(set) var entries: [TreeEntry] = []
    /// The number of each entry's file in the archive's content, or -1 for entries without content.
    package private(set) var files: [Int] = []
    package private(set) var top: TreeEntry?
    /// True if the archive has an entry for its top, such as `./`. Then its only directory is not one that was put around it.
    package private(set) var hasTop = false
    /// The entries that share a file, as (index in ``entries``, number of the file). The first name of the file is included.
    package private(set) var hardLinks: [(entry: Int, file: Int)] = []
    package private(set) var special: [(path: RelativePath, kind: FileStatus.Kind)] = []
    package private(set) var longAttributes: [(path: RelativePath, name: [UInt8])] = []

    /// The number of entries whose names begin with a slash, and the first of these names. The slash is removed, as tar and unzip do.
    package private(set) var absolute: (count: Int, first: [UInt8]) = (0, [])

    /// The use of a path.
    private enum Occupant {
        /// A directory that has no entry of its own yet, but contains other entries.
        case implied(Int)
        case entry(Int)
        case left
    }

    private var places: [RelativePath: Occupant] = [:]
    private var apparentSize: UInt64 = 0
    private var length = 0
    private var sharedFiles: Set<Int> = []
    private let apparentLimit: UInt64

    init(archiveLength: UInt64) {
        apparentLimit = ForeignLimits.apparentSize(of: archiveLength)
    }

    /// - Parameter file: the number of its content, if it is a file.
    /// - Throws: ``CapsuleError`` with the code `refused` or `limit`, and with the entry's name as its path.
    mutating func add(_ given: ForeignEntry, file: Int) throws(CapsuleError) {
        let path = try path(named: given.name, of: given)
        if given.name.first == UInt8(ascii: "/") {
            absolute = (absolute.count + 1, absolute.count == 0 ? given.name : absolute.first)
        }
        var entry = given
        // From here on, errors use the normalized path.
        if !path.isRoot { entry.name = path.bytes }
        try count(entry)
        if path.isRoot {
            guard entry.kind == .directory else { throw refused("is the top of the archive, but not a directory", entry) }
            top = directory(.root, entry)
            hasTop = true
            recordLongAttributes(.root, entry)
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

    /// Returns the path that a name stands for. A leading `/` or `./`, a trailing `/` and `//` are ignored.
    private func path(named name: [UInt8], of entry: ForeignEntry) throws(CapsuleError) -> RelativePath {
        if name.isEmpty { throw refused("the name is empty", entry) }
        let components = name.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual([UInt8(ascii: ".")]) }
        if components.isEmpty { return .root }
        do throws(PathError) {
            return try RelativePath(validating: Array(components.joined(separator: [UInt8(ascii: "/")])))
        } catch {
            throw refused(error.message, entry)
        }
    }

    private func checkTarget(_ entry: ForeignEntry) throws(CapsuleError) {
        guard entry.target.count <= TreeEntry.maximumTargetLength else {
            throw CapsuleError(.limit, "its target is longer than \(TreeEntry.maximumTargetLength) bytes", path: entry.path)
        }
        guard !entry.target.isEmpty, !entry.target.contains(0) else {
            throw refused("its target is empty or has a NUL byte", entry)
        }
    }

    private mutating func count(_ entry: ForeignEntry) throws(CapsuleError) {
        guard UInt64(places.count) < CapsuleLimits.entries else {
            throw CapsuleError(.limit, "exceeds the \(CapsuleLimits.entries) entries that a capsule can hold", path: entry.path)
        }
        let (sum, overflow) = apparentSize.addingReportingOverflow(entry.size)
        apparentSize = sum
        guard !overflow, sum <= apparentLimit else {
            throw CapsuleError(.limit, "the files' sizes add up to more than \(apparentLimit >> 30) GiB", path: entry.path)
        }
        length += entry.name.count + entry.target.count
        length += entry.attributes.attributes.reduce(0) { $0 + $1.name.count + $1.value.count }
        length += entry.attributes.tooLong.reduce(0) { $0 + $1.count }
        guard length <= ForeignLimits.listingLength else {
            throw CapsuleError(
                .limit, "names and attributes add up to more than \(ForeignLimits.listingLength >> 20) MiB",
                path: entry.path)
        }
    }

    private func refused(_ message: String, _ entry: ForeignEntry) -> CapsuleError {
        CapsuleError(.refused, message, path: entry.path)
    }

    private mutating func claim(_ path: RelativePath, _ entry: ForeignEntry) throws(CapsuleError) {
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

    private mutating func makeParents(of path: RelativePath, _ entry: ForeignEntry) throws(CapsuleError) {
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
            var implied = TreeEntry(path: parent, kind: .directory, mode: FileMode(0o755), modified: entry.modified)
            implied.unknown = .mode
            append(implied, -1, isImplied: true)
        }
        if top == nil {
            top = TreeEntry(path: .root, kind: .directory, mode: FileMode(0o755), modified: entry.modified)
        }
    }

    private mutating func append(_ entry: TreeEntry, _ file: Int, isImplied: Bool = false) {
        places[entry.path] = isImplied ? .implied(entries.count) : .entry(entries.count)
        entries.append(entry)
        files.append(file)
    }

    private mutating func addPlain(_ plain: TreeEntry, _ file: Int, _ entry: ForeignEntry) throws(CapsuleError) {
        try claim(plain.path, entry)
        var plain = plain
        plain.attributes = entry.attributes.attributes
        if !entry.hasMode { plain.unknown = .mode }
        recordLongAttributes(plain.path, entry)
        append(plain, file)
    }

    private func directory(_ path: RelativePath, _ entry: ForeignEntry) -> TreeEntry {
        var directory = TreeEntry(
            path: path, kind: .directory, mode: entry.mode, modified: entry.modified, attributes: entry.attributes.attributes)
        if !entry.hasMode { directory.unknown = .mode }
        return directory
    }

    /// Adds a directory. If it occurs again, the last entry is used, as in other archivers.
    private mutating func addDirectory(_ path: RelativePath, _ entry: ForeignEntry) throws(CapsuleError) {
        switch places[path] {
        case .implied(let number):
            entries[number] = directory(path, entry)
            places[path] = .entry(number)
        case .entry(let number) where entries[number].kind == .directory:
            entries[number] = directory(path, entry)
        default:
            try claim(path, entry)
            append(directory(path, entry), -1)
        }
        recordLongAttributes(path, entry)
    }

    /// Adds a hard link as a separate entry: a copy of the file, or of the symbolic link, that it names.
    private mutating func addHardLink(_ path: RelativePath, _ entry: ForeignEntry) throws(CapsuleError) {
        var named = entry
        named.name = entry.target
        let target: RelativePath
        do throws(CapsuleError) {
            target = try self.path(named: entry.target, of: named)
        } catch {
            throw refused("is a hard link to '\(String(decoding: entry.target, as: UTF8.self))': \(error.message)", entry)
        }
        guard case .entry(let number)? = places[target], entries[number].kind != .directory else {
            throw refused("is a hard link to '\(target)', which is not an earlier file", entry)
        }
        var copy = entries[number]
        // The entry of a hard link doesn't include the size of its file, so it was not counted yet.
        let (sum, overflow) = apparentSize.addingReportingOverflow(copy.size)
        apparentSize = sum
        guard !overflow, sum <= apparentLimit else {
            throw CapsuleError(.limit, "the files' sizes add up to more than \(apparentLimit >> 30) GiB", path: entry.path)
        }
        length += copy.attributes.reduce(0) { $0 + $1.name.count + $1.value.count } + copy.target.count
        copy.path = path
        try claim(path, entry)
        if files[number] >= 0 {
            if sharedFiles.insert(files[number]).inserted { hardLinks.append((number, files[number])) }
            hardLinks.append((entries.count, files[number]))
        }
        append(copy, files[number])
    }

    private mutating func recordLongAttributes(_ path: RelativePath, _ entry: ForeignEntry) {
        for name in entry.attributes.tooLong { longAttributes.append((path, name)) }
    }
}

/// An entry as the archive describes it. Only the form of its numbers was checked.
struct ForeignEntry {
    enum Kind: Equatable {
        case directory, file, link
        /// Another name of the file at ``ForeignEntry/target``.
        case hardLink
        /// A kind that a tree can't hold.
        case special(FileStatus.Kind)
    }

    var name: [UInt8]
    var kind: Kind
    var mode: FileMode
    /// True if the archive stores a mode for the entry. Otherwise ``mode`` is a default.
    var hasMode = true
    var modified: Timestamp
    var size: UInt64 = 0
    var target: [UInt8] = []
    var attributes = ExtendedAttributes.Reading()
    var path: HostPath { HostPath(name) }
}

/// The kind of an entry according to the upper bits of its Unix mode (inode(7)).
enum FileTypeBits: Equatable {
    case directory, file, link
    case special(FileStatus.Kind)
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
