import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// A single file that is opened like a container, together with the files that belong to it: the logs and external blobs of a
/// database.
package struct LooseFile {
    let path: HostPath
    /// The content of standard input or of a pipe, which can be read only once; nil for a file.
    private let stream: CapsuleFile?

    /// - Parameter path: a file of this machine, `CONTAINER:PATH`, a pipe, or `-` for standard input.
    package init(_ path: HostPath) throws(CapsuleError) {
        self.path = path
        if path == .standardStream {
            stream = try StandardInput.spool(for: .propertyList)
        } else {
            stream = FileProbe.isPipe(path) ? try StandardInput.spool(pipe: path, for: .propertyList) : nil
        }
    }

    /// The file's name; nil for a stream.
    var name: [UInt8]? { stream == nil ? ContainedName(path.bytes)?.name ?? path.name : nil }

    /// Returns the property list in the file.
    func propertyList() throws(CapsuleError) -> PlistFile {
        guard let stream else { return try PlistFile(path) }
        return try PlistFile(spooled: stream, mode: path.inputMode)
    }

    /// Opens the file under another name, so that two compared files have the same name.
    package func open(as shown: [UInt8], jobs: Int, remarks: WarningLog = WarningLog()) throws(CapsuleError) -> OpenedContainer {
        let shown = try ContainerPlacement.component(shown)
        if let stream { return try Self.opened(stream, as: shown) }
        if let name = ContainedName(path.bytes) {
            return try opened(name, in: Container(name.container) { remarks.add($0) }, jobs: jobs, as: shown)
        }
        let found = try RealPath.resolve(path)
        guard let real = found else { throw CapsuleError(.notFound, "does not exist", path: path) }
        let directory = try RootDirectory(real.directory)
        let name = try ContainerPlacement.component(real.name)
        let members = UnitNames(of: name, as: shown)
        let walk = try TreeWalk(
            directory, jobs: jobs, skipUnreadable: true, isTop: { _ in false }, isExcluded: { members.shown($0) == nil })
        var content = LiveTreeContent()
        content.add(.tree, directory)
        let beside = OpenedContainer(
            loose: walk.entries.sorted(by: TreeEntry.isOrdered), named: shown, isDigested: false,
            EntryContents(content, count: walk.entries.count))
        guard let number = beside.entries.index(of: name, in: .tree), beside.entries[number].kind == .file else {
            throw CapsuleError("is not a file", path: path)
        }
        return beside.unit(of: number, as: shown)
    }

    private static func opened(_ stream: CapsuleFile, as shown: RelativePath) throws(CapsuleError) -> OpenedContainer {
        let bytes = try stream.read(at: 0, count: Int(stream.length))
        var entry = TreeEntry(path: shown, kind: .file, mode: FileMode(0o600), modified: .epoch)
        entry.size = stream.length
        entry.digest = SHA256Hasher.digest(of: bytes)
        entry.unknown = [.mode, .attributes]
        return OpenedContainer(loose: [entry], named: shown, isDigested: true, EntryContents(files: [bytes]))
    }

    private func opened(
        _ name: ContainedName, in container: Container, jobs: Int, as shown: RelativePath
    ) throws(CapsuleError) -> OpenedContainer {
        let opened = try container.openLeniently(jobs: jobs)
        let number = try FoundFile.number(of: name.path, in: opened)
        guard opened.entries[number].kind == .file else {
            throw CapsuleError(
                "is a \(opened.entries[number].kind.word), not a file", path: path,
                hint: "'capsule diff A B PATH' compares a part of two containers")
        }
        return opened.unit(of: number, as: shown)
    }
}

extension OpenedContainer {
    fileprivate init(loose entries: [TreeEntry], named name: RelativePath, isDigested: Bool, _ contents: EntryContents) {
        self.init(
            name: name.bytes, layout: .directory, source: SourceDescription(kind: .directory), groups: [], entries: entries,
            isDigested: isDigested, contents: contents, omitted: [], wantedOmissions: 0, evidence: [])
    }

    fileprivate func unit(of number: Int, as shown: RelativePath) -> OpenedContainer {
        let file = entries[number]
        let names = UnitNames(of: file.path, as: shown)
        var unit = self
        var numbers: [RelativePath: Int] = [:]
        unit.entries = []
        for (number, entry) in entries.enumerated() where entry.root == file.root {
            guard let path = names.shown(entry.path) else { continue }
            var renamed = entry
            renamed.path = path
            renamed.root = .tree
            unit.entries.append(renamed)
            numbers[path] = number
        }
        unit.entries.sort(by: TreeEntry.isOrdered)
        let order = unit.entries.compactMap { numbers[$0.path] }
        unit.contents.keepNames(of: entries)
        unit.contents.select(order)
        unit.name = shown.bytes
        unit.layout = .directory
        unit.source = SourceDescription(kind: .directory)
        unit.groups = []
        unit.omitted = []
        unit.wantedOmissions = 0
        unit.earlierOmissions = 0
        unit.overlays = []
        unit.statCache = nil
        for index in unit.entries.indices { unit.entries[index].unknown.formUnion([.mode, .attributes]) }
        return unit
    }
}

/// The names of a file and of what may belong to it, in the container and as they are shown.
private struct UnitNames {
    private var places: [(own: RelativePath, shown: RelativePath)]

    init(of name: RelativePath, as shown: RelativePath) {
        places = [(name, shown)]
        for suffix in DatabaseUnit.companionSuffixes {
            let paths = [name, shown].map { try? RelativePath(validating: $0.bytes + suffix) }
            if let own = paths[0], let shown = paths[1] { places.append((own, shown)) }
        }
        if let own = DatabaseUnit.support(of: name), let shown = DatabaseUnit.support(of: shown) { places.append((own, shown)) }
    }

    func shown(_ path: RelativePath) -> RelativePath? {
        for place in places where path == place.own || path.bytes.starts(with: place.own.bytes + [UInt8(ascii: "/")]) {
            return try? RelativePath(validating: place.shown.bytes + path.bytes.dropFirst(place.own.bytes.count))
        }
        return nil
    }
}
