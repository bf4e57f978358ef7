import CapsuleCore
import CapsuleFileSystem

/// Makes of a container, in memory, what the records of an overlay say.
struct RecordApplication {
    let package: OverlayPackage
    /// Whether what an overlay brings replaces what is there, whatever that is.
    let forces: Bool
    /// The time of what is made and has none in the overlay.
    let moment: Timestamp
    let jobs: Int

    private(set) var edits: ContainerEdits
    /// The paths that are as the records want them afterwards.
    private(set) var settled: Set<RelativePath> = []
    /// The app groups of records for which the container has no place.
    private(set) var missingGroups: Set<[UInt8]> = []
    /// Places that are neither as they were nor as they are to become, and why.
    private var drifts: [CapsuleError] = []
    private var places: [RelativePath: ContainerEdits.Place] = [:]

    init(_ package: OverlayPackage, to container: OpenedContainer, forces: Bool, moment: Timestamp, jobs: Int) {
        self.package = package
        self.forces = forces
        self.moment = moment
        self.jobs = jobs
        edits = ContainerEdits(container)
    }

    /// Changes ``edits``.
    ///
    /// - Throws: for a target that drifted where the overlay writes, with each place.
    mutating func run() throws(CapsuleError) {
        let records = find()
        try completeDigests(of: records)
        var changed: [FileRecord] = []
        // Property lists for which the overlay has operations, too: they may do where the bytes don't.
        let operated = Set(package.overlay.targets.compactMap { $0.path.map { Array($0.utf8) } })
        for record in records {
            guard let place = places[record.path] else { continue }
            switch standing(of: record, at: place) {
            case .new:
                settled.insert(record.path)
            case .old:
                changed.append(record)
            case .drifted where isOperable(record, at: place) && operated.contains(place.pathInRoot(of: edits.base)):
                continue
            case .drifted:
                if forces { changed.append(record) } else { drifts.append(drift(of: record, at: place)) }
            }
        }
        for record in changed { try settle(record) }
        for record in changed { try removeStaleCompanions(of: record) }
        try checkShape(changed)
        guard drifts.isEmpty else { throw refusal() }
    }

