package import CapsuleCore
import CapsulePropertyList

/// Records that fit together: each path occurs once, and an entry inside another one needs a directory there, before and
/// afterwards.
package struct FileRecordSet: Hashable, Sendable {
    /// The maximum number of records: the limit for entries of a version (docs/format.md, section 13).
    static let maximumCount = 10_000_000

    /// The records in the order of their paths' bytes.
    package let records: [FileRecord]

    /// - Throws: `invalid`, with the place as in a document, `/Files/NUMBER/…`, for a record that is inconsistent in itself
    ///   (``FileRecord/check()``), a path that occurs twice, or an entry inside something that is not a directory. `limit` for too
    ///   many records.
    package init(_ records: [FileRecord]) throws(OverlayError) {
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

    package subscript(_ path: RelativePath) -> FileRecord? {
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

    /// Returns a record of an entry that exists inside something that is not a directory, and the record of that outer path.
    static func misplaced(
        in records: [FileRecord], _ state: KeyPath<FileRecord, FileState?>
    ) -> (inner: Int, outer: Int)? {
        misplaced(in: records, treewise(records), state)
    }

    /// Checks each record only against the nearest record above it, because that one was checked in the same way.
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

    /// Returns the indices of the records in an order in which the contents of a directory directly follow it.
    private static func treewise(_ records: [FileRecord]) -> [Int] {
        records.indices.sorted { one, other in
            let comparison = compareTreewise(records[one].path.bytes, records[other].path.bytes)
            return comparison != 0 ? comparison < 0 : one < other
        }
    }

    static func quoted(_ record: FileRecord) -> String { PlistString(record.path.description).quoted }

    private static func place(_ steps: [PlistString]) -> PlistPointer { PlistPointer(steps: ["Files"] + steps) }

    /// Compares by bytes, but with `/` before all others, so that nothing comes between a directory and its contents.
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
    /// Creates the records that turn one tree into another, without recipes. Each differing entry gets a record with all that is
    /// known of it in both trees.
    ///
    /// If a database or its log differs, the unit's other files, except for `-shm`, get records as well, which check that they
    /// exist or not. The caller must handle entries that are not compared, and files whose content is not known.
    ///
    /// - Parameters:
    ///   - isDatabase: returns true if a file starts as a database does. It gets the tree (true for the new one) and the index in
    ///     it, and is called only for entries that differ and for databases whose logs differ.
    /// - Throws: `invalid` for a path that overlays never change.
    package init(
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
        // A part that one side does not know is given for neither side, unless only one of them has the entry.
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
    /// Returns the index of the entry with a path that names its own root.
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
    /// Creates a state with everything about an entry except its path. An identity counts as a file.
    package init(_ entry: TreeEntry) {
        self.init(
            kind: entry.kind == .identity ? .file : entry.kind, mode: entry.kind == .link ? nil : entry.mode,
            modified: entry.modified, attributes: entry.attributes, target: entry.target,
            content: entry.kind.hasContent ? Content(size: entry.size, digest: entry.digest) : nil)
    }
}
