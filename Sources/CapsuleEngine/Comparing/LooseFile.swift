import CapsuleCore
import CapsuleFileSystem

/// A single file with what belongs to it, opened as if it were a container: a database has its logs and external blobs beside it.
struct LooseFile {
    private let directory: RootDirectory
    private let name: RelativePath
    private let path: HostPath

    /// - Throws: for what does not exist.
    init(_ path: HostPath) throws(CapsuleError) {
        let found = try CapsuleError.wrapping { () throws(FileSystemError) in try RealPath.resolve(path) }
        guard let real = found else { throw CapsuleError("does not exist", path: path) }
        directory = try CapsuleError.wrapping { () throws(FileSystemError) in try RootDirectory(real.directory) }
        name = try ContainerPlacement.component(real.name)
        self.path = path
    }

    /// The file under another name: two files that are compared have one name.
    func open(as shown: [UInt8], jobs: Int) throws(CapsuleError) -> OpenedContainer {
        let shown = try ContainerPlacement.component(shown)
        let places = Self.places(of: name, as: shown)
        let isMember = { @Sendable (path: RelativePath) in places.contains { Self.isAtOrBelow(path, $0.own) } }
        let walk = try TreeWalk(
            directory, jobs: jobs, skipUnreadable: true, isTop: { _ in false }, isExcluded: { !isMember($0) })
        var content = LiveTreeContent()
        content.add(.tree, directory)
        var entries: [TreeEntry] = []
        var own: [RelativePath: RelativePath] = [:]
        for entry in walk.entries {
            var entry = entry
            let path = entry.path
            guard let place = places.first(where: { Self.isAtOrBelow(path, $0.own) }) else { continue }
            let rest = path.bytes.dropFirst(place.own.bytes.count)
            guard let renamed = try? RelativePath(validating: place.shown.bytes + rest) else { continue }
            entry.path = renamed
            own[renamed] = path
            entries.append(entry)
        }
        entries.sortStretches()
        guard entries.contains(where: { $0.path == shown && $0.kind == .file }) else {
            throw CapsuleError("is not a file", path: path)
        }
        return OpenedContainer(
            name: shown.bytes, layout: .directory, source: SourceDescription(kind: .directory), groups: [], entries: entries,
            isDigested: false, content: RenamedContent(content: content, own: own), omitted: [], wantedOmissions: 0, evidence: [],
            withoutModes: Set(entries.indices), hasAttributes: false)
    }

    private static func isAtOrBelow(_ path: RelativePath, _ top: RelativePath) -> Bool {
        path == top || path.bytes.starts(with: top.bytes + [UInt8(ascii: "/")])
    }

    /// The file and what may belong to it, by its own name and by another.
    private static func places(
        of name: RelativePath, as shown: RelativePath
    ) -> [(own: RelativePath, shown: RelativePath)] {
        var places = [(own: name, shown: shown)]
        for suffix in DatabaseUnit.companionSuffixes {
            let paths = [name, shown].map { try? RelativePath(validating: $0.bytes + suffix) }
            if let own = paths[0], let shown = paths[1] { places.append((own, shown)) }
        }
        if let own = DatabaseUnit.support(of: name), let shown = DatabaseUnit.support(of: shown) { places.append((own, shown)) }
        return places
    }
}

/// The content of a live directory whose entries go by other names.
private struct RenamedContent: ContentProvider {
    let content: LiveTreeContent
    /// Where each entry is.
    let own: [RelativePath: RelativePath]

    var isLive: Bool { true }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        var entry = entry
        entry.path = own[entry.path] ?? entry.path
        return try content.open(entry, number: number)
    }
}
