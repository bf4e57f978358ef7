public import CapsuleCore
import CapsuleSystem
import CapsulePropertyList

/// Compares two containers of any form.
public struct Comparison: Sendable {
    private var options: ComparisonOptions
    private let progress: (any ProgressObserver)?

    /// A comparison that looks at what the options say.
    public init(_ options: ComparisonOptions, progress: (any ProgressObserver)? = nil) {
        self.options = options
        self.progress = progress
    }

    /// What differs, by path; nothing is classed as noise but what only differs in how it is stored.
    ///
    /// - Parameters:
    ///   - old: the container as it was.
    ///   - new: the container as it is.
    /// - Throws: for a container that can't be read; a file of it that can't is told in the result.
    public func run(_ old: Container, _ new: Container) throws(CapsuleError) -> ContainerDiff {
        try run(old, new, beforeComparing: nil)
    }

    /// What is done with two sides before they are compared.
    typealias Preparation = (
        _ old: ComparedSide, _ new: ComparedSide, ComparisonOptions, (any ProgressObserver)?
    ) throws(CapsuleError) -> Void

    /// - Parameter prepare: what gets both sides, also what does not differ; nil if that is not wanted.
    func run(
        _ old: Container, _ new: Container, beforeComparing prepare: Preparation?
    ) throws(CapsuleError) -> ContainerDiff {
        var sides = try open(old, new, isWhole: prepare != nil)
        var passedOver = Self.passOverGroups(of: &sides.new, against: sides.old)
        passedOver += Self.passOverGroups(of: &sides.old, against: sides.new)
        if let prepare { try prepare(sides.old, sides.new, options, progress) }
        var diff = try compare(sides.old, sides.new, named: (old.argument, new.argument))
        diff.passedOverGroups = passedOver
        diff.notes = passedOver.map { group in
            "the app group \(String(decoding: group, as: UTF8.self)) is not compared: name the other side's directory with '--group'"
        }
        diff.notes += Self.notes(on: diff.metadataGaps) + Self.notes(onSpecialFilesOf: sides.old, sides.new)
        if options.describes { diff.described = try description(of: diff, sides.old, sides.new) }
        diff.unmatchable = try UnmatchableClauses(sides.old, sides.new, options).find(in: diff)
        return diff
    }

    /// What differs between two files of any kind, told as one entry that has the newer one's name. Modes are not compared.
    ///
    /// - Throws: for a file that can't be read.
    public func run(files old: HostPath, _ new: HostPath) throws(CapsuleError) -> ContainerDiff {
        let remarks = Remarks()
        let sides = try ParallelMap.run(2, threads: options.jobs, itemsPerThread: 1) {
            (number) throws(CapsuleError) -> ComparedSide in
            let file = try LooseFile(number == 0 ? old : new)
                .open(as: LooseFile(new).name, jobs: options.jobs, remarks: remarks)
            return try ComparedSide(file, options, progress: progress)
        }
        var diff = try compare(sides[0], sides[1], named: (old.bytes, new.bytes))
        diff.notes += remarks.all.map(\.description)
        if options.describes { diff.described = try description(of: diff, sides[0], sides[1]) }
        diff.unmatchable = try UnmatchableClauses(sides[0], sides[1], options).find(in: diff)
        return diff
    }

    /// The expectation of exactly what differs.
    ///
    /// Clauses that more than one change fits have to count them. Where not all changes were kept, that takes a second comparison:
    /// what the clauses are is known only at the end of the first.
    ///
    /// - Returns: nil where there is none; ``Expectation/describing(_:)`` says why.
    private func description(
        of diff: ContainerDiff, _ old: ComparedSide, _ new: ComparedSide
    ) throws(CapsuleError) -> PlistValue? {
        var counted = diff
        options.rules.classify(&counted)
        guard let describer = try? ChangeDescriber(counted) else { return nil }
        if diff.unshownChanges > 0 {
            var counting = self
            counting.options.describes = false
            counting.options.learns = false
            counting.options.keepsPictures = false
            counting.options.rows = 0
            counting.options.expectation = describer.expectation
            counted = try counting.compare(old, new, named: (diff.old.source, diff.new.source))
            options.rules.classify(&counted)
        }
        return describer.document(describer.expectation.evaluate(counted))
    }

