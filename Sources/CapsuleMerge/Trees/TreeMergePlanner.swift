import CapsuleCore

/// Finds the places at which three trees differ, and makes one step of each group of places that are decided together.
struct TreeMergePlanner {
    typealias Side = TreeMerge.Side
    typealias Numbers = TreeMerge.Numbers

    let sides: TreeMergeSides
    let items: [Side: [TreeDiff.Item]]
    /// All places at which a side differs from the base, with their numbers in each tree.
    private(set) var numbers: [EntryPath: Numbers] = [:]
    private(set) var places: [EntryPath] = []
    /// The places that a side changed or added, in order.
    private var changed: [Side: [EntryPath]] = [:]
    /// The directories, or the files that replace one on the other side, that are one step with everything in them.
    private var covered: Set<EntryPath> = []
    var taken: Set<EntryPath> = []
    private var atomicGroups: [(place: EntryPath, whole: TreeMerge.AtomicGroup)] = []
    /// The number in ``atomicGroups`` that each place was put in. That one may have been joined to another.
    private var atomicGroupOf: [EntryPath: Int] = [:]
    /// The number in ``atomicGroups`` that each joined one was joined to. A joined one has no places left.
    private var joined: [Int: Int] = [:]
    var steps: [TreeMerge.Decision] = []

    init(_ trees: [TreeSide]) {
        sides = TreeMergeSides(trees)
        var items: [Side: [TreeDiff.Item]] = [:]
        for side in [Side.ours, .theirs] { items[side] = TreeDiff(sides[.base], sides[side]).items }
        self.items = items
    }

    mutating func plan(_ isDatabase: @escaping (Side, Int) -> Bool) -> [TreeMerge.Decision] {
        findPlaces()
        if places.isEmpty { return [] }
        findClashes()
        findNameCollisions()
        findUnits(isDatabase)
        followMoves()
        for place in places where isFree(place) {
            guard let numbers = numbers[place] else { continue }
            steps.append(TreeMerge.Decision(place: place, work: .entry(numbers, vacated: nil)))
        }
        steps += atomicGroups.filter { !$0.whole.places.isEmpty }.map {
            TreeMerge.Decision(place: $0.place, work: .whole($0.whole))
        }
        return steps.sorted { $0.place < $1.place }
    }

    private mutating func findPlaces() {
        for (side, items) in items {
            var own: [EntryPath] = []
            for item in items {
                if let number = item.old { note(sides[.base].entries[number]) }
                if let number = item.new { own.append(note(sides[side].entries[number])) }
            }
            changed[side] = own.sorted()
        }
        places = numbers.keys.sorted()
    }

    @discardableResult
    private mutating func note(_ entry: TreeEntry) -> EntryPath {
        let place = entry.place
        if numbers[place] == nil { numbers[place] = sides.numbers(at: place) }
        return place
    }

    func hasChange(_ side: Side, atOrBelow place: EntryPath) -> Bool {
        let changed = changed[side] ?? []
        if changed.contains(sorted: place) { return true }
        let next = changed.firstIndex(sortedNotBefore: place.below)
        return next < changed.count && changed[next].isBelow(place)
    }

    func isFree(_ place: EntryPath) -> Bool { !taken.contains(place) && !isCovered(place) }

    func isCovered(_ place: EntryPath) -> Bool {
        if covered.isEmpty { return false }
        var path: RelativePath? = place.path
        while let directory = path {
            if covered.contains(EntryPath(root: place.root, path: directory)) { return true }
            path = directory.parent
        }
        return false
    }

    private func places(atOrBelow place: EntryPath) -> [EntryPath] {
        var found = numbers[place] == nil ? [] : [place]
        var next = places.firstIndex(sortedNotBefore: place.below)
        while next < places.count, places[next].isBelow(place) {
            found.append(places[next])
            next += 1
        }
        return found
    }

    private mutating func findUnits(_ isDatabase: @escaping (Side, Int) -> Bool) {
        var search = TreeMergeUnitFinder(sides, isDatabase)
        for place in places where isFree(place) {
            guard let main = search.database(of: place), isFree(main) else { continue }
            var unit = search.unit(of: main)
            unit.logs.removeAll { !isFree($0) }
            unit.blobs.removeAll { !isFree($0) }
            taken.formUnion([main] + unit.logs + unit.blobs)
            steps.append(TreeMerge.Decision(place: main, work: .unit(unit)))
        }
    }