    /// The records of what the container has a place for.
    private mutating func find() -> [FileRecord] {
        var found: [FileRecord] = []
        for record in package.overlay.files {
            if let place = edits.base.place(ofRecord: record.path) {
                places[record.path] = place
                found.append(record)
            } else if let identifier = record.path.components.dropFirst().first {
                missingGroups.insert(Array(identifier))
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
        let failures = try SideDigester(jobs: jobs).complete(&edits.base, at: wanted)
        if let failure = failures.min(by: { $0.key < $1.key })?.value { throw failure }
    }

    private func standing(of record: FileRecord, at place: ContainerEdits.Place) -> FileRecord.Standing {
        let standing = record.standing(of: edits[place]?.entry)
        // It tells nothing of what a database holds, and changes with every glance at it.
        return standing == .drifted && DatabaseUnit.isSharedMemory(record.path) ? .old : standing
    }

    /// Whether a property list that has other bytes may be changed by operations.
    private func isOperable(_ record: FileRecord, at place: ContainerEdits.Place) -> Bool {
        record.old?.kind == .file && record.new?.kind == .file && edits[place]?.entry.kind == .file
    }

    private func drift(of record: FileRecord, at place: ContainerEdits.Place) -> CapsuleError {
        let reason =
            switch (record.old, edits[place]?.entry) {
            case (nil, let entry?) where record.new == nil: "is there, a \(entry.kind.word), and the overlay wants nothing there"
            case (nil, let entry?): "is there already, a \(entry.kind.word), and the overlay makes it"
            case (.some, nil): "is missing"
            case (let old?, let entry?) where old.kind != entry.kind:
                "is a \(entry.kind.word), and the overlay was made for a \(old.kind.word)"
            case (let old?, let entry?): old.difference(from: entry)
            case (nil, nil): "is missing"
            }
        return CapsuleError(reason, path: HostPath(record.path.bytes))
    }

    private func refusal() -> CapsuleError {
        var error = CapsuleError(
            drifts.count == 1
                ? "the target is not what the overlay was made for, and nothing was changed"
                : "the target is not what the overlay was made for, in \(drifts.count) places, and nothing was changed",
            hint: forces ? nil : "'--force' puts the overlay's files in place all the same")
        error.details = drifts.map { "\($0.path ?? HostPath([])): \($0.message)" }
        return error
    }

    // MARK: Changes

    private mutating func settle(_ record: FileRecord) throws(CapsuleError) {
        guard let place = places[record.path] else { return }
        settled.insert(record.path)
        guard let new = record.new else {
            edits[place] = nil
            return
        }
        let present = edits[place]
        if present?.entry.kind == .identity {
            throw CapsuleError("says whose the container is, and is never changed", path: HostPath(record.path.bytes))
        }
        let same = present?.entry.kind == new.kind ? present : nil
        var entry = TreeEntry(
            path: place.path, root: place.root, kind: new.kind, mode: new.mode ?? same?.entry.mode ?? Self.mode(of: new.kind),
            modified: moment, target: new.target, attributes: new.attributes ?? same?.entry.attributes ?? [])
        var source = OverlaidContent.Source.madeUp([])
        if new.kind == .file {
            (source, entry.size, entry.digest) = try content(of: new, record, same)
        } else if let same {
            source = same.source
        }
        let isKept = same != nil && entry.digest == same?.entry.digest && entry.target == same?.entry.target
        entry.modified = isKept ? same?.entry.modified ?? moment : new.modified ?? moment
        edits[place] = ContainerEdits.Item(entry: entry, source: source)
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
    ) throws(CapsuleError) -> (OverlaidContent.Source, size: UInt64, ContentDigest) {
        guard let content = new.content else {
            guard let present else { throw Self.notCarried(record) }
            return (present.source, present.entry.size, present.entry.digest)
        }
        if let present, present.entry.digest == content.digest, present.entry.size == content.size {
            return (present.source, content.size, content.digest)
        }
        if content.size == 0 { return (.madeUp([]), 0, content.digest) }
        let contents = package.contents
        guard let recipe = content.recipe else {
            return (try Self.carried(content.digest, content.size, in: contents, record), content.size, content.digest)
        }
        // The stretches that are not carried must be those that the recipe was made for: no force makes up for them.
        guard let present, let old = record.old?.content, present.entry.digest == old.digest, present.entry.size == old.size
        else {
            throw CapsuleError(
                "is not what the overlay was made for, which carries only what changed in it", path: HostPath(record.path.bytes),
                hint: "'--force' can't help here: the rest of the file is missing")
        }
        guard let size = recipe.carriedSize else { throw Self.notCarried(record) }
        if size > 0 { _ = try Self.carried(recipe.carried, size, in: contents, record) }
        let base = edits.base
        return (
            .opened { () throws(CapsuleError) in
                let carried = size > 0 ? try contents?.open(recipe.carried, size: size) : nil
                return try RecipeContent(
                    recipe, size: content.size, of: present.open(in: base), otherSize: old.size, carried: carried)
            }, content.size, content.digest
        )
    }

    /// A content that the overlay carries.
    private static func carried(
        _ digest: ContentDigest, _ size: UInt64, in contents: (any CarriedContents)?, _ record: FileRecord
    ) throws(CapsuleError) -> OverlaidContent.Source {
        guard let contents, contents.has(digest, size: size) else { throw notCarried(record) }
        return .opened { () throws(CapsuleError) in
            guard let carried = try contents.open(digest, size: size) else { throw notCarried(record) }
            return carried
        }
    }

    private static func notCarried(_ record: FileRecord) -> CapsuleError {
        CapsuleError(
            "the overlay does not carry the bytes of the file", path: HostPath(record.path.bytes),
            hint: "an overlay made with '--by-value' or '--one-way' goes one way, and where values do")
    }

    // MARK: Units and shape

    /// A database that is written must not find another one's log beside it: SQLite would take it for its own.
    private mutating func removeStaleCompanions(of record: FileRecord) throws(CapsuleError) {
        guard !record.isGuard, record.old?.kind == .file || record.new?.kind == .file, let place = places[record.path] else {
            return
        }
        for suffix in DatabaseUnit.companionSuffixes {
            guard let path = try? (place.path.parent ?? .root).appending(Array(place.path.name) + suffix) else { continue }
            let companion = ContainerEdits.Place(root: place.root, path: path)
            guard places[path] == nil, edits[companion]?.entry.kind == .file, try isDatabase(place, record) else { continue }
            if forces || suffix == DatabaseUnit.sharedMemorySuffix {
                edits[companion] = nil
            } else {
                drifts.append(
                    CapsuleError(
                        "belongs to the database \(record.path), and the overlay was made without it", path: HostPath(path.bytes))
                )
            }
        }
    }

    private func isDatabase(_ place: ContainerEdits.Place, _ record: FileRecord) throws(CapsuleError) -> Bool {
        let base = edits.base
        var items: [ContainerEdits.Item] = []
        if let now = edits[place] { items.append(now) }
        if let number = base.entries.place(of: place.path, in: place.root) {
            items.append(ContainerEdits.Item(entry: base.entries[number], source: .own(number)))
        }
        for item in items where item.entry.kind == .file && item.entry.size >= UInt64(DatabaseUnit.magic.count) {
            if try item.open(in: base).isDatabase { return true }
        }
        return false
    }

    /// What is put somewhere needs a directory around it; what goes, or is no directory any more, must hold nothing else.
    private mutating func checkShape(_ changed: [FileRecord]) throws(CapsuleError) {
        var gone: Set<ContainerEdits.Place> = []
        for record in changed {
            guard let place = places[record.path] else { continue }
            if record.new?.kind != .directory { gone.insert(place) }
            guard record.new != nil, let parent = place.path.parent, !edits.base.isTop(parent, in: place.root) else { continue }
            if edits[ContainerEdits.Place(root: place.root, path: parent)]?.entry.kind != .directory {
                drifts.append(CapsuleError("there is no directory to put it in", path: HostPath(record.path.bytes)))
            }
        }
        if gone.isEmpty { return }
        for entry in edits.finished().entries where places[entry.path] == nil {
            refuse(ContainerEdits.Place(root: entry.root, path: entry.path), whereParentsGo: gone)
        }
        // What no container holds, such as a pipe, lies in the directory all the same.
        for omission in edits.base.omitted {
            guard let path = try? RelativePath(validating: omission.path), let place = edits.base.place(ofRecord: path),
                edits.base.entries.place(of: place.path, in: place.root) == nil
            else { continue }
            refuse(place, whereParentsGo: gone)
        }
    }

    private mutating func refuse(_ place: ContainerEdits.Place, whereParentsGo gone: Set<ContainerEdits.Place>) {
        guard let parent = place.path.parent, gone.contains(ContainerEdits.Place(root: place.root, path: parent)) else { return }
        drifts.append(
            CapsuleError("is in a directory that goes, and the overlay knows nothing of it", path: HostPath(place.path.bytes)))
    }
}

extension FileState {
    /// What of an entry of the same kind is not as this says, in words.
    fileprivate func difference(from entry: TreeEntry) -> String {
        if let content, entry.size != content.size || entry.digest != content.digest {
            return "has another content than the overlay was made for"
        }
        if entry.target != target { return "leads elsewhere than when the overlay was made" }
        if let mode, entry.mode != mode { return "has the mode \(entry.mode.octal), and the overlay was made for \(mode.octal)" }
        return "has other extended attributes than when the overlay was made"
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

extension ContainerEdits.Place {
    /// The path as an overlay's target says it; an app group's is below the group.
    fileprivate func pathInRoot(of container: OpenedContainer) -> [UInt8] {
        guard root.groupNumber != nil else { return path.bytes }
        return Array(path.components.dropFirst(2).joined(separator: [UInt8(ascii: "/")]))
    }
}