    /// What differs between two containers that are open, by path.
    func compare(
        _ old: ComparedSide, _ new: ComparedSide, named names: (old: [UInt8], new: [UInt8])
    ) throws(CapsuleError) -> ContainerDiff {
        let content = EntryComparer(old, new, options)
        var treeOptions = TreeDiff.Options()
        treeOptions.times = options.times
        let unlisted = UnlistedDirectories(old: old, new: new)
        let trees = TreeDiff(old.tree, new.tree, treeOptions)
        var grouping = UnitGrouping(old.tree, new.tree) { isNew, place in (isNew ? new : old).isDatabase(place) }
        let groups = grouping.groups(unlisted.known(trees.items))
        // What is large is begun first: the others go on beside it.
        let order = groups.indices.sorted { content.size(of: groups[$0]) > content.size(of: groups[$1]) }
        let found = try ParallelMap.run(order.count, threads: options.jobs, itemsPerThread: 1) {
            (number) throws(CapsuleError) -> [EntryComparer.Outcome] in
            try CapsuleError.checkInterruption()
            return try content.compare(groups[order[number]])
        }
        var outcomes = found.flatMap { $0 }
        unlisted.note(in: &outcomes)
        outcomes.sort { $0.change.path < $1.change.path }
        var diff = ContainerDiff(
            old: ContainerDiff.Side(source: names.old, tree: old.treeDigest, origin: old.shownOrigin),
            new: ContainerDiff.Side(source: names.new, tree: new.treeDigest, origin: new.shownOrigin),
            entries: outcomes.map(\.change),
            isComplete: outcomes.allSatisfy(\.isComplete))
        diff.metadataGaps = trees.gaps
        return diff
    }

    /// One note on each sort of facts that are not compared.
    private static func notes(on gaps: [MetadataGap]) -> [String] {
        [MetadataGap.Facts.mode, .attributes].compactMap { facts in
            let paths = gaps.lazy.filter { $0.facts == facts }.map(\.path)
            guard let first = paths.first else { return nil }
            let more = paths.count > 1 ? " and \(paths.count - 1) more" : ""
            return "\(facts.words) are not compared because only one side can have them: \(first)\(more)"
        }
    }

    /// A note on the sockets, pipes and devices that only one side has: no form of a container holds them, so they are not compared.
    private static func notes(onSpecialFilesOf old: ComparedSide, _ new: ComparedSide) -> [String] {
        let differing = Set(old.specialFiles).symmetricDifference(new.specialFiles)
            .sorted { $0.path.lexicographicallyPrecedes($1.path) }
        guard let first = differing.first else { return [] }
        let more = differing.count > 1 ? " and \(differing.count - 1) more" : ""
        return ["sockets, pipes and devices are not compared: \(HostPath(first.shownPath))\(more)"]
    }

    /// Leaves the app groups of a side out that a live container does not have, since it has none at all: they lie elsewhere.
    ///
    /// - Returns: their identifiers.
    private static func passOverGroups(of side: inout ComparedSide, against other: ComparedSide) -> [[UInt8]] {
        guard other.isLive, other.tree.groups.isEmpty, !side.tree.groups.isEmpty else { return [] }
        side.tree.passedOver = Set(side.tree.groups)
        return side.tree.groups
    }

    /// - Parameter isWhole: whether also what does not differ is wanted.
    private func open(
        _ old: Container, _ new: Container, isWhole: Bool
    ) throws(CapsuleError) -> (old: ComparedSide, new: ComparedSide) {
        try old.refuseOverlay()
        try new.refuseOverlay()
        // Whether a clause can match anything, also what does not differ tells.
        if isWhole || !options.paths.isEmpty || options.expectation != nil {
            let sides = try wholeSides(old, new)
            for missing in sides.old.unmatched {
                guard let other = sides.new.unmatched.first(where: { $0.error.path == missing.error.path }) else { continue }
                throw Self.unmatched(missing, other)
            }
            return sides
        }
        if options.depth == .entries, let capsules = try CapsuleSides(old, new, options) { return try capsules.sides() }
        if try new.isLive, let stored = try UnchangedSides(old, options) {
            let live = try side(new)
            if let sides = try stored.sides(with: live) { return (sides.stored, sides.live) }
            return (try side(old), live)
        }
        if try old.isLive, let stored = try UnchangedSides(new, options) {
            let live = try side(old)
            if let sides = try stored.sides(with: live) { return (sides.live, sides.stored) }
            return (live, try side(new))
        }
        return try wholeSides(old, new)
    }

    /// The error for a path that names nothing on either side, with the hint of the side that knows more.
    private static func unmatched(_ old: UnmatchedPath, _ new: UnmatchedPath) -> CapsuleError {
        if let around = [old, new].first(where: \.isAround) { return around.error }
        return CapsuleError(
            .notFound, "matches nothing on either side", path: old.error.path,
            hint: old.suggestion ?? new.suggestion ?? "'capsule ls' lists what is in each")
    }

