import CapsulePropertyList

/// Three trees that are asked about one place at a time.
struct TreeMergeSides: Sendable {
    typealias Side = TreeMerge.Side
    typealias Place = TreeMerge.Place

    let sides: [TreeSide]

    init(_ sides: [TreeSide]) { self.sides = sides }

    subscript(side: Side) -> TreeSide { sides[side.rawValue] }

    func entry(_ side: Side, _ number: Int?) -> TreeEntry? { number.map { self[side].entries[$0] } }

    /// Where a tree has an entry of that place.
    func number(_ side: Side, at place: Place) -> Int? { self[side].entries.place(of: place.path, in: place.root) }

    func numbers(at place: Place) -> TreeMerge.Numbers {
        TreeMerge.Numbers(
            base: number(.base, at: place), ours: number(.ours, at: place), theirs: number(.theirs, at: place))
    }

    func entry(_ side: Side, at place: Place) -> TreeEntry? { entry(side, number(side, at: place)) }

    // MARK: What is known

    /// nil for one that is made up.
    func mode(_ side: Side, _ number: Int) -> FileMode? {
        self[side].withoutModes.contains(number) ? nil : self[side].entries[number].mode
    }

    /// nil where they could not have come with the entries.
    func attributes(_ side: Side, _ number: Int) -> [ExtendedAttribute]? {
        self[side].hasAttributes ? self[side].entries[number].attributes : nil
    }

    /// Whether two entries are the same but for their times, as far as is known.
    func areSame(_ one: Side, _ number: Int, _ other: Side, _ otherNumber: Int) -> Bool {
        let (entry, otherEntry) = (self[one].entries[number], self[other].entries[otherNumber])
        guard entry.hasContent(of: otherEntry) else { return false }
        if entry.kind != .link, let own = mode(one, number), let others = mode(other, otherNumber), own != others {
            return false
        }
        guard let own = attributes(one, number), let others = attributes(other, otherNumber) else { return true }
        return own == others
    }

    /// An entry as conflicts tell of it; nil for nothing.
    func facts(_ side: Side, _ number: Int?, at path: RelativePath) -> PlistValue? {
        number.map { self[side].entries[$0].facts(at: path, hasMode: mode(side, $0) != nil) }
    }
}
