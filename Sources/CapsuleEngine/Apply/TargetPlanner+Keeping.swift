import CapsuleContainers
import CapsuleCore
import CapsuleSystem

extension TargetPlanner {
    /// Leaves out changes that differ only in mode bits that are never restored.
    mutating func ignoreSpecialModes() {
        var (ignored, written) = (0, 0)
        items.removeAll { item in
            guard let new = item.new.map({ wanted.entries[$0] }), new.mode != new.mode.restorable(for: new.kind) else {
                return false
            }
            let isRestored = item.old.map { item.isRestored(target.container.entries[$0], from: new) } ?? false
            if isRestored { ignored += 1 } else { written += 1 }
            return isRestored
        }
        if ignored > 0 { notes.append(TreeDiff.Item.note(onUnrestoredBits: ignored)) }
        // What is written loses the bits, too.
        if written > 0 {
            notes.append("\(written) \(written == 1 ? "entry" : "entries") without the setuid, setgid or sticky bit")
        }
    }

    /// Removes the changes to entries that must stay, and to directories that can't be deleted because something in them stays.
    mutating func keep() throws(CapsuleError) {
        // It is not known if entries that could not be read when the version was made existed then, so they stay.
        let unread = Self.paths(wanted.omitted.filter(\.isUnreadable))
        countWishes(besides: unread)
        var staying: Set<EntryPath> = []
        if !kept.isEmpty || !unread.isEmpty {
            let present = target.container
            var grouping = grouping
            var firstUnread: RelativePath?
            // A log that stays must not end up beside a database that is not its own.
            items = grouping.groups(items).flatMap { group -> [TreeDiff.Item] in
                let all = (group.item.map { [$0] } ?? []) + group.members
                let missing = all.lazy.filter { $0.new == nil }.compactMap { $0.old.map { present.entries[$0].path } }
                    .first { $0.isAtOrBelow(where: unread.contains) }
                firstUnread = firstUnread ?? missing
                guard missing != nil || all.contains(where: { isKept($0) }) || isKept(group.database) else { return all }
                for item in all { if let old = item.old { staying.insert(present.entries[old].place) } }
                return []
            }
            if let firstUnread {
                notes.append("entries that could not be read when the version was packed are unchanged, first \(firstUnread)")
            }
        }
        let others = target.leftOut.filter { target.container.entries.index(of: $0.path, in: $0.root) == nil }
        let (wished, foreign) = (others.filter { isKept($0.path) }, others.filter { !isKept($0.path) })
        if staying.isEmpty, others.isEmpty { return }
        try keepDirectories(of: staying.union(wished), and: Set(foreign))
    }

    /// Notes how many of the deleted entries the user had left out when the version was packed.
    private mutating func countWishes(besides unread: Set<RelativePath>) {
        let wishes = Self.paths(wanted.omitted.prefix(wanted.wantedOmissions).suffix(wanted.earlierOmissions).filter(\.isWished))
        if wishes.isEmpty { return }
        let gone = items.count { item in
            guard item.new == nil, !isKept(item), let old = item.old.map({ target.container.entries[$0] }) else { return false }
            return old.path.isAtOrBelow(where: wishes.contains) && !old.path.isAtOrBelow(where: unread.contains)
        }
        if gone > 0 {
            notes.append(
                "deleting \(gone) \(gone == 1 ? "entry" : "entries") left out when the version was packed: '--keep' keeps them"
            )
        }
    }

    private static func paths(_ omissions: some Sequence<Omission>) -> Set<RelativePath> {
        Set(omissions.compactMap { try? RelativePath(validating: $0.path) })
    }

    private func isKept(_ item: TreeDiff.Item) -> Bool { isKept((item.old, item.new)) }

    private func isKept(_ places: (old: Int?, new: Int?)?) -> Bool {
        let path = places?.old.map { target.container.entries[$0].path } ?? places?.new.map { wanted.entries[$0].path }
        return path.map { isKept($0) } ?? false
    }

    private func isKept(_ path: RelativePath) -> Bool {
        path.isAtOrBelow { above in kept.contains { $0.matches(above.bytes) } }
    }