    private func wholeSides(
        _ old: Container, _ new: Container
    ) throws(CapsuleError) -> (old: ComparedSide, new: ComparedSide) {
        let sides = try ParallelMap.run(2, threads: options.jobs, itemsPerThread: 1) {
            (number) throws(CapsuleError) -> ComparedSide in try side(number == 0 ? old : new)
        }
        return (sides[0], sides[1])
    }

    private func side(_ container: Container) throws(CapsuleError) -> ComparedSide {
        try ComparedSide(container, options, progress: progress)
    }
}

/// How to compare two containers.
public struct ComparisonOptions: Sendable {
    /// How far a comparison looks.
    public enum Depth: Sendable {
        /// At the entries and into small property lists: of two capsules little more than the indexes is read.
        case entries
        /// Into all contents that differ.
        case contents
    }

    /// How far to look.
    public var depth = Depth.contents
    /// What is compared, by path or pattern, with all below; empty for everything. What only one side has is no error.
    public var paths: [[UInt8]] = []
    /// Whether another time of the last change is a change.
    public var times = false
    /// Lines around those that differ in texts.
    public var context = 3
    /// Rows of a table that are kept, beside those that are noise; nil for all. All of them are judged.
    public var rows: Int? = 1_000
    /// Lines of a text that are kept; nil for all.
    public var lines: Int? = 1_000
    /// Whether long values are kept whole.
    public var isFull = false
    /// Whether secrets are told, such as cookies' values.
    public var showsSecrets = false
    /// Whether changed images are kept for a report that shows them.
    public var keepsPictures = false
    /// Whether a report says which app's and which version's containers they are.
    public var describesSides = false
    /// Whether the trees' digests are wanted, for which all files of live containers and archives are read.
    public var needsTreeDigests = false
    /// What is noise. Changes that are not kept are classed by these rules while they are found, so give the same ones to
    /// whatever classes the result.
    public var rules = NoiseRules()
    /// What the result is held against: its verdict counts the changes that are not kept, too.
    public var expectation: Expectation?
    /// Whether rules are learned of the result (CapsuleCore's `LearnedRules`), also of the changes that are not kept.
    public var learns = false
    /// Whether the result is to have an expectation of exactly what differs (`described` of CapsuleCore's `ContainerDiff`).
    public var describes = false
    /// What may be spent on each side of one database; nil for as long as it takes. What ends there makes the result inexact.
    public var databaseTime: Duration? = .seconds(60)
    /// How elements of arrays pair, before the built-in rules.
    public var arrays: [ArrayIdentities.Rule] = []
    /// Directories of app groups of live containers, by identifier.
    public var groups: [(identifier: [UInt8], directory: HostPath)] = []
    /// Whether what was read of live containers is kept in the user's cache.
    public var usesCache = true
    /// How many threads work.
    public var jobs = 1

    /// Looks into all contents, by one thread, unless changed.
    public init() {}
}

/// Directories of two sides that could not be listed: what lies in them on the other side is neither added nor deleted.
private struct UnlistedDirectories {
    let old: ComparedSide
    let new: ComparedSide

    /// Without what is only missing because nobody could look.
    func known(_ items: [TreeDiff.Item]) -> [TreeDiff.Item] {
        if old.unlisted.isEmpty, new.unlisted.isEmpty { return items }
        return items.filter { item in
            switch (item.old, item.new) {
            case (let place?, nil): !Self.isBelow(old.tree.entries[place].path, new.unlisted)
            case (nil, let place?): !Self.isBelow(new.tree.entries[place].path, old.unlisted)
            default: true
            }
        }
    }

    private static func isBelow(_ path: RelativePath, _ directories: [RelativePath: String]) -> Bool {
        if directories.isEmpty { return false }
        var parent = path.parent
        while let directory = parent {
            if directories[directory] != nil { return true }
            parent = directory.parent
        }
        return false
    }

    /// Says of each directory that it is not known whether what is in it differs.
    func note(in outcomes: inout [EntryComparer.Outcome]) {
        for (side, name) in [(old, HandlerFallback.Side.a), (new, .b)] {
            for (path, reason) in side.unlisted {
                let fallback = ChangeDetail(
                    .fallback(
                        HandlerFallback(
                            side: name, from: HandlerFallback.content, to: HandlerFallback.nothing,
                            reason: "can't be listed: \(reason)")))
                if let place = outcomes.firstIndex(where: { $0.change.path == path }) {
                    outcomes[place].change.details.append(fallback)
                    outcomes[place].isComplete = false
                } else {
                    outcomes.append((EntryChange(.modified, at: path, details: [fallback]), false))
                }
            }
        }
    }
}
