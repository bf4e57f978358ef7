/// Finds out which places of three trees differ, and what belongs together: what is decided as one is one step.
struct TreeMergePlanner {
    typealias Side = TreeMerge.Side
    typealias Place = TreeMerge.Place
    typealias Numbers = TreeMerge.Numbers

    let sides: TreeMergeSides
    /// What each side did to the base.
    let items: [Side: [TreeDiff.Item]]
    /// All places at which a side differs from the base.
    private(set) var numbers: [Place: Numbers] = [:]
    /// The keys of ``numbers``, in order.
    private(set) var places: [Place] = []
    /// What a side changed or made, in order.
    private var changed: [Side: [Place]] = [:]
    /// Directories, or what stands for one on the other side, of which all is one step.
    private var covered: Set<Place> = []
    /// What other steps than its own decide about.
    var taken: Set<Place> = []
    private var wholes: [(place: Place, whole: TreeMerge.Whole)] = []
    /// The one of ``wholes`` that a place is in, by its number, or one that was joined to that.
    private var wholeOf: [Place: Int] = [:]
    /// To which of ``wholes`` others were joined; those have no places.
    private var joined: [Int: Int] = [:]
    var steps: [TreeMerge.Step] = []

    init(_ trees: [TreeSide]) {
        sides = TreeMergeSides(trees)
        var items: [Side: [TreeDiff.Item]] = [:]
        for side in [Side.ours, .theirs] { items[side] = TreeDiff(sides[.base], sides[side]).items }
        self.items = items
    }

    mutating func plan(_ isDatabase: @escaping (Side, Int) -> Bool) -> [TreeMerge.Step] {
        findPlaces()
        if places.isEmpty { return [] }
        findClashes()
        findTwins()
        findUnits(isDatabase)
        followMoves()
        for place in places where isFree(place) {
            guard let numbers = numbers[place] else { continue }
            steps.append(TreeMerge.Step(place: place, work: .entry(numbers, vacated: nil)))
        }
        steps += wholes.filter { !$0.whole.places.isEmpty }.map { TreeMerge.Step(place: $0.place, work: .whole($0.whole)) }
        return steps.sorted { $0.place < $1.place }
    }

    // MARK: Places

    private mutating func findPlaces() {
        for (side, items) in items {
            var own: [Place] = []
            for item in items {
                if let number = item.old { note(sides[.base].entries[number]) }
                if let number = item.new { own.append(note(sides[side].entries[number])) }
            }
            changed[side] = own.sorted()
        }
        places = numbers.keys.sorted()
    }

    @discardableResult
    private mutating func note(_ entry: TreeEntry) -> Place {
        let place = Place(root: entry.root, path: entry.path)
        if numbers[place] == nil { numbers[place] = sides.numbers(at: place) }
        return place
    }

    /// Whether a side changed or made something at a place or below it.
    func hasChange(_ side: Side, atOrBelow place: Place) -> Bool {
        let changed = changed[side] ?? []
        if changed.contains(sorted: place) { return true }
        let next = changed.firstIndex(sortedNotBefore: place.below)
        return next < changed.count && changed[next].isBelow(place)
    }

    /// Whether a place is no step's yet.
    func isFree(_ place: Place) -> Bool { !taken.contains(place) && !isCovered(place) }

    func isCovered(_ place: Place) -> Bool {
        if covered.isEmpty { return false }
        var path: RelativePath? = place.path
        while let directory = path {
            if covered.contains(Place(root: place.root, path: directory)) { return true }
            path = directory.parent
        }
        return false
    }

    /// All places that differ at a place and below it.
    private func places(atOrBelow place: Place) -> [Place] {
        var found = numbers[place] == nil ? [] : [place]
        var next = places.firstIndex(sortedNotBefore: place.below)
        while next < places.count, places[next].isBelow(place) {
            found.append(places[next])
            next += 1
        }
        return found
    }

    // MARK: Units

    private mutating func findUnits(_ isDatabase: @escaping (Side, Int) -> Bool) {
        var search = TreeMergeUnits(sides, isDatabase)
        for place in places where isFree(place) {
            guard let main = search.database(of: place), isFree(main) else { continue }
            var unit = search.unit(of: main)
            unit.logs.removeAll { !isFree($0) }
            unit.blobs.removeAll { !isFree($0) }
            taken.formUnion([main] + unit.logs + unit.blobs)
            steps.append(TreeMerge.Step(place: main, work: .unit(unit)))
        }
    }

    // MARK: Places that are one step

    /// Makes one step of places and all that is below them, which no other step decides about then.
    mutating func cover(_ tops: [Place], as kind: Conflict.Kind, _ reason: String) {
        let all = tops.flatMap { places(atOrBelow: $0) }
        covered.formUnion(tops)
        note(all, in: wholes.count)
        wholes.append((tops[0], TreeMerge.Whole(kind: kind, reason: reason, places: all)))
    }

    /// Makes one step of places; of those that are another's already, one with that.
    ///
    /// - Parameters:
    ///   - from: where the base has it.
    ///   - moved: where the sides have it that moved it.
    mutating func take(
        _ from: Place, moved: [Side: Place], as kind: Conflict.Kind, _ reason: String
    ) {
        let places = [from] + moved.values.sorted()
        taken.formUnion(places)
        let touched = Set(places.compactMap { wholeOf[$0].map { first(of: $0) } })
        guard let number = touched.min() else {
            note(places, in: wholes.count)
            wholes.append((from, TreeMerge.Whole(kind: kind, reason: reason, places: places, moved: moved)))
            return
        }
        for other in touched.sorted() where other != number { join(other, to: number) }
        let new = places.filter { wholeOf[$0] == nil }
        wholes[number].whole.places += new
        note(new, in: number)
    }

    private mutating func note(_ places: [Place], in whole: Int) {
        for place in places { wholeOf[place] = whole }
    }

    /// Makes one of two that have a place in common: two must not decide about it.
    private mutating func join(_ other: Int, to number: Int) {
        joined[other] = number
        var (places, more) = (wholes[number].whole.places, wholes[other].whole.places)
        wholes[other].whole.places = []
        if places.count < more.count { swap(&places, &more) }
        wholes[number].whole.places = []
        places += more
        wholes[number].whole.places = places
    }

    /// The one that another was joined to at last.
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

extension TreeMerge.Place {
    /// What the places below this one begin with; no path ends so.
    fileprivate var below: TreeMerge.Place {
        TreeMerge.Place(root: root, path: RelativePath(unchecked: path.bytes + [RelativePath.slash]))
    }

    func isBelow(_ other: TreeMerge.Place) -> Bool {
        root == other.root && path.bytes.count > other.path.bytes.count && path.isAtOrBelow(other.path)
    }
}

extension Array where Element == TreeMerge.Place {
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
