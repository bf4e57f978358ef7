public import CapsuleCore
import CapsuleFileSystem

/// Compares two containers of any form.
public struct Comparison: Sendable {
    private let options: ComparisonOptions
    private let progress: (any ProgressObserver)?

    /// A comparison that looks at what the options say.
    public init(_ options: ComparisonOptions, progress: (any ProgressObserver)? = nil) {
        self.options = options
        self.progress = progress
    }

    /// What differs, by path; nothing is classed as noise but what only differs in how it is stored.
    ///
    /// - Throws: for a container that can't be read; a file of it that can't is told in the result.
    public func run(_ old: Container, _ new: Container) throws(CapsuleError) -> ContainerDiff {
        let sides = try open(old, new)
        let content = EntryComparer(sides.old, sides.new, options)
        var treeOptions = TreeDiff.Options()
        treeOptions.times = options.times
        let items = TreeDiff(sides.old.tree, sides.new.tree, treeOptions).items
        var grouping = UnitGrouping(sides.old.tree, sides.new.tree) { isNew, place in
            (isNew ? sides.new : sides.old).isDatabase(place)
        }
        let groups = grouping.groups(items)
        // What is large is begun first: the others go on beside it.
        let order = groups.indices.sorted { content.size(of: groups[$0]) > content.size(of: groups[$1]) }
        let found = try ParallelMap.run(order.count, threads: options.jobs, itemsPerThread: 1) {
            (number) throws(CapsuleError) -> [EntryComparer.Outcome] in
            try CapsuleError.checkInterruption()
            return try content.compare(groups[order[number]])
        }
        let outcomes = found.joined().sorted { $0.change.path < $1.change.path }
        return ContainerDiff(
            old: ContainerDiff.Side(source: old.argument, tree: sides.old.treeDigest),
            new: ContainerDiff.Side(source: new.argument, tree: sides.new.treeDigest), entries: outcomes.map(\.change),
            isComplete: outcomes.allSatisfy(\.isComplete))
    }

    private func open(_ old: Container, _ new: Container) throws(CapsuleError) -> (old: ComparedSide, new: ComparedSide) {
        if options.depth == .entries, let capsules = try CapsuleSides(old, new, options) { return try capsules.sides() }
        if try new.isLive, let stored = try UnchangedSides(old, options) {
            let live = try ComparedSide(new, options)
            if let sides = try stored.sides(with: live) { return (sides.stored, sides.live) }
            return (try ComparedSide(old, options), live)
        }
        if try old.isLive, let stored = try UnchangedSides(new, options) {
            let live = try ComparedSide(old, options)
            if let sides = try stored.sides(with: live) { return (sides.live, sides.stored) }
            return (live, try ComparedSide(new, options))
        }
        return (try ComparedSide(old, options), try ComparedSide(new, options))
    }
}
