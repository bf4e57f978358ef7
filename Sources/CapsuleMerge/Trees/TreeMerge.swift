package import CapsuleCore
import CapsulePropertyList

/// A merge of three trees (docs/merge.md, section 1): a plan that depends only on the trees, and its result, which also depends on
/// the decisions on conflicts.
///
/// The result is given as changes to ours. Wrappers and identities are skipped: those of ours stay.
package struct TreeMerge: Sendable {
    package enum Side: Int, Hashable, Sendable, CaseIterable {
        /// The common origin of the two others.
        case base
        /// The tree that the result is based on.
        case ours
        /// The tree that is merged into ours.
        case theirs
    }

    /// The numbers of one entry in the three trees; nil where a tree does not have it.
    package struct Numbers: Hashable, Sendable {
        package internal(set) var base: Int?
        package internal(set) var ours: Int?
        package internal(set) var theirs: Int?

        package subscript(side: Side) -> Int? {
            switch side {
            case .base: base
            case .ours: ours
            case .theirs: theirs
            }
        }
    }

    /// Files that both sides changed or added, and whose contents must be merged.
    package struct Request: Hashable, Sendable {
        package let path: RelativePath
        /// The numbers of the files. Ours and theirs are never nil.
        package let files: Numbers
        /// True if the files are databases with logs. The result must contain the content of the logs.
        package let isUnit: Bool
    }

    /// The result of merging contents.
    package enum ContentMergeResult: Hashable, Sendable {
        /// Merged contents, which the caller keeps under a number.
        ///
        /// - Parameter needed: the files of a unit that the contents refer to. They stay, even if a side deleted them.
        case made(Int, size: UInt64, digest: ContentDigest, needed: Set<RelativePath> = [])
        /// The contents can't be merged. The text is the reason for the conflict, in lower case without a period.
        case unfit(String)
    }

    /// A change to ours at one place.
    package struct Edit: Hashable, Sendable {
        /// The source of a file's bytes.
        package enum Content: Hashable, Sendable {
            case none
            /// The content of an entry of one of the trees.
            case side(Side, Int)
            /// The merged contents that the caller keeps under a number.
            case made(Int)
            /// Bytes that the user wrote. The caller must determine their size and digest.
            case bytes([UInt8])
        }

        package let place: EntryPath
        package let entry: TreeEntry?
        package let content: Content
    }

    package struct Outcome: Sendable {
        /// The changes that turn ours into the result, in the order of the index.
        package let edits: [Edit]
        /// Decisions that can't be carried out together, such as a file in something that is not a directory.
        package let problems: [OverlayError]
    }

    let sides: [TreeSide]
    let steps: [Decision]

    /// - Parameters:
    ///   - base: the base, with digests like the others. The three have the same app groups in the same order, and skip the same
    ///     ones.
    ///   - isDatabase: returns true if a file begins as a database does. It is called for few files.
    package init(base: TreeSide, ours: TreeSide, theirs: TreeSide, isDatabase: @escaping (_ side: Side, _ number: Int) -> Bool) {
        sides = [base, ours, theirs]
        var planner = TreeMergePlanner(sides)
        steps = planner.plan(isDatabase)
    }

    /// Settles the conflicts in the order of the index, and returns the result.
    package func run<Failure: Error>(
        _ decisions: inout MergeDecisions,
        merging merge: (Request, inout MergeDecisions) throws(Failure) -> ContentMergeResult
    ) throws(Failure) -> Outcome {
        var run = TreeMerger(sides)
        for step in steps {
            switch step.work {
            case .entry(let numbers, let vacated):
                if let vacated { run.put(nil, at: vacated) }
                try run.mergeEntry(numbers, at: step.place, &decisions, merge)
            case .whole(let whole):
                run.resolve(whole, at: step.place, &decisions)
            case .unit(let unit):
                try run.mergeUnit(unit, at: step.place, &decisions, merge)
            }
        }
        return run.finished()
    }
}

extension TreeMerge {
    struct Decision: Hashable, Sendable {
        /// The place that determines the order of the steps, and that conflicts name.
        let place: EntryPath
        let work: Work
    }

    /// The way in which a step is decided.
    enum Work: Hashable, Sendable {
        /// An entry, which is merged part by part. If it was moved, `vacated` is the place that it left, which becomes empty.
        case entry(Numbers, vacated: EntryPath?)
        /// A conflict in which one side is taken.
        case whole(AtomicGroup)
        case unit(Unit)
    }

    /// Places that are all taken from the same side.
    struct AtomicGroup: Hashable, Sendable {
        let kind: Conflict.Kind
        let reason: String
        /// All places, including everything inside directories.
        var places: [EntryPath]
        /// The places to which the sides moved the first place.
        var moved: [Side: EntryPath] = [:]
    }

    /// The files that belong to a database, at the places that any tree has.
    struct Unit: Hashable, Sendable {
        var logs: [EntryPath] = []
        /// The external blobs, with their directory.
        var blobs: [EntryPath] = []

        static func isSharedMemory(_ place: EntryPath) -> Bool { DatabaseUnit.isSharedMemory(place.path) }
    }
}

/// The three trees of a merge, with lookups by place.
struct TreeMergeSides: Sendable {
    typealias Side = TreeMerge.Side

    let sides: [TreeSide]

    init(_ sides: [TreeSide]) { self.sides = sides }
    subscript(side: Side) -> TreeSide { sides[side.rawValue] }
    func entry(_ side: Side, _ number: Int?) -> TreeEntry? { number.map { self[side].entries[$0] } }
    func number(_ side: Side, at place: EntryPath) -> Int? { self[side].entries.index(at: place) }

    func numbers(at place: EntryPath) -> TreeMerge.Numbers {
        TreeMerge.Numbers(base: number(.base, at: place), ours: number(.ours, at: place), theirs: number(.theirs, at: place))
    }

    func entry(_ side: Side, at place: EntryPath) -> TreeEntry? { entry(side, number(side, at: place)) }

    /// Returns true if two entries are the same apart from their times, as far as is known.
    func areSame(_ one: Side, _ number: Int, _ other: Side, _ otherNumber: Int) -> Bool {
        self[one].entries[number].isSame(as: self[other].entries[otherNumber])
    }

    func facts(_ side: Side, _ number: Int?, at path: RelativePath) -> PlistValue? {
        number.map { self[side].entries[$0].facts(at: path) }
    }
}

extension TreeEntry {
    /// Returns the entry as conflicts describe it: `{type, mode, size, digest, target}`, without missing parts (docs/merge.md,
    /// section 3).
    ///
    /// - Parameter path: the path of the conflict. The entry's own path is included if it is another one.
    func facts(at path: RelativePath) -> PlistValue {
        var facts = PlistDictionary()
        if self.path != path { facts["path"] = .name(self.path.bytes) }
        facts["type"] = .string(PlistString(kind.word))
        if let mode = knownMode { facts["mode"] = .string(PlistString(mode.octal)) }
        switch kind {
        case .file, .identity:
            facts["size"] = .integer(PlistInteger(size))
            facts["digest"] = .string(PlistString(digest.hex))
        case .link: facts["target"] = .name(target)
        case .directory: break
        }
        return .dictionary(facts)
    }
}
