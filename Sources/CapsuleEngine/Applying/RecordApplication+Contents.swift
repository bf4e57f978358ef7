import CapsuleCore
import CapsuleFileSystem

extension RecordApplication {
    /// Gives a path what the record wants there.
    mutating func settle(_ record: FileRecord) throws(CapsuleError) {
        guard let place = places[record.path] else { return }
        noteSettled(record)
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

    /// Whether it is the index of a log, of which the overlay carries only what changed in another one: SQLite makes it anew.
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
    ) throws(CapsuleError) -> (OverlaidContent.Source, size: UInt64, ContentDigest) {
        guard let content = new.content else {
            guard let present else { throw Self.notCarried(record) }
            return (present.source, present.entry.size, present.entry.digest)
        }
        if let present, present.entry.digest == content.digest, present.entry.size == content.size {
            return (present.source, content.size, content.digest)
        }
        if content.size == 0 { return (.madeUp([]), 0, content.digest) }
        var other: SideEntry?
        if content.recipe != nil {
            // The stretches that are not carried must be those that the recipe was made for: no force makes up for them.
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

    private static func notCarried(_ record: FileRecord) -> CapsuleError {
        CapsuleError(
            "the overlay does not contain the file's content", path: HostPath(record.path.bytes),
            hint: "an overlay made with '--by-value' or '--one-way' can't be undone, and fits only where its values match")
    }
}
