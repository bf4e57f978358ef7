import CapsuleCore
import CapsuleFileSystem

extension RecordApplication {
    /// A database that is written must not find another one's log beside it: SQLite would take it for its own.
    mutating func removeStaleCompanions(of record: FileRecord) throws(CapsuleError) {
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
                        "belongs to the database \(record.path), but did not exist when the overlay was made",
                        path: HostPath(path.bytes))
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
    mutating func checkShape(_ changed: [FileRecord]) throws(CapsuleError) {
        var gone: Set<ContainerEdits.Place> = []
        for record in changed {
            guard let place = places[record.path] else { continue }
            if record.new?.kind != .directory { gone.insert(place) }
            guard record.new != nil, let parent = place.path.parent, !edits.base.isTop(parent, in: place.root) else { continue }
            if edits[ContainerEdits.Place(root: place.root, path: parent)]?.entry.kind != .directory {
                isForceable = false
                drifts.append(CapsuleError("its directory does not exist", path: HostPath(record.path.bytes)))
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

    mutating func refuse(_ place: ContainerEdits.Place, whereParentsGo gone: Set<ContainerEdits.Place>) {
        guard let parent = place.path.parent, gone.contains(ContainerEdits.Place(root: place.root, path: parent)) else { return }
        isForceable = false
        drifts.append(
            CapsuleError(
                "is in a directory that the overlay deletes, but is not in the overlay", path: HostPath(place.path.bytes)))
    }
}
