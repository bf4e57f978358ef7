import CapsuleCore
import CapsulePropertyList

/// Runs the steps of one merge of three trees: settles the conflicts, and collects the changes to ours.
struct TreeMerger {
    typealias Side = TreeMerge.Side
    typealias Numbers = TreeMerge.Numbers
    typealias Content = TreeMerge.Edit.Content

    let sides: TreeMergeSides
    private(set) var edits: [EntryPath: Item?] = [:]
    var problems: [OverlayError] = []

    /// An entry of the result.
    struct Item: Hashable {
        var entry: TreeEntry
        var content: Content
    }

    init(_ trees: [TreeSide]) { sides = TreeMergeSides(trees) }

    mutating func put(_ item: Item?, at place: EntryPath) {
        var item = item
        item?.entry.path = place.path
        item?.entry.root = place.root
        edits[place] = .some(item)
    }

    func item(_ side: Side, _ number: Int?) -> Item? {
        guard let number else { return nil }
        let entry = sides[side].entries[number]
        return Item(entry: entry, content: entry.kind == .file ? .side(side, number) : .none)
    }

    mutating func resolve(_ whole: TreeMerge.AtomicGroup, at place: EntryPath, _ decisions: inout MergeDecisions) {
        let conflict = Conflict(
            whole.kind, path: place.path, base: facts(.base, whole, place), ours: facts(.ours, whole, place),
            theirs: facts(.theirs, whole, place), reason: whole.reason)
        let resolution = decisions.resolve(conflict, accepting: Self.isFile)
        for other in whole.places {
            switch resolution {
            case nil, .ours: put(item(.ours, sides.number(.ours, at: other)), at: other)
            case .base: put(item(.base, sides.number(.base, at: other)), at: other)
            case .theirs: put(item(.theirs, sides.number(.theirs, at: other)), at: other)
            case .absent, .value: put(nil, at: other)
            }
        }
        if case .value(let value) = resolution {
            let model = [Side.ours, .theirs, .base].compactMap { [sides] in sides.entry($0, at: place) }.first {
                $0.kind == .file
            }
            put(written(value, as: model, at: place), at: place)
        }
    }

    /// Returns a side's facts about a conflict: usually those of its entry at the first place; for a file that it moved, those at
    /// the new place.
    private func facts(_ side: Side, _ whole: TreeMerge.AtomicGroup, _ place: EntryPath) -> PlistValue? {
        let places = [whole.moved[side], place].compactMap { $0 } + whole.places.filter { !$0.isBelow(place) }.sorted()
        for other in places {
            if let number = sides.number(side, at: other) { return sides.facts(side, number, at: place.path) }
        }
        return nil
    }

    /// Returns a file with the bytes that were written for a conflict.
    func written(_ value: PlistValue, as model: TreeEntry?, at place: EntryPath) -> Item? {
        guard let bytes = Self.bytes(of: value) else { return nil }
        let entry =
            model
            ?? TreeEntry(path: place.path, root: place.root, kind: .file, mode: FileMode(0o644), modified: Timestamp(seconds: 0))
        return Item(entry: entry, content: .bytes(bytes))
    }

    /// Returns true if a decision is valid for a file: a written value must be data or a string.
    static func isFile(_ resolution: Resolution) -> Bool {
        guard case .value(let value) = resolution else { return true }
        return bytes(of: value) != nil
    }

    static func bytes(of value: PlistValue) -> [UInt8]? { value.data ?? value.string.map { Array($0.string.utf8) } }

    /// Records decisions that can't be carried out together, although each one could be alone.
    mutating func refuse(_ message: String, at place: EntryPath) {
        problems.append(OverlayError(.invalid, "\(place.path): \(message)"))
    }

    func finished() -> TreeMerge.Outcome {
        var run = self
        run.keepNeeded()
        run.makeParents()
        var edits: [TreeMerge.Edit] = []
        for (place, item) in run.edits {
            guard item != self.item(.ours, sides.number(.ours, at: place)) else { continue }
            edits.append(TreeMerge.Edit(place: place, entry: item?.entry, content: item?.content ?? .none))
        }
        edits.sort { $0.place < $1.place }
        return TreeMerge.Outcome(edits: edits, problems: run.problems)
    }