    /// Makes one step of places and everything below them. No other step decides about these.
    mutating func cover(_ tops: [EntryPath], as kind: Conflict.Kind, _ reason: String) {
        let all = tops.flatMap { places(atOrBelow: $0) }
        covered.formUnion(tops)
        note(all, in: atomicGroups.count)
        atomicGroups.append((tops[0], TreeMerge.AtomicGroup(kind: kind, reason: reason, places: all)))
    }

    /// Makes one step of places. If some belong to another such step, joins them to that.
    mutating func take(
        _ from: EntryPath, moved: [Side: EntryPath], as kind: Conflict.Kind, _ reason: String
    ) {
        let places = [from] + moved.values.sorted()
        taken.formUnion(places)
        let touched = Set(places.compactMap { atomicGroupOf[$0].map { first(of: $0) } })
        guard let number = touched.min() else {
            note(places, in: atomicGroups.count)
            atomicGroups.append((from, TreeMerge.AtomicGroup(kind: kind, reason: reason, places: places, moved: moved)))
            return
        }
        for other in touched.sorted() where other != number { join(other, to: number) }
        let new = places.filter { atomicGroupOf[$0] == nil }
        atomicGroups[number].whole.places += new
        note(new, in: number)
    }

    private mutating func note(_ places: [EntryPath], in whole: Int) {
        for place in places { atomicGroupOf[place] = whole }
    }

    /// Joins two steps that have a place in common, because only one step may decide about it.
    private mutating func join(_ other: Int, to number: Int) {
        joined[other] = number
        var (places, more) = (atomicGroups[number].whole.places, atomicGroups[other].whole.places)
        atomicGroups[other].whole.places = []
        if places.count < more.count { swap(&places, &more) }
        atomicGroups[number].whole.places = []
        places += more
        atomicGroups[number].whole.places = places
    }

    private mutating func first(of whole: Int) -> Int {
        var root = whole
        while let next = joined[root] { root = next }
        var place = whole
        while let next = joined[place] {
            joined[place] = root
            place = next
        }
        return root
    }
}

extension EntryPath {
    /// The common beginning of the places below this one. No path ends with a slash.
    fileprivate var below: EntryPath {
        EntryPath(root: root, path: RelativePath(unchecked: path.bytes + [RelativePath.slash]))
    }

    func isBelow(_ other: EntryPath) -> Bool {
        root == other.root && path.bytes.count > other.path.bytes.count && path.isAtOrBelow(other.path)
    }
}

extension Array where Element == EntryPath {
    fileprivate func firstIndex(sortedNotBefore place: Element) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    fileprivate func contains(sorted place: Element) -> Bool {
        let index = firstIndex(sortedNotBefore: place)
        return index < count && self[index] == place
    }
}

/// Follows files that a side renamed without changing their content: the other side's changes move along.
extension TreeMergePlanner {
    mutating func followMoves() {
        let (own, others) = (moves(of: .ours), moves(of: .theirs))
        for from in Set(own.keys).union(others.keys).sorted() where isFree(from) {
            switch (own[from], others[from]) {
            case (let place?, let other?) where place == other:
                guard isFree(place), let base = numbers[from]?.base, var moved = numbers[place] else { continue }
                moved.base = base
                taken.formUnion([from, place])
                steps.append(TreeMerge.Decision(place: place, work: .entry(moved, vacated: nil)))
            case (let place?, let other?):
                take(
                    from, moved: [.ours: place, .theirs: other], as: .renameRename,
                    "ours renamed it to '\(place.path)', theirs to '\(other.path)'")
            case (let place?, nil):
                follow(from, to: place, by: .ours)
            case (nil, let place?):
                follow(from, to: place, by: .theirs)
            case (nil, nil):
                break
            }
        }
    }

    private func moves(of side: Side) -> [EntryPath: EntryPath] {
        var moves: [EntryPath: EntryPath] = [:]
        for item in items[side] ?? [] {
            guard case .renamed = item.kind, let old = item.old, let new = item.new else { continue }
            let (from, to) = (sides[.base].entries[old], sides[side].entries[new])
            let (left, place) = (from.place, to.place)
            if isFree(place) { moves[left] = place }
        }
        return moves
    }

