import CapsuleContainers
import CapsuleCore
import CapsuleSystem

/// A single file that is opened like a container, together with the files that belong to it: the logs and external blobs of a
/// database.
package struct LooseFile {
    private let file: HostPath

    /// - Parameter file: a file of this machine, or `CONTAINER:PATH`.
    init(_ file: HostPath) {
        self.file = file
    }

    /// Returns true if two files seem to be string catalogs, which are compared by string, and not only by key.
    package static func areStringCatalogs(_ old: [UInt8], _ new: [UInt8]) -> Bool {
        [old, new].allSatisfy { InputKind.head(of: $0).map(StringCatalogContents().isLikely) ?? false }
    }

    var name: [UInt8] { ContainedName(file.bytes)?.name ?? file.name }

    /// Opens the file under another name, so that two compared files have the same name.
    func open(as shown: [UInt8], jobs: Int, remarks: WarningLog) throws(CapsuleError) -> OpenedContainer {
        let shown = try ContainerPlacement.component(shown)
        if let name = ContainedName(file.bytes) {
            return try opened(name, in: Container(name.container) { remarks.add($0) }, jobs: jobs, as: shown)
        }
        let found = try RealPath.resolve(file)
        guard let real = found else { throw CapsuleError("does not exist", path: file) }
        let directory = try RootDirectory(real.directory)
        let name = try ContainerPlacement.component(real.name)
        let members = UnitNames(of: name, as: shown)
        let walk = try TreeWalk(
            directory, jobs: jobs, skipUnreadable: true, isTop: { _ in false }, isExcluded: { members.shown($0) == nil })
        var content = LiveTreeContent()
        content.add(.tree, directory)
        let beside = OpenedContainer(
            name: shown.bytes, layout: .directory, source: SourceDescription(kind: .directory), groups: [],
            entries: walk.entries.sorted(by: TreeEntry.isOrdered), isDigested: false,
            contents: EntryContents(content, count: walk.entries.count), omitted: [],
            wantedOmissions: 0, evidence: [])
        guard let number = beside.entries.index(of: name, in: .tree), beside.entries[number].kind == .file else {
            throw CapsuleError("is not a file", path: file)
        }
        return beside.unit(of: number, as: shown)
    }

    private func opened(
        _ name: ContainedName, in container: Container, jobs: Int, as shown: RelativePath
    ) throws(CapsuleError) -> OpenedContainer {
        let opened = try container.openLeniently(jobs: jobs)
        let number = try FoundFile.number(of: name.path, in: opened)
        guard opened.entries[number].kind == .file else {
            throw CapsuleError(
                "is a \(opened.entries[number].kind.word), not a file", path: file,
                hint: "'capsule diff A B PATH' compares a part of two containers")
        }
        return opened.unit(of: number, as: shown)
    }
}

extension OpenedContainer {
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
