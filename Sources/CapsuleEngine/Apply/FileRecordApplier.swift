import CapsuleContainers
import CapsuleCore
import CapsuleOverlay
import CapsuleSystem

/// Applies the records of an overlay to a container in memory.
struct FileRecordApplier {
    let package: OverlayPackage
    let options: OverlayApplication
    private let jobs: Int
    var edits: ContainerEdits
    /// The paths that are as their records want them.
    var settled: Set<RelativePath> = []
    /// The app groups in records that the container does not have.
    private(set) var missingGroups: Set<[UInt8]> = []
    /// The places that are in neither the old nor the new state, with the differences.
    var drifts: [CapsuleError] = []
    /// The conflicts: changes that both the overlay and the target made to the same place.
    var conflicts: [CapsuleError] = []
    /// True if a merge needs a content that the overlay does not carry.
    private(set) var lacksContents = false
    /// True if `--force` would help with all places.
    var isForceable = true
    /// True if `--force` would fail because the content of a file is neither in the overlay nor in the target.
    var lacksForcedContents = false
    var places: [RelativePath: EntryPath] = [:]

    init(_ package: OverlayPackage, to container: OpenedContainer, _ options: OverlayApplication, jobs: Int) {
        self.package = package
        self.options = options
        self.jobs = jobs
        edits = ContainerEdits(container)
    }

    /// Applies the records to ``edits``. The places where the target drifted are in ``drifts``, and those that can't be merged
    /// are in ``conflicts``. If there are any, nothing may be written.
    mutating func run() throws(CapsuleError) {
        let records = find()
        try completeDigests(of: records)
        var changed: [FileRecord] = []
        let operated = operatedPlaces()
        for record in records {
            guard let place = places[record.path] else { continue }
            let applicability = applicability(of: record, at: place)
            var merging = Merging.impossible
            if applicability == .drifted, options.merges { merging = try merge(record, at: place, &changed) }
            if merging == .done { continue }
            switch applicability {
            case .new:
                recordSatisfied(record)
            case .old:
                changed.append(record)
            case .drifted where !options.forces && operated.contains(place) && isOperable(record, at: place):
                applyMetadata(of: record, at: place)
            case .drifted:
                if merging == .uncarried { lacksContents = true }
                if options.forces {
                    changed.append(record)
                } else {
                    drifts.append(drift(of: record, at: place))
                    if !canWrite(record, at: place) { lacksForcedContents = true }
                }
            }
        }
        for record in changed { try settle(record) }
        for record in changed { try removeStaleCompanions(of: record) }
        try checkShape(changed)
    }

    var isRefused: Bool { !drifts.isEmpty || !conflicts.isEmpty }

