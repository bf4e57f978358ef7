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
