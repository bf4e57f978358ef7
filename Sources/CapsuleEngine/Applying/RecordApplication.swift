import CapsuleCore
import CapsuleFileSystem

/// Makes of a container, in memory, what the records of an overlay say.
struct RecordApplication {
    let package: OverlayPackage
    /// Whether what an overlay brings replaces what is there, whatever that is.
    let forces: Bool
    /// Whether files that drifted are merged with what the overlay makes of them.
    let merges: Bool
    /// The time of what is made and has none in the overlay.
    let moment: Timestamp
    let jobs: Int

    /// The names that are set, and what the command line says.
    let context: OverlayContext

    var edits: ContainerEdits
    /// The paths that are as the records want them afterwards.
    var settled: Set<RelativePath> = []
    /// The app groups of records for which the container has no place.
    private(set) var missingGroups: Set<[UInt8]> = []
    /// Places that are neither as they were nor as they are to become, and why.
    var drifts: [CapsuleError] = []
    /// What both the overlay and the target changed, in words.
    var conflicts: [CapsuleError] = []
    /// Whether merging one of them needs what the overlay does not carry.
    private(set) var lacksContents = false
    /// Whether `--force` would help with all of them.
    var isForceable = true
    var places: [RelativePath: ContainerEdits.Place] = [:]

    init(_ package: OverlayPackage, to container: OpenedContainer, _ options: OverlaidTarget.Options) {
        self.package = package
        forces = options.forces
        merges = options.merges
        moment = options.moment
        jobs = options.jobs
        context = options.context
        edits = ContainerEdits(container)
    }

    /// Changes ``edits``.
    ///
    /// Where the target drifted, and what can't be merged, is in ``drifts`` and ``conflicts``: nothing may be written then.
    mutating func run() throws(CapsuleError) {
        let records = find()
        try completeDigests(of: records)
        var changed: [FileRecord] = []
        let operated = operatedPlaces()
        for record in records {
            guard let place = places[record.path] else { continue }
            let standing = standing(of: record, at: place)
            var merging = Merging.impossible
            if standing == .drifted, merges { merging = try merge(record, at: place, &changed) }
            if merging == .done { continue }
            switch standing {
            case .new:
                noteSettled(record)
            case .old:
                changed.append(record)
            case .drifted where !forces && operated.contains(place) && isOperable(record, at: place):
                settleFacts(of: record, at: place)
            case .drifted:
                if merging == .uncarried { lacksContents = true }
                if forces { changed.append(record) } else { drifts.append(drift(of: record, at: place)) }
            }
        }
        for record in changed { try settle(record) }
        for record in changed { try removeStaleCompanions(of: record) }
        try checkShape(changed)
    }

    /// Whether the target drifted where the overlay writes, or can't be merged with it.
    var isRefused: Bool { !drifts.isEmpty || !conflicts.isEmpty }

    /// Notes that a path is as its record wants it. What is in a file whose bytes the record does not tell is for operations to say.
    mutating func noteSettled(_ record: FileRecord) {
        if record.new?.kind != .file || record.new?.content != nil { settled.insert(record.path) }
    }

    /// The records of what the container has a place for.
    private mutating func find() -> [FileRecord] {
        var found: [FileRecord] = []
        for record in package.overlay.files {
            if let place = edits.base.place(ofRecord: record.path) {
                places[record.path] = place
                found.append(record)
            } else if record.path.components.count > 2 {
                missingGroups.insert(Array(record.path.components[1]))
            } else {
                isForceable = false
                drifts.append(
                    CapsuleError("is the directory of app groups, which no overlay can change", path: HostPath(record.path.bytes))
                )
            }
        }
        return found
    }

    private mutating func completeDigests(of records: [FileRecord]) throws(CapsuleError) {
        var wanted: [Int] = []
        for record in records where record.old?.kind == .file || record.new?.kind == .file {
            guard let place = places[record.path], let number = edits.base.entries.place(of: place.path, in: place.root) else {
                continue
            }
            wanted.append(number)
        }
        try SideDigester(jobs: jobs).completeAll(&edits.base, at: wanted)
    }

    private func standing(of record: FileRecord, at place: ContainerEdits.Place) -> FileRecord.Standing {
        let standing = record.standing(of: edits[place]?.entry)
        // It tells nothing of what a database holds, and changes with every glance at it.
        return standing == .drifted && DatabaseUnit.isSharedMemory(record.path) ? .old : standing
    }

    /// The property lists for which the overlay has operations that will be tried: these may do where the bytes don't.
    private func operatedPlaces() -> Set<ContainerEdits.Place> {
        var places: Set<ContainerEdits.Place> = []
        for target in package.overlay.targets where context.obstacle(target.conditions) == nil {
            guard let name = target.path, let path = try? RelativePath(validating: Array(name.utf8)) else { continue }
            switch target.root {
            case .appData:
                places.insert(ContainerEdits.Place(root: .tree, path: path))
            case .appGroup(let identifier):
                let bytes = ContainerNames.appGroups + Array("/\(identifier)".utf8)
                let whole = RelativePath(joining: bytes, path)
                if let place = edits.base.place(ofRecord: whole) { places.insert(place) }
            case .appBundle:
                break
            }
        }
        return places
    }

    /// Whether a property list that has other bytes may be changed by operations: its mode and attributes are those of before or
    /// of after.
    private func isOperable(_ record: FileRecord, at place: ContainerEdits.Place) -> Bool {
        guard let old = record.old, let new = record.new, old.kind == .file, new.kind == .file, let entry = edits[place]?.entry,
            entry.kind == .file
        else { return false }
        return [old, new].contains { state in
            var facts = state
            facts.content = nil
            return facts.isMet(by: entry)
        }
    }

    /// Gives a property list that operations will change the mode and the attributes that the record wants.
    private mutating func settleFacts(of record: FileRecord, at place: ContainerEdits.Place) {
        guard let new = record.new, var item = edits[place] else { return }
        let before = item.entry
        if let mode = new.mode { item.entry.mode = mode }
        if let attributes = new.attributes { item.entry.attributes = attributes }
        if item.entry != before { edits[place] = item }
    }
}

extension OpenedContainer {
    /// Where the container has the path of a record; nil for an app group that it does not have.
    func place(ofRecord path: RelativePath) -> ContainerEdits.Place? {
        guard layout == .container, path.bytes.starts(with: ContainerNames.appGroups) else {
            return ContainerEdits.Place(root: .tree, path: path)
        }
        let components = path.components
        guard components[0].elementsEqual(ContainerNames.appGroups) else {
            return ContainerEdits.Place(root: .tree, path: path)
        }
        guard components.count > 2, let number = groups.firstIndex(where: { $0.elementsEqual(components[1]) }),
            let root = TreeRoot.group(number)
        else { return nil }
        return ContainerEdits.Place(root: root, path: path)
    }

    /// Whether a path is the directory of a root itself, which is no entry of it.
    func isTop(_ path: RelativePath, in root: TreeRoot) -> Bool {
        root.groupNumber == nil ? path.isRoot : path.components.count <= 2
    }
}