    /// Keeps the directories that contain something that stays.
    /// - Parameters:
    ///   - staying: the places that the user wants to keep, and those that could not be read when the version was made.
    ///   - foreign: the places that stay because a container can't hold them.
    private mutating func keepDirectories(
        of staying: Set<EntryPath>, and foreign: Set<EntryPath>
    ) throws(CapsuleError) {
        var directories: [EntryPath: (inner: RelativePath, isWished: Bool)] = [:]
        for (place, isWished) in staying.map({ ($0, true) }) + foreign.map({ ($0, false) }) {
            var above = place.path.parent
            while let path = above, !path.isRoot {
                let parent = EntryPath(root: place.root, path: path)
                if directories[parent] != nil { break }
                directories[parent] = (place.path, isWished)
                above = path.parent
            }
        }
        var problems: [CapsuleError] = []
        var notes: [String] = []
        var remaining = 0
        items.removeAll { item in
            guard let old = item.old, target.container.entries[old].kind == .directory,
                let (inner, isWished) = directories[target.container.entries[old].place], item.kind != .modified
            else { return false }
            if let new = item.new {
                problems.append(
                    CapsuleError(
                        "would become a \(wanted.entries[new].kind.word), but \(inner) in it is kept",
                        path: HostPath(wanted.entries[new].path.bytes)))
            } else {
                notes.append("\(target.container.entries[old].path) is kept, because \(inner) in it is kept")
                if !isWished { remaining += 1 }
            }
            return true
        }
        self.notes += notes
        self.remaining += remaining
        if let problem = problems.first { throw problem }
    }

    /// Removes the changes to entries that are not selected, and returns them. A database is selected with all of its files if any of
    /// them is.
    mutating func select() -> [TreeDiff.Item] {
        if selected.isEmpty { return [] }
        var grouping = grouping
        let sides = [target.container, wanted]
        func paths(of entry: TreeEntry, isNew: Bool) -> [RelativePath] {
            var other = entry
            let root = isNew ? target.root(of: entry.root, in: wanted) : target.root(of: entry.root, as: wanted)
            let database = grouping.database(of: entry, isNew: isNew).map { sides[isNew ? 1 : 0].entries[$0].path }
            guard let root else { return [entry.path, database].compactMap(\.self) }
            other.root = root
            let found = grouping.database(of: other, isNew: !isNew).map { sides[isNew ? 0 : 1].entries[$0].path }
            return [entry.path, database, found].compactMap(\.self)
        }
        var units: Set<RelativePath> = []
        for (number, side) in sides.enumerated() {
            for entry in side.entries where entry.isListed && isSelected(entry.path) {
                units.formUnion(paths(of: entry, isNew: number == 1))
            }
        }
        let all = items
        items = []
        var others: [TreeDiff.Item] = []
        for item in all {
            let isSelected =
                (item.old.map { paths(of: target.container.entries[$0], isNew: false) } ?? []
                + (item.new.map { paths(of: wanted.entries[$0], isNew: true) } ?? []))
                .contains { units.contains($0) || self.isSelected($0) }
            if isSelected { items.append(item) } else { others.append(item) }
        }
        return others
    }

    /// Adds the directories that new entries need and the target lacks, from the changes that are not selected.
    mutating func addParents(from others: [TreeDiff.Item]) throws(CapsuleError) {
        var parents: [EntryPath: TreeDiff.Item] = [:]
        for item in others { if let new = item.new { parents[wanted.entries[new].place] = item } }
        for entry in items.compactMap(\.new).map({ wanted.entries[$0] }) {
            var above = entry.path.parent
            while let path = above, let item = parents.removeValue(forKey: .init(root: entry.root, path: path)) {
                if let old = item.old {
                    let kind = target.container.entries[old].kind
                    if kind == .directory { break }
                    throw CapsuleError(
                        "is a \(kind.word), but \(entry.path) needs a directory there", path: HostPath(path.bytes),
                        hint: "'--only \(path)' replaces it")
                }
                items.append(item)
                above = path.parent
            }
        }
    }

    func isSelected(_ path: RelativePath) -> Bool {
        selected.isEmpty || path.isAtOrBelow { above in selected.contains { $0.matches(above.bytes) } }
    }

    private var grouping: UnitGrouping {
        let (present, future) = (target.container, wanted)
        return UnitGrouping(targetSide, wantedSide) { isNew, place in (isNew ? future : present).isDatabase(place) }
    }
}

extension LiveTarget {
    /// The places that exist but were not listed as entries: those that options leave out, and those that a container can't hold.
    fileprivate var leftOut: [EntryPath] {
        container.omitted.compactMap { omission in
            guard let path = try? RelativePath(validating: omission.path) else { return nil }
            return container.place(ofRecord: path)
        }
    }
}
