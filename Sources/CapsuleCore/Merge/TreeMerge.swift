import CapsulePropertyList

/// What becomes of every entry of three trees that are merged (docs/merge.md, section 1): a plan that the trees alone decide,
/// and what it comes to with what was decided about its conflicts.
///
/// The result is told as what is to be changed in ours. Wrappers and identities are passed over: ours' stay.
public struct TreeMerge: Sendable {
    /// One of the three trees.
    public enum Side: Int, Hashable, Sendable, CaseIterable {
        /// What both others come from.
        case base
        /// What the result is made of.
        case ours
        /// What is merged into it.
        case theirs
    }

    /// Where an entry is, or would be.
    public struct Place: Hashable, Comparable, Sendable {
        /// The part of the container.
        public let root: TreeRoot
        /// The path, of a group's entry the whole one.
        public let path: RelativePath

        /// Takes both as they are.
        public init(root: TreeRoot, path: RelativePath) {
            self.root = root
            self.path = path
        }

        /// In the order of the index.
        public static func < (lhs: Place, rhs: Place) -> Bool {
            lhs.root != rhs.root ? lhs.root < rhs.root : lhs.path < rhs.path
        }
    }

    /// Where one thing is among the entries of each tree; nil where a tree does not have it.
    public struct Numbers: Hashable, Sendable {
        /// Among the base's entries.
        public internal(set) var base: Int?
        /// Among ours'.
        public internal(set) var ours: Int?
        /// Among theirs'.
        public internal(set) var theirs: Int?

        /// The one of a tree.
        public subscript(side: Side) -> Int? {
            switch side {
            case .base: base
            case .ours: ours
            case .theirs: theirs
            }
        }
    }

    /// Files that both sides changed, or made, and whose contents are to be merged.
    public struct Request: Hashable, Sendable {
        /// The path of the result.
        public let path: RelativePath
        /// The files; ours and theirs are there.
        public let files: Numbers
        /// Whether they are databases whose logs belong to them, which the result is to have in it.
        public let isUnit: Bool
    }

    /// What merging contents came to.
    public enum Merged: Hashable, Sendable {
        /// Contents that the caller keeps under a number.
        ///
        /// - Parameter needed: the files of a unit that the contents name: they stay, whoever deleted them.
        case made(Int, size: UInt64, digest: ContentDigest, needed: Set<RelativePath> = [])
        /// They can't be merged, which is why there is a conflict: lower case, no period.
        case unfit(String)
    }

    /// What a place of the result has that ours does not have there.
    public struct Edit: Hashable, Sendable {
        /// Where a file's bytes come from.
        public enum Content: Hashable, Sendable {
            /// What is there is no file.
            case none
            /// From an entry of one of the trees.
            case side(Side, Int)
            /// From what the caller made of it.
            case made(Int)
            /// They were written by the user; size and digest are the caller's to find out.
            case bytes([UInt8])
        }

        /// Where.
        public let place: Place
        /// What is there; nil for nothing.
        public let entry: TreeEntry?
        /// Where its bytes come from.
        public let content: Content
    }

    /// What a merge came to.
    public struct Outcome: Sendable {
        /// What turns ours into the result, in the order of the index.
        public let edits: [Edit]
        /// What was decided and can't be done together, as a file in a directory that is none.
        public let problems: [OverlayError]
    }

    let sides: [TreeSide]
    let steps: [Step]

    /// Plans a merge.
    ///
    /// - Parameters:
    ///   - base: with digests, as the others. The three have the same app groups, in the same order, and pass over the same
    ///     ones.
    ///   - ours: the one side.
    ///   - theirs: the other side.
    ///   - isDatabase: whether a file begins as a database does; asked for few.
    public init(base: TreeSide, ours: TreeSide, theirs: TreeSide, isDatabase: @escaping (_ side: Side, _ number: Int) -> Bool) {
        sides = [base, ours, theirs]
        var planner = TreeMergePlanner(sides)
        steps = planner.plan(isDatabase)
    }

    /// Settles the conflicts, in the order of the index.
    ///
    /// - Parameters:
    ///   - decisions: settles each conflict once.
    ///   - merge: merges contents, and settles what conflicts in them.
    public func run<Failure: Error>(
        _ decisions: inout MergeDecisions,
        merging merge: (Request, inout MergeDecisions) throws(Failure) -> Merged
    ) throws(Failure) -> Outcome {
        var run = TreeMergeRun(sides)
        for step in steps {
            switch step.work {
            case .entry(let numbers, let vacated):
                if let vacated { run.put(nil, at: vacated) }
                try run.mergeEntry(numbers, at: step.place, &decisions, merge)
            case .whole(let whole):
                run.settle(whole, at: step.place, &decisions)
            case .unit(let unit):
                try run.mergeUnit(unit, at: step.place, &decisions, merge)
            }
        }
        return run.finished()
    }
}

extension TreeMerge {
    /// One thing to be decided.
    struct Step: Hashable, Sendable {
        /// Where it stands among the others, and what its conflicts name.
        let place: Place
        let work: Work
    }

    /// How a thing is decided.
    enum Work: Hashable, Sendable {
        /// Part by part; where it was moved, the place that it left is to be vacant.
        case entry(Numbers, vacated: Place?)
        /// It is a conflict, of which one side is taken.
        case whole(Whole)
        /// All of a database with what belongs to it.
        case unit(Unit)
    }

    /// Places of which all are one side's.
    struct Whole: Hashable, Sendable {
        let kind: Conflict.Kind
        let reason: String
        /// All of them; those of directories with all that is in them.
        var places: [Place]
        /// Where a side has what it moved from the first of them.
        var moved: [Side: Place] = [:]
    }

    /// A database and what belongs to it, by the places that any tree has.
    struct Unit: Hashable, Sendable {
        /// Its logs, on whatever side.
        var logs: [Place] = []
        /// Its external blobs, with their directory.
        var blobs: [Place] = []

        static func isSharedMemory(_ place: Place) -> Bool { DatabaseUnit.isSharedMemory(place.path) }
    }
}

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

extension TreeEntry {
    /// The entry as conflicts tell of it: `{type, mode, size, digest, target}`, what is missing is left out (docs/merge.md, section 3).
    ///
    /// - Parameters:
    ///   - path: where the conflict is; the entry's own is told where it is another.
    ///   - hasMode: whether its mode is known.
    func facts(at path: RelativePath, hasMode: Bool) -> PlistValue {
        var facts = PlistDictionary()
        if self.path != path { facts["path"] = .name(self.path.bytes) }
        facts["type"] = .string(PlistString(kind.word))
        if kind != .link, hasMode { facts["mode"] = .string(PlistString(mode.octal)) }
        switch kind {
        case .file, .identity:
            facts["size"] = .integer(PlistInteger(size))
            facts["digest"] = .string(PlistString(digest.hex))
        case .link: facts["target"] = .name(target)
        case .directory: break
        }
        return .dictionary(facts)
    }

    /// Whether both have the same bytes, or lead to the same place, or are directories.
    func hasContent(of other: TreeEntry) -> Bool {
        guard kind == other.kind else { return false }
        switch kind {
        case .file, .identity: return size == other.size && digest == other.digest
        case .link: return target == other.target
        case .directory: return true
        }
    }
}
