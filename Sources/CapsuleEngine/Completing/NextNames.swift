import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// Collects the paths that go on from what was typed, as far as the next slash.
struct NextNames {
    private let typed: [UInt8]
    /// In the order in which they were found, each once.
    private(set) var found: [[UInt8]] = []
    private var known: Set<[UInt8]> = []

    private static let slash = UInt8(ascii: "/")

    init(_ typed: [UInt8]) {
        self.typed = typed
    }

    /// Notes a path, or the directory on the way to it.
    private mutating func add(_ path: UnsafeRawBufferPointer, isDirectory: Bool) {
        guard !path.isEmpty, path.starts(with: typed), found.count < CompletionNames.limit else { return }
        var name = Array(path)
        if let end = path[typed.count...].firstIndex(of: Self.slash) {
            name = Array(path[...end])
        } else if isDirectory {
            name.append(Self.slash)
        }
        // Entries of one directory follow each other.
        if found.last != name, known.insert(name).inserted { found.append(name) }
    }

    private mutating func add(_ path: [UInt8], isDirectory: Bool) {
        path.withUnsafeBytes { add($0, isDirectory: isDirectory) }
    }

    // MARK: Capsules

    /// Reads the blocks of the index that may have what was typed.
    mutating func addEntries(of capsule: CapsuleReader, _ selector: VersionSelector) throws {
        let (root, _) = try StoredVersion.index(of: capsule, selector)
        for (number, block) in root.blocks.enumerated() {
            if found.count >= CompletionNames.limit { return }
            if number + 1 < root.blocks.count, isBeside(block, before: root.blocks[number + 1]) { continue }
            try capsule.forEachPath(in: block) { part, kind, path in
                if part != .wrapper, part != .carried { add(path, isDirectory: kind == .directory) }
            }
        }
    }

    /// Whether all paths of a block come before what was typed, or after all that begins with it. A block with several roots has
    /// its paths in no order.
    private func isBeside(_ block: IndexRoot.Block, before next: IndexRoot.Block) -> Bool {
        guard block.firstRoot == next.firstRoot else { return false }
        let (first, end) = (block.firstPath.bytes, next.firstPath.bytes)
        let isBefore = end.lexicographicallyPrecedes(typed)
        let isAfter = typed.lexicographicallyPrecedes(first) && !first.starts(with: typed)
        return isBefore || isAfter
    }

    // MARK: Directories

    /// Lists the one directory of a live container in which the typed path ends.
    mutating func addEntries(of path: HostPath) throws {
        let top = try RootDirectory(path)
        let (directories, files) = try top.names()
        let name = ((try? RealPath.resolve(path)) ?? path).name
        let shape = ContainerShape.judge(name: name, directories: directories, files: files).0
        var tree = top
        switch shape {
        case .bundle:
            if typed.starts(with: ContainerShape.appGroups + [Self.slash]) { return try addEntries(below: top) }
            if directories.contains(ContainerShape.appGroups) { add(ContainerShape.appGroups, isDirectory: true) }
            tree = try top.subdirectory(try RelativePath.root.appending(ContainerShape.appData))
        case .macContainer:
            tree = try top.subdirectory(try RelativePath.root.appending(ContainerShape.macData))
        case .container, .directory:
            break
        }
        try addEntries(below: tree)
    }

    private mutating func addEntries(below top: RootDirectory) throws {
        let above = typed.lastIndex(of: Self.slash).map { Array(typed[..<$0]) } ?? []
        let directory = above.isEmpty ? top : try top.subdirectory(try RelativePath(validating: above))
        let prefix = above.isEmpty ? [] : above + [Self.slash]
        guard typed.starts(with: prefix) else { return }
        let listing = try DirectoryListing(of: try directory.openDirectory(.root), path: directory.path)
        for item in listing.items {
            let name = listing.name(of: item)
            if above.isEmpty, name == ContainerNames.transaction || name == ContainerNames.identity { continue }
            switch item.kind {
            case .directory: add(prefix + name, isDirectory: true)
            case .file, .link: add(prefix + name, isDirectory: false)
            case .socket, .pipe, .device: break
            }
        }
        found.sort { $0.lexicographicallyPrecedes($1) }
    }
}
