import CapsuleCore
import CapsuleSystem

/// A single file with what belongs to it, opened as if it were a container: a database has its logs and external blobs beside it.
struct LooseFile {
    private let file: HostPath

    /// - Parameter file: a file of this machine, or `CONTAINER:PATH`.
    init(_ file: HostPath) {
        self.file = file
    }

    /// The file's own name, without directories.
    var name: [UInt8] { ContainedName(file.bytes)?.name ?? file.name }

    /// The file under another name: two files that are compared have one name.
    ///
    /// - Parameter remarks: takes what is odd about its container.
    /// - Throws: for what does not exist, and for what is no file.
    func open(as shown: [UInt8], jobs: Int, remarks: Remarks) throws(CapsuleError) -> OpenedContainer {
        let shown = try ContainerPlacement.component(shown)
        if let name = ContainedName(file.bytes) {
            return try opened(name, in: Container(name.container) { remarks.add($0) }, jobs: jobs, as: shown)
        }
        let found = try CapsuleError.wrapping { () throws(FileSystemError) in try RealPath.resolve(file) }
        guard let real = found else { throw CapsuleError("does not exist", path: file) }
        let directory = try CapsuleError.wrapping { () throws(FileSystemError) in try RootDirectory(real.directory) }
        let name = try ContainerPlacement.component(real.name)
        let members = UnitNames(of: name, as: shown)
        let walk = try TreeWalk(
            directory, jobs: jobs, skipUnreadable: true, isTop: { _ in false }, isExcluded: { members.shown($0) == nil })
        var content = LiveTreeContent()
        content.add(.tree, directory)
        let beside = OpenedContainer(
            name: shown.bytes, layout: .directory, source: SourceDescription(kind: .directory), groups: [],
            entries: walk.entries.sorted(by: TreeEntry.isOrdered), isDigested: false, content: content, omitted: [],
            wantedOmissions: 0, evidence: [])
        guard let number = beside.entries.place(of: name, in: .tree), beside.entries[number].kind == .file else {
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
    /// One file with what belongs to it, as a container of its own in which the file has another name.
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
        unit.content = RelistedContent(
            SelectedContent(piecewiseContent, numbers: order.map(UInt32.init)), entries: order.map { entries[$0] })
        unit.name = shown.bytes
        unit.layout = .directory
        unit.source = SourceDescription(kind: .directory)
        unit.groups = []
        unit.omitted = []
        unit.wantedOmissions = 0
        unit.earlierOmissions = 0
        unit.overlays = []
        unit.statCache = nil
        unit.withoutModes = Set(unit.entries.indices)
        unit.hasAttributes = false
        return unit
    }
}

/// The names of a file and of what may belong to it, its own and those that it is shown under.
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

    /// What a path is shown as; nil for one that does not belong to the file.
    func shown(_ path: RelativePath) -> RelativePath? {
        for place in places where path == place.own || path.bytes.starts(with: place.own.bytes + [UInt8(ascii: "/")]) {
            return try? RelativePath(validating: place.shown.bytes + path.bytes.dropFirst(place.own.bytes.count))
        }
        return nil
    }
}
