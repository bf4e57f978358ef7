import CapsuleContainers
public import CapsuleCore
import CapsuleEngine
import CapsulePropertyList
import CapsuleRules

/// The options for comparing two containers.
public struct ComparisonOptions: Sendable {
    /// The paths or patterns to compare, with everything below them; empty for everything.
    public var paths: [String] = []
    /// The path of a file of noise rules. The built-in rules come before them.
    public var rules: String?
    /// True to show the values of secrets, such as tokens and cookies. Expectations judge them in any case.
    public var showsSecrets = false
    /// True to use and update the user's cache of digests.
    public var usesCache = true

    /// Creates options that compare everything by the built-in rules.
    public init() {}
}

/// The changes from one container to another, as a sequence.
///
///     for change in try before.difference(to: after) { print(change) }
///
/// Changes that apps and the system make all the time are noise: they are counted, and not in the sequence. ``withNoise`` has them, too.
public struct Difference: Sendable, Sequence {
    let diff: ContainerDiff
    /// The same with secrets hidden, unless they are wanted.
    let shown: ContainerDiff
    private let hasNoise: Bool
    /// Remarks about what was compared, such as directories that can't be listed.
    public let notes: [String]

    init(_ diff: ContainerDiff, shown: ContainerDiff, notes: [String], hasNoise: Bool = false) {
        self.diff = diff
        self.shown = shown
        self.notes = notes
        self.hasNoise = hasNoise
    }

    /// The same difference with the noise in its sequence.
    public var withNoise: Difference { Difference(diff, shown: shown, notes: notes, hasNoise: true) }

    /// True if nothing differs but noise.
    public var isEmpty: Bool { !diff.isDifferent }

    /// The number of changes without the noise. A change of a row counts once, whatever the number of its columns.
    public var count: Int { diff.counts.changes }

    /// The number of changes that are noise.
    public var noiseCount: Int { diff.counts.noiseChanges }

    /// True if everything was read and compared. If not, there may be more changes.
    public var isComplete: Bool { diff.isComplete && diff.isExact && diff.unread == 0 }

    /// Returns an iterator over the changes, sorted by path.
    public func makeIterator() -> Iterator { Iterator(self) }

    /// Goes through the changes of a difference, one at a time.
    public struct Iterator: IteratorProtocol {
        private let difference: Difference
        private var entry = 0
        /// The changes of the current entry that are not returned yet, the next one at the end.
        private var pending: [Change] = []

        fileprivate init(_ difference: Difference) {
            self.difference = difference
        }

        /// Returns the next change; nil after the last one.
        public mutating func next() -> Change? {
            while pending.isEmpty {
                guard entry < difference.diff.entries.count else { return nil }
                pending = difference.changes(ofEntry: entry).reversed()
                entry += 1
            }
            return pending.removeLast()
        }
    }

    private func changes(ofEntry number: Int) -> [Change] {
        let entry = shown.entries[number]
        var changes: [Change] = []
        if entry.countsItself, hasNoise || entry.noise == nil {
            changes.append(Change(ChangeReference(entry: number), in: shown, noise: entry.noise))
        }
        for (index, detail) in entry.details.enumerated() where detail.isChange {
            let noise = detail.noise ?? entry.noise
            guard hasNoise || noise == nil else { continue }
            changes.append(Change(ChangeReference(entry: number, detail: index), in: shown, noise: noise))
        }
        return changes
    }
}

extension Container {
    /// Compares the container with a later state of it. Property lists are compared by keys, databases by rows, texts by lines.
    ///
    /// - Parameters:
    ///   - other: the container as it is later.
    ///   - options: the options.
    /// - Throws: ``CapsuleError`` if a container or the file of rules can't be read.
    public func difference(
        to other: Container, _ options: ComparisonOptions = ComparisonOptions()
    ) throws(CapsuleError) -> Difference {
        try compare(with: other, options.engineOptions(), showsSecrets: options.showsSecrets)
    }

    func compare(with other: Container, _ options: DiffOptions, showsSecrets: Bool) throws(CapsuleError) -> Difference {
        let (old, new) = (resolved(), other.resolved())
        let diff = try ContainerDiffer(options).run(old.container, new.container)
        return Difference(
            diff, shown: showsSecrets ? diff : diff.hidingSecrets(),
            notes: diff.notes + (old.warnings.all + new.warnings.all).map(\.description))
    }
}

extension ComparisonOptions {
    func engineOptions() throws(CapsuleError) -> DiffOptions {
        var options = DiffOptions()
        options.paths = paths.map { Array($0.utf8) }
        if let rules { options.judging.rules = try DiffDocuments.rules(HostPath(rules)) }
        options.usesCache = usesCache
        // A program can filter by itself: nothing is cut off for it.
        options.rows = nil
        options.lines = nil
        options.isFull = true
        options.databaseTime = nil
        options.jobs = Work.jobs
        return options
    }
}
