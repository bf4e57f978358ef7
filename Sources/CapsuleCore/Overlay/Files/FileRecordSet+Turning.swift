extension FileRecordSet {
    /// The records that turn one tree into another, without recipes: for each entry that differs, all that is known of it in both.
    ///
    /// Where a database or its log differs, records also say of the unit's other files that they are there, or are not; only of
    /// `-shm` not. What is not compared, and files whose content is not known, are the caller's to look at.
    ///
    /// - Parameters:
    ///   - old: the tree before.
    ///   - new: the tree afterwards.
    ///   - isDatabase: whether a file begins as a database does, by the tree and the place in it; asked for what
    ///     differs.
    /// - Throws: `invalid` for a path of which no overlay may speak.
    public init(
        turning old: TreeSide, into new: TreeSide, isDatabase: (_ isNew: Bool, _ place: Int) -> Bool = { _, _ in false }
    ) throws(OverlayError) {
        var options = TreeDiff.Options()
        options.renames = false
        let items = TreeDiff(old, new, options).items
        var records: [RelativePath: FileRecord] = [:]
        for item in items { Self.add(item.old, item.new, old, new, to: &records) }
        for item in items {
            guard let path = item.new.map({ new.entries[$0].path }) ?? item.old.map({ old.entries[$0].path }) else { continue }
            let database = DatabaseUnit.database(ofLog: path) ?? path
            let (oldPlace, newPlace) = (old.place(ofWhole: database), new.place(ofWhole: database))
            let isUnit =
                oldPlace.map { old.entries[$0].kind == .file && isDatabase(false, $0) } == true
                || newPlace.map { new.entries[$0].kind == .file && isDatabase(true, $0) } == true
            guard isUnit else { continue }
            for suffix in [[]] + DatabaseUnit.logSuffixes {
                guard let member = try? RelativePath(validating: database.bytes + suffix), records[member] == nil else {
                    continue
                }
                let (oldPlace, newPlace) = (old.place(ofWhole: member), new.place(ofWhole: member))
                if oldPlace == nil, newPlace == nil {
                    records[member] = FileRecord(path: member, old: nil, new: nil)
                } else {
                    Self.add(oldPlace, newPlace, old, new, to: &records)
                }
            }
        }
        try self.init(Array(records.values.sorted { $0.path < $1.path }))
    }

    private static func add(
        _ oldPlace: Int?, _ newPlace: Int?, _ old: TreeSide, _ new: TreeSide, to records: inout [RelativePath: FileRecord]
    ) {
        // What one side does not know is said of neither, unless there is only one.
        let hasMode =
            oldPlace.map { !old.withoutModes.contains($0) } ?? true && newPlace.map { !new.withoutModes.contains($0) } ?? true
        let hasAttributes = (oldPlace == nil || old.hasAttributes) && (newPlace == nil || new.hasAttributes)
        func state(_ place: Int?, _ side: TreeSide) -> FileState? {
            guard let place else { return nil }
            var state = FileState(side.entries[place])
            if !hasMode { state.mode = nil }
            if !hasAttributes { state.attributes = nil }
            if side.unread.contains(place) { state.content = nil }
            return state
        }
        guard let path = newPlace.map({ new.entries[$0].path }) ?? oldPlace.map({ old.entries[$0].path }) else { return }
        records[path] = FileRecord(path: path, old: state(oldPlace, old), new: state(newPlace, new))
    }
}

extension TreeSide {
    /// Where the entry with a path is, which says itself of which root it is.
    fileprivate func place(ofWhole path: RelativePath) -> Int? {
        let components = path.components
        if components.count > 2, components[0].elementsEqual(ContainerNames.appGroups),
            let number = groups.firstIndex(of: Array(components[1])), let root = TreeRoot.group(number),
            let place = entries.place(of: path, in: root)
        {
            return place
        }
        return entries.place(of: path, in: .tree)
    }
}

extension FileState {
    /// All that an entry is, except for its place: an identity counts as a file.
    public init(_ entry: TreeEntry) {
        self.init(
            kind: entry.kind == .identity ? .file : entry.kind, mode: entry.kind == .link ? nil : entry.mode,
            modified: entry.modified, attributes: entry.attributes, target: entry.target,
            content: entry.kind.hasContent ? Content(size: entry.size, digest: entry.digest) : nil)
    }
}
