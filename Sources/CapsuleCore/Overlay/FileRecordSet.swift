import CapsulePropertyList

/// Records that go together: each path once, and what a path is to be leaves room for what is to be below it, before and after.
public struct FileRecordSet: Hashable, Sendable {
    /// As many entries as a version of a capsule has (docs/format.md, section 13).
    static let maximumCount = 10_000_000

    /// In the order of their paths' bytes.
    public let records: [FileRecord]

    /// Takes records in any order.
    ///
    /// - Throws: `invalid`, with the place as in a document, `/Files/NUMBER/…`: a record that is not sound by itself
    ///   (``FileRecord/check()``), a path that comes twice, one that is in what is no directory. `limit` for too many.
    public init(_ records: [FileRecord]) throws(OverlayError) {
        guard records.count <= Self.maximumCount else {
            throw OverlayError(
                .limit, "\(records.count) records are more than the limit of \(Self.maximumCount)", in: Self.place([]))
        }
        for (number, record) in records.enumerated() {
            do throws(OverlayError) {
                try record.check()
            } catch {
                var error = error
                error.source = Self.place([PlistString(String(number))] + (error.source?.steps ?? []))
                throw error
            }
        }
        try Self.checkNesting(of: records)
        self.records = records.sorted { $0.path < $1.path }
    }

    /// The record of a path; nil if there is none.
    public subscript(_ path: RelativePath) -> FileRecord? {
        var (low, high) = (0, records.count)
        while low < high {
            let middle = low + (high - low) / 2
            if records[middle].path < path { low = middle + 1 } else { high = middle }
        }
        return low < records.count && records[low].path == path ? records[low] : nil
    }

    private static func checkNesting(of records: [FileRecord]) throws(OverlayError) {
        let order = treewise(records)
        for (one, other) in zip(order, order.dropFirst()) where records[one].path == records[other].path {
            throw OverlayError(
                .invalid, "\(quoted(records[one])) is listed twice: records \(one) and \(other) of Files have this Path",
                in: place([PlistString(String(other)), "Path"]), hint: "describe the change in one record")
        }
        for (key, state) in [("New", \.new), ("Old", \.old)] as [(PlistString, KeyPath<FileRecord, FileState?>)] {
            guard let found = misplaced(in: records, order, state) else { continue }
            let what = records[found.outer][keyPath: state].map { "is a \($0.kind.word)" } ?? "does not exist"
            throw OverlayError(
                .invalid,
                "\(quoted(records[found.outer])) \(what) \(key == "New" ? "afterwards" : "before"), but \(quoted(records[found.inner])) is inside it",
                in: place([PlistString(String(found.inner)), key]))
        }
    }

    /// A record that has something in what is no directory.
    ///
    /// - Parameter records: each path once.
    static func misplaced(
        in records: [FileRecord], _ state: KeyPath<FileRecord, FileState?>
    ) -> (inner: Int, outer: Int)? {
        misplaced(in: records, treewise(records), state)
    }

    /// One look at the nearest record above is enough: that one has been looked at the same way.
    private static func misplaced(
        in records: [FileRecord], _ order: [Int], _ state: KeyPath<FileRecord, FileState?>
    ) -> (inner: Int, outer: Int)? {
        var above: [Int] = []
        for number in order {
            while let last = above.last, !records[number].path.isAtOrBelow(records[last].path) { above.removeLast() }
            if let last = above.last, records[number][keyPath: state] != nil,
                records[last][keyPath: state]?.kind != .directory
            {
                return (number, last)
            }
            above.append(number)
        }
        return nil
    }

    /// The places of records, what is in a directory right behind it.
    private static func treewise(_ records: [FileRecord]) -> [Int] {
        records.indices.sorted { one, other in
            let comparison = compareTreewise(records[one].path.bytes, records[other].path.bytes)
            return comparison != 0 ? comparison < 0 : one < other
        }
    }

    static func quoted(_ record: FileRecord) -> String { PlistString(record.path.description).quoted }

    private static func place(_ steps: [PlistString]) -> PlistPointer { PlistPointer(steps: ["Files"] + steps) }

    /// By bytes, but `/` before all else, so that nothing comes between a directory and what is in it.
    private static func compareTreewise(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left.withUnsafeBufferPointer { left in
            right.withUnsafeBufferPointer { right in
                for index in 0..<min(left.count, right.count) where left[index] != right[index] {
                    if left[index] == RelativePath.slash { return -1 }
                    if right[index] == RelativePath.slash { return 1 }
                    return left[index] < right[index] ? -1 : 1
                }
                return left.count - right.count
            }
        }
    }
}

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