    /// Keeps directories of ours that are not empty in the result, even if a side deleted them.
    private mutating func keepNeeded() {
        let entries = sides[.ours].entries
        let deleted = Set(edits.keys.filter { edits[$0] == .some(nil) && sides.entry(.ours, at: $0)?.kind == .directory })
        var seen: Set<EntryPath> = []
        for place in deleted {
            // The contents of a deleted directory are checked with the topmost deleted directory.
            if let parent = place.path.parent, deleted.contains(EntryPath(root: place.root, path: parent)) { continue }
            var next = entries.firstIndex(
                notBefore: RelativePath(unchecked: place.path.bytes + [RelativePath.slash]), in: place.root)
            while next < entries.count, entries[next].root == place.root, entries[next].path.isAtOrBelow(place.path) {
                let left = EntryPath(root: place.root, path: entries[next].path)
                if edits[left] != .some(nil) { keepParents(of: left, among: deleted, &seen) }
                next += 1
            }
        }
    }

    /// Keeps the parent directories of an entry. Each directory is visited only once.
    private mutating func keepParents(of place: EntryPath, among deleted: Set<EntryPath>, _ seen: inout Set<EntryPath>) {
        var path = place.path.parent
        while let directory = path, !directory.isRoot {
            let parent = EntryPath(root: place.root, path: directory)
            guard seen.insert(parent).inserted else { return }
            if deleted.contains(parent) { edits[parent] = item(.ours, sides.number(.ours, at: parent)) }
            path = directory.parent
        }
    }

    /// Adds the parent directories of entries in the result, as a side has them.
    private mutating func makeParents() {
        var seen: Set<EntryPath> = []
        for place in edits.keys.sorted() where edits[place] != .some(nil) {
            var path = place.path.parent
            while let directory = path, !Self.isTop(directory, in: place.root) {
                let parent = EntryPath(root: place.root, path: directory)
                guard seen.insert(parent).inserted else { break }
                let found: Item?
                if let edit = edits[parent] { found = edit } else { found = self.item(.ours, sides.number(.ours, at: parent)) }
                if let found {
                    if found.entry.kind != .directory {
                        refuse("must be a directory, since the merge puts entries in it", at: parent)
                        break
                    }
                    if edits[parent] == nil { break }
                } else if let made = directoryOfSide(at: parent) {
                    put(made, at: parent)
                } else {
                    refuse("its parent directory does not exist", at: place)
                    break
                }
                path = directory.parent
            }
        }
    }

    private func directoryOfSide(at place: EntryPath) -> Item? {
        for side in [Side.ours, .theirs, .base] {
            if let number = sides.number(side, at: place), sides[side].entries[number].kind == .directory {
                return item(side, number)
            }
        }
        return nil
    }

    /// Returns true if a directory is the top of its root. The directory of an app group belongs to the wrapper.
    private static func isTop(_ path: RelativePath, in root: TreeRoot) -> Bool {
        path.isRoot || (root.groupNumber != nil && path.components.count <= 2)
    }
}

extension TreeMerger {
    /// - Returns: the entry in the result; nil if there is none.
    mutating func resolve(
        _ kind: Conflict.Kind, _ numbers: Numbers, at place: EntryPath, reason: String, _ decisions: inout MergeDecisions
    ) -> Item? {
        let conflict = Conflict(
            kind, path: place.path, base: sides.facts(.base, numbers.base, at: place.path),
            ours: sides.facts(.ours, numbers.ours, at: place.path),
            theirs: sides.facts(.theirs, numbers.theirs, at: place.path), reason: reason)
        switch decisions.resolve(conflict, accepting: Self.isFile) {
        case nil, .ours: return item(.ours, numbers.ours)
        case .base: return item(.base, numbers.base)
        case .theirs: return item(.theirs, numbers.theirs)
        case .absent: return nil
        case .value(let value):
            let model = [
                sides.entry(.ours, numbers.ours), sides.entry(.theirs, numbers.theirs), sides.entry(.base, numbers.base),
            ]
            return written(value, as: model.lazy.compactMap { $0 }.first { $0.kind == .file }, at: place)
        }
    }
}
