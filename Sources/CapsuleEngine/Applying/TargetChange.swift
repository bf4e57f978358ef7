import CapsuleCore
import CapsuleFileSystem

/// Brings a live target to another state: says what that would be, or does it as one transaction.
struct TargetChange {
    /// How it is done.
    struct Options: Sendable {
        var mode = ApplyMode.write
        /// Where the overlay goes that takes the change back.
        var undo: OverlayOutput?
        /// How changes are told.
        var comparison = ComparisonOptions()
        /// The moment that the overlay's manifest has.
        var moment: Timestamp
        var jobs = 1
    }

    private(set) var planner: TargetPlanner
    private var bundle: TargetPlanner?
    private let options: Options
    private let progress: (any ProgressObserver)?

    /// - Parameter bundle: what becomes of an app bundle at the same time.
    init(
        _ planner: TargetPlanner, bundle: TargetPlanner? = nil, _ options: Options, progress: (any ProgressObserver)? = nil
    ) {
        self.planner = planner
        self.bundle = bundle
        self.options = options
        self.progress = progress
    }

    /// Plans, and does what the options say.
    mutating func run() throws(CapsuleError) -> ApplyOutcome {
        var plan = try planner.plan()
        if let more = try bundle?.plan() { plan.append(more) }
        try ApplyTransaction.checkPlaces(of: plan)
        var outcome = ApplyOutcome(target: planner.target.path, counts: plan.counts)
        outcome.recovered = planner.target.lock.recovered.map { RecoveryOutcome.Directory($0) }
        outcome.notes = planner.notes + (bundle?.notes ?? [])
        if outcome.isChanged { outcome.advice = planner.target.advice }
        switch options.mode {
        case .check:
            break
        case .dryRun:
            outcome.changes = try changes()
        case .write where !plan.changes.isEmpty:
            outcome.isUndoWritten = try writeUndo()
            do throws(CapsuleError) {
                let done = try ApplyTransaction(plan, in: planner.target.lock, jobs: options.jobs, progress: progress).run()
                outcome.notes += notes(on: done, plan)
            } catch {
                if outcome.isUndoWritten { options.undo?.withdraw() }
                throw error
            }
            outcome.isWritten = true
        case .write:
            break
        }
        planner.target.container.statCache?.save()
        return outcome
    }

    private func notes(on done: ApplyTransaction.Outcome, _ plan: ApplyPlan) -> [String] {
        var notes: [String] = []
        if let first = done.refusedAttributes.first {
            notes.append(
                UnpackOutcome.note(onRefused: done.refusedAttributes.count, first: first.name, of: first.place.path))
        }
        if let leavings = done.leavings {
            notes.append("all is done, but what the transaction left can't be deleted: \(leavings.message)")
        }
        return notes
    }

    private mutating func changes() throws(CapsuleError) -> ContainerDiff {
        let sides = try planner.sides()
        let comparison = Comparison(options.comparison)
        let name = planner.target.path.bytes
        var diff = try comparison.compare(sides.old, sides.new, named: (name, name))
        if let more = try bundle?.sides() {
            diff.entries += try comparison.compare(more.old, more.new, named: (name, name)).entries
        }
        return diff
    }

    /// The overlay that takes the change back, and what becomes of the app bundle with it.
    private mutating func writeUndo() throws(CapsuleError) -> Bool {
        guard let undo = options.undo else { return false }
        let sides = try planner.sides()
        var wanted = OverlayBuilder.Options()
        wanted.jobs = options.jobs
        var package = try OverlayBuilder(turning: sides.new, into: sides.old, options: wanted).package()
        if let more = try bundle?.sides() { package.overlay.targets += try Self.targets(turning: more.new, into: more.old) }
        try undo.write(package, captured: options.moment, jobs: options.jobs, progress: nil)
        return true
    }

    /// What changes an app bundle's property lists back.
    private static func targets(turning old: ComparedSide, into new: ComparedSide) throws(CapsuleError) -> [Overlay.Target] {
        var targets: [Overlay.Target] = []
        for place in new.tree.entries.indices {
            let path = new.tree.entries[place].path
            guard let other = old.file(at: path.bytes, in: .tree),
                case .operations(var target, _) = try PlistTarget(
                    old.sideEntry(other), new.sideEntry(place), at: path, isInGroups: false, identities: ArrayIdentities([]))
            else { continue }
            target.root = .appBundle
            targets.append(target)
        }
        if old.tree.entries.count > new.tree.entries.count {
            throw CapsuleError(
                "a property list that is made in the app can't be taken back by an overlay",
                hint: "leave '--undo' or '--app' out")
        }
        return targets
    }
}

extension ApplyPlan {
    /// Adds what is to be done in other roots, which are among this plan's already.
    mutating func append(_ other: ApplyPlan) {
        guard !other.changes.isEmpty else { return }
        guard let more = other.source else { return }
        guard let own = source else {
            self = ApplyPlan(
                roots: roots, changes: changes + other.changes, source: more,
                directoryTimes: directoryTimes.merging(other.directoryTimes) { first, _ in first })
            return
        }
        let first = own.entries.count
        var joined = own
        joined.entries += more.entries
        let content = own.content as? any PiecewiseContent ?? FilewiseContent(own.content, entries: own.entries)
        let added = more.entries.indices.map { number in
            OverlaidContent.Source.opened { () throws(CapsuleError) in
                try more.content.open(more.entries[number], number: number)
            }
        }
        joined.content = OverlaidContent(
            content, sources: own.entries.indices.map { .own($0) } + added, entries: joined.entries)
        source = joined
        changes += other.changes.map { change in
            guard let wanted = change.wanted, case .file(let number) = wanted.content else { return change }
            return Change(
                place: change.place, present: change.present,
                wanted: Wanted(entry: wanted.entry, content: .file(first + number)))
        }
        directoryTimes.merge(other.directoryTimes) { first, _ in first }
    }
}