    /// Applies the other side's change to a file at the place to which one side renamed it.
    private mutating func follow(_ from: EntryPath, to place: EntryPath, by side: Side) {
        let other: Side = side == .ours ? .theirs : .ours
        guard let left = numbers[from], let base = left.base, let new = numbers[place] else { return }
        guard let number = left[other] else {
            // If the other side has something at the new place, the step of that place compares them.
            if new[other] != nil { return }
            return take(
                from, moved: [side: place], as: .modifyDelete, "\(side) renamed it to '\(place.path)', \(other) deleted it")
        }
        let isSame = sides.areSame(.base, base, other, number)
        switch sides[other].entries[number].kind {
        case .directory, .identity: return
        case .link:
            return take(
                from, moved: [side: place], as: .renameModify,
                "\(side) renamed it to '\(place.path)', \(other) replaced it with a link"
            )
        case .file: break
        }
        if new[other] != nil {
            if isSame { return }
            return take(
                from, moved: [side: place], as: .renameModify,
                "\(side) renamed it to '\(place.path)', \(other) changed it and has a different file there")
        }
        taken.formUnion([from, place])
        let moved =
            side == .ours
            ? Numbers(base: base, ours: new.ours, theirs: number) : Numbers(base: base, ours: number, theirs: new.theirs)
        steps.append(TreeMerge.Decision(place: place, work: .entry(moved, vacated: from)))
    }
}

/// Finds what both sides made at one place, or at names that may be the same. Only one side can be taken there.
extension TreeMergePlanner {
    /// Finds places with a file on one side and a directory on the other, unless one of them is unchanged from the base.
    mutating func findClashes() {
        for place in places where !isCovered(place) {
            guard let numbers = numbers[place], let ours = numbers.ours, let theirs = numbers.theirs else { continue }
            let isDirectory = (
                ours: sides[.ours].entries[ours].kind == .directory, theirs: sides[.theirs].entries[theirs].kind == .directory
            )
            guard isDirectory.ours != isDirectory.theirs else { continue }
            let (file, directory): (Side, Side) = isDirectory.ours ? (.theirs, .ours) : (.ours, .theirs)
            if let base = numbers.base, let number = numbers[file] {
                if sides.areSame(.base, base, file, number) { continue }
                if sides[.base].entries[base].kind == .directory, !hasChange(directory, atOrBelow: place) { continue }
            }
            let reason =
                "\(file) has a \(sides.entry(file, numbers[file])?.kind.word ?? "file") here, \(directory) has a directory"
            cover([place], as: .fileDirectory, reason)
        }
    }

    /// Finds names that each side added, and that some file systems treat as the same name.
    mutating func findNameCollisions() {
        var names: [Name: (ours: [EntryPath], theirs: [EntryPath])] = [:]
        for place in places {
            if isMade(place, by: .ours), let name = Name(place) { names[name, default: ([], [])].ours.append(place) }
            if isMade(place, by: .theirs), let name = Name(place) { names[name, default: ([], [])].theirs.append(place) }
        }
        let alike = names.values.filter { !$0.ours.isEmpty && !$0.theirs.isEmpty }.map { ($0.ours + $0.theirs).sorted() }
        // A directory comes before its contents, which are covered with it.
        for group in alike.sorted(by: { $0[0] < $1[0] }) {
            let free = group.filter { !isCovered($0) }
            guard let first = free.first, let last = free.last,
                [Side.ours, .theirs].allSatisfy({ side in free.contains { isMade($0, by: side) } })
            else { continue }
            cover(free, as: .fileDirectory, "the names '\(first.path)' and '\(last.path)' are the same name on some file systems")
        }
    }

    /// A key that is equal for names that a file system may treat as the same: it ignores case, and compares by canonical
    /// equivalence, as strings do.
    private struct Name: Hashable {
        let root: TreeRoot
        let text: String

        init?(_ place: EntryPath) {
            guard let text = String(validating: place.path.bytes, as: UTF8.self) else { return nil }
            self.root = place.root
            self.text = text.lowercased()
        }
    }

    private func isMade(_ place: EntryPath, by side: Side) -> Bool {
        guard let numbers = numbers[place], numbers.base == nil, numbers[side] != nil else { return false }
        return (side == .ours ? numbers.theirs : numbers.ours) == nil
    }
}