    /// Notes that a path is as its record wants it. A file whose content is not in the record stays unsettled, because the
    /// operations decide its content.
    mutating func recordSatisfied(_ record: FileRecord) {
        if record.new?.kind != .file || record.new?.content != nil { settled.insert(record.path) }
    }

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
            guard let place = places[record.path], let number = edits.base.entries.index(at: place) else {
                continue
            }
            wanted.append(number)
        }
        try EntryDigester(jobs: jobs).completeAll(&edits.base, at: wanted)
    }

    private func applicability(of record: FileRecord, at place: EntryPath) -> FileRecord.Applicability {
        let applicability = record.applicability(of: edits[place]?.entry)
        // A `-shm` file has no content of the database, and changes even when SQLite only reads.
        return applicability == .drifted && DatabaseUnit.isSharedMemory(record.path) ? .old : applicability
    }

    /// Returns the places of property lists for which the overlay has operations that will be tried. Operations may apply where
    /// the bytes differ.
    private func operatedPlaces() -> Set<EntryPath> {
        var places: Set<EntryPath> = []
        for target in package.overlay.targets where options.context.unmetCondition(target.conditions) == nil {
            guard let name = target.path, let path = try? RelativePath(validating: Array(name.utf8)) else { continue }
            switch target.root {
            case .appData:
                places.insert(EntryPath(root: .tree, path: path))
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

    /// Returns true if operations may change a property list whose bytes differ: its mode and attributes are those of the old or
    /// the new state.
    private func isOperable(_ record: FileRecord, at place: EntryPath) -> Bool {
        guard let old = record.old, let new = record.new, old.kind == .file, new.kind == .file, let entry = edits[place]?.entry,
            entry.kind == .file
        else { return false }
        return [old, new].contains { state in
            var facts = state
            facts.content = nil
            return facts.isMet(by: entry)
        }
    }

    /// Gives a property list that operations will change the mode and the attributes of its record.
    private mutating func applyMetadata(of record: FileRecord, at place: EntryPath) {
        guard let new = record.new, var item = edits[place] else { return }
        let before = item.entry
        if let mode = new.mode { item.entry.mode = mode }
        if let attributes = new.attributes { item.entry.attributes = attributes }
        if item.entry != before { edits[place] = item }
    }
}

extension OpenedContainer {
    /// Returns the place of a record's path in the container; nil if the container does not have its app group.
    func place(ofRecord path: RelativePath) -> EntryPath? {
        guard layout == .container, path.bytes.starts(with: ContainerNames.appGroups) else {
            return EntryPath(root: .tree, path: path)
        }
        let components = path.components
        guard components[0].elementsEqual(ContainerNames.appGroups) else {
            return EntryPath(root: .tree, path: path)
        }
        guard components.count > 2, let number = groups.firstIndex(where: { $0.elementsEqual(components[1]) }),
            let root = TreeRoot.group(number)
        else { return nil }
        return EntryPath(root: root, path: path)
    }

    /// Returns true if a path is the directory of a root itself, which is not an entry of the root.
    func isTop(_ path: RelativePath, in root: TreeRoot) -> Bool {
        root.groupNumber == nil ? path.isRoot : path.components.count <= 2
    }
}

extension FileRecordApplier {
    mutating func settle(_ record: FileRecord) throws(CapsuleError) {
        guard let place = places[record.path] else { return }
        recordSatisfied(record)
        guard let new = record.new else {
            edits[place] = nil
            return
        }
        let present = edits[place]
        if isUnmakeable(record, from: present) {
            edits[place] = nil
            return
        }
        if present?.entry.kind == .identity {
            throw CapsuleError("identifies the container and is never changed", path: HostPath(record.path.bytes))
        }
        let same = present?.entry.kind == new.kind ? present : nil
        var entry = TreeEntry(
            path: place.path, root: place.root, kind: new.kind, mode: new.mode ?? same?.entry.mode ?? Self.mode(of: new.kind),
            modified: options.moment, target: new.target, attributes: new.attributes ?? same?.entry.attributes ?? [])
        var origin = EntryContents.Origin.bytes([])
        if new.kind == .file {
            (origin, entry.size, entry.digest) = try content(of: new, record, same)
        } else if let same {
            origin = same.origin
        }
        let isKept = same != nil && entry.digest == same?.entry.digest && entry.target == same?.entry.target
        entry.modified = isKept ? same?.entry.modified ?? options.moment : new.modified ?? options.moment
        edits[place] = ContainerEdits.Item(entry: entry, origin: origin)
    }

    /// Returns true if the record is for a `-shm` file of which the overlay carries only the changed parts, and the target has
    /// another one. SQLite creates the file again.
    private func isUnmakeable(_ record: FileRecord, from present: ContainerEdits.Item?) -> Bool {
        guard DatabaseUnit.isSharedMemory(record.path), let content = record.new?.content, content.recipe != nil else {
            return false
        }
        return present?.entry.kind != .file
            || (present?.entry.digest != record.old?.content?.digest && present?.entry.digest != content.digest)
    }

    private static func mode(of kind: EntryKind) -> FileMode {
        switch kind {
        case .directory: FileMode(0o755)
        case .file, .identity: FileMode(0o644)
        case .link: .link
        }
    }

    private func content(
        of new: FileState, _ record: FileRecord, _ present: ContainerEdits.Item?
    ) throws(CapsuleError) -> (EntryContents.Origin, size: UInt64, ContentDigest) {
        guard let content = new.content else {
            guard let present else { throw Self.notCarried(record) }
            return (present.origin, present.entry.size, present.entry.digest)
        }
        if let present, present.entry.digest == content.digest, present.entry.size == content.size {
            return (present.origin, content.size, content.digest)
        }
        if content.size == 0 { return (.bytes([]), 0, content.digest) }
        var other: SideEntry?
        if content.recipe != nil {
            // The ranges that are not carried must come from the file that the recipe was made for. Not even `--force` can
            // replace them.
            guard let present, let old = record.old?.content, present.entry.digest == old.digest,
                present.entry.size == old.size
            else {
                throw CapsuleError(
                    "is not the file the overlay was made for, and the overlay stores only its changed blocks",
                    path: HostPath(record.path.bytes),
                    hint:
                        "'--force' can't help: make the overlay with 'capsule diff --carry-whole' to store the complete file"
                )
            }
            let base = edits.base
            other = SideEntry(entry: present.entry) { () throws(CapsuleError) in try present.open(in: base) }
        }
        let contents = package.contents
        guard content.isCarried(in: contents) else { throw Self.notCarried(record) }
        let open = { @Sendable [other] () throws(CapsuleError) -> any OpenContent in
            guard let opened = try content.open(in: contents, from: other) else { throw Self.notCarried(record) }
            return opened
        }
        return (.opened(open), content.size, content.digest)
    }

    private func canWrite(_ record: FileRecord, at place: EntryPath) -> Bool {
        guard let new = record.new, new.kind == .file else { return true }
        return (try? content(of: new, record, edits[place])) != nil
    }

    private static func notCarried(_ record: FileRecord) -> CapsuleError {
        CapsuleError(
            "the overlay does not contain the file's content", path: HostPath(record.path.bytes),
            hint: "an overlay made with '--by-value' or '--one-way' can't be undone, and fits only where its values match")
    }

    /// Removes or reports companions of a database that the overlay does not know. SQLite would take the log of another database
    /// for that of the database written here.
    mutating func removeStaleCompanions(of record: FileRecord) throws(CapsuleError) {
        guard !record.isGuard, record.old?.kind == .file || record.new?.kind == .file, let place = places[record.path] else {
            return
        }
        for suffix in DatabaseUnit.companionSuffixes {
            guard let path = try? (place.path.parent ?? .root).appending(Array(place.path.name) + suffix) else { continue }
            let companion = EntryPath(root: place.root, path: path)
            guard places[path] == nil, edits[companion]?.entry.kind == .file, try isDatabase(place, record) else { continue }
            if options.forces || suffix == DatabaseUnit.sharedMemorySuffix {
                edits[companion] = nil
            } else {
                drifts.append(
                    CapsuleError(
                        "belongs to the database \(record.path), but did not exist when the overlay was made",
                        path: HostPath(path.bytes))
                )
            }
        }
    }

    private func isDatabase(_ place: EntryPath, _ record: FileRecord) throws(CapsuleError) -> Bool {
        let base = edits.base
        var items: [ContainerEdits.Item] = []
        if let now = edits[place] { items.append(now) }
        if let number = base.entries.index(at: place) {
            items.append(ContainerEdits.Item(entry: base.entries[number], origin: .own(number)))
        }
        for item in items where item.entry.kind == .file && item.entry.size >= UInt64(DatabaseUnit.magic.count) {
            if try item.open(in: base).isDatabase { return true }
        }
        return false
    }

    /// Checks directories: a new entry needs one around it, and one that is deleted or replaced must contain nothing else.
    mutating func checkShape(_ changed: [FileRecord]) throws(CapsuleError) {
        var gone: Set<EntryPath> = []
        for record in changed {
            guard let place = places[record.path] else { continue }
            if record.new?.kind != .directory { gone.insert(place) }
            guard record.new != nil, let parent = place.path.parent, !edits.base.isTop(parent, in: place.root) else { continue }
            if edits[EntryPath(root: place.root, path: parent)]?.entry.kind != .directory {
                isForceable = false
                drifts.append(CapsuleError("its directory does not exist", path: HostPath(record.path.bytes)))
            }
        }
        if gone.isEmpty { return }
        for entry in edits.finished().entries where places[entry.path] == nil {
            refuse(entry.place, whereParentsGo: gone)
        }
        // A directory may also contain entries that a container can't hold, such as a pipe.
        for omission in edits.base.omitted {
            guard let path = try? RelativePath(validating: omission.path), let place = edits.base.place(ofRecord: path),
                edits.base.entries.index(at: place) == nil
            else { continue }
            refuse(place, whereParentsGo: gone)
        }
    }

    mutating func refuse(_ place: EntryPath, whereParentsGo gone: Set<EntryPath>) {
        guard let parent = place.path.parent, gone.contains(EntryPath(root: place.root, path: parent)) else {
            return
        }
        isForceable = false
        drifts.append(
            CapsuleError(
                "is in a directory that the overlay deletes, but is not in the overlay", path: HostPath(place.path.bytes)))
    }
}
