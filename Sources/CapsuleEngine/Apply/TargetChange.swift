public import CapsuleCore
import CapsuleFileSystem
import CapsulePropertyList

/// Brings a live target to another state: says what that would be, or does it as one transaction.
struct TargetChange {
    /// How it is done.
    struct Options: Sendable {
        var mode = ApplyMode.write
        /// Where the overlay goes that takes the change back.
        var undo: OverlayOutput?
        /// How changes are told.
        var comparison = ComparisonOptions()
        /// What the target is to become, as the user named it.
        var source: [UInt8] = []
        /// Files that are read, as the user named them.
        var inputs: [[UInt8]] = []
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
        for input in options.inputs { try Self.refuse(HostPath(input), in: plan) }
        var outcome = ApplyOutcome(target: planner.target.path, counts: plan.counts)
        outcome.recovered = planner.target.lock.recovered.map { RecoveryOutcome.Directory($0) }
        outcome.notes = planner.notes + (bundle?.notes ?? [])
        outcome.remaining = planner.remaining + (bundle?.remaining ?? 0)
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
                outcome.notes += notes(on: done)
            } catch {
                throw outcome.isUndoWritten ? withdrawUndo(after: error) : error
            }
            outcome.isWritten = true
        case .write:
            break
        }
        planner.target.container.statCache?.save()
        return outcome
    }

    /// - Throws: with the code `usage` where a file that is read would go, or get other bytes.
    private static func refuse(_ input: HostPath, in plan: ApplyPlan) throws(CapsuleError) {
        guard let path = input == .standardStream ? RealPath.ofStandardInput() : input,
            let read = try? Syscall.status(path, following: true), read.kind == .file
        else { return }
        for change in plan.changes {
            guard let present = change.present, present.status.isSameFile(as: read) else { continue }
            if let wanted = change.wanted, case .kept = wanted.content { continue }
            throw CapsuleError(
                .usage, "would \(change.wanted == nil ? "delete" : "replace") itself", path: path,
                hint: "move it out of the container first")
        }
    }

    /// Takes back what takes the change back, unless a recovery may still finish the change: then it is the only way.
    private func withdrawUndo(after error: CapsuleError) -> CapsuleError {
        guard let undo = options.undo, error.code == .unfinished else {
            options.undo?.withdraw()
            return error
        }
        var error = error
        error.details.append("\(undo.path) undoes the change if it gets completed")
        return error
    }

    private func notes(on done: ApplyTransaction.Outcome) -> [String] {
        var notes: [String] = []
        if let first = done.refusedAttributes.first {
            notes.append(
                UnpackOutcome.note(onRefused: done.refusedAttributes.count, first: first.name, of: first.place.path))
        }
        if let leavings = done.leavings {
            notes.append("all changes were made, but the transaction's files can't be deleted: \(leavings.message)")
        }
        return notes
    }

    private mutating func changes() throws(CapsuleError) -> ContainerDiff {
        let sides = try planner.sides()
        let comparison = Comparison(options.comparison)
        let name = planner.target.path.bytes
        var diff = try comparison.compare(sides.old, sides.new, named: (name, options.source))
        if let more = try bundle?.sides() {
            diff.entries += try comparison.compare(more.old, more.new, named: (name, options.source)).entries
        }
        return diff
    }

    /// The overlay that takes the change back, and what becomes of the app bundle with it.
    private mutating func writeUndo() throws(CapsuleError) -> Bool {
        guard let undo = options.undo else { return false }
        var sides = try planner.sides()
        // It is for the target, whatever that was made of.
        sides.new.origin = sides.old.origin
        var wanted = OverlayBuilder.Options()
        wanted.jobs = options.jobs
        var package = try OverlayBuilder(turning: sides.new, into: sides.old, options: wanted).package()
        if let more = try bundle?.sides() { package.overlay.targets += try Self.targets(turning: more.new, into: more.old) }
        do throws(CapsuleError) {
            try undo.forOwner.write(package, captured: options.moment, jobs: options.jobs, progress: nil)
        } catch {
            guard error.code == .unsynced else { throw error }
            undo.withdraw()
            throw CapsuleError(error.message, path: error.path)
        }
        return true
    }

    /// What changes an app bundle's property lists back.
    private static func targets(turning old: ComparedSide, into new: ComparedSide) throws(CapsuleError) -> [Overlay.Target] {
        var targets: [Overlay.Target] = []
        for place in new.tree.entries.indices {
            let path = new.tree.entries[place].path
            guard new.tree.entries[place].kind == .file, let other = old.file(at: path.bytes, in: .tree) else { continue }
            let (before, after) = (old.sideEntry(other), new.sideEntry(place))
            guard before.isOtherContent(than: after) else { continue }
            var target = Overlay.Target(path: "\(path)", root: .appBundle)
            if case .operations(let made, _) = try PlistTarget(
                before, after, at: path, isInGroups: false, identities: ArrayIdentities([]))
            {
                target.operations = made.operations
            }
            let formats = (Self.isBinary(try before.open()), Self.isBinary(try after.open()))
            if formats.0 != formats.1 { target.encode = formats.1 ? .binary : .xml }
            guard !target.operations.isEmpty || target.encode != nil else {
                throw CapsuleError(
                    "can't be undone by an overlay", path: HostPath(path.bytes), hint: "omit '--undo' or '--app'")
            }
            targets.append(target)
        }
        if old.tree.entries.count > new.tree.entries.count {
            throw CapsuleError(
                "creating a property list in the app can't be undone by an overlay",
                hint: "omit '--undo' or '--app'")
        }
        return targets
    }

    private static func isBinary(_ content: any OpenContent) -> Bool {
        PlistFormat.sniff((try? content.start(8)) ?? []) == .binary
    }
}

/// What is done with what was worked out for a target.
public enum ApplyMode: Sendable {
    /// The target is changed.
    case write
    /// Nothing: only whether anything would change is told.
    case check
    /// Nothing: what would change is told as a comparison tells it.
    case dryRun
}

/// How many entries change, by what becomes of them.
public struct ApplyCounts: Hashable, Sendable {
    /// Files whose bytes are put in place.
    public var written = 0
    /// The sum of their lengths.
    public var bytes: UInt64 = 0
    /// Directories and links that are made.
    public var made = 0
    /// Entries of which only mode or attributes change.
    public var facts = 0
    /// Entries that go, those among them that another kind of entry replaces.
    public var deleted = 0

    /// Whether nothing changes.
    public var isEmpty: Bool { self == ApplyCounts() }

    init() {}
}

/// What came of applying to, or restoring, a live container.
public struct ApplyOutcome: Sendable {
    /// As the user named it.
    public let target: HostPath
    /// What was changed, or would be.
    public let counts: ApplyCounts
    /// How many directories stay that are not to be there, since something lies in them that no container holds, such as a pipe.
    public internal(set) var remaining = 0
    /// Whether anything was changed.
    public internal(set) var isWritten = false
    /// Whether the overlay that takes the change back was written.
    public internal(set) var isUndoWritten = false
    /// What would change, if that was asked for.
    public internal(set) var changes: ContainerDiff?
    /// What unfinished transactions were brought to first.
    public internal(set) var recovered: [RecoveryOutcome.Directory] = []
    /// What is worth a word, a sentence each.
    public internal(set) var notes: [String] = []
    /// What to do on a simulator, so that what is changed is not overwritten; nil where the target is on none, or nothing changes.
    public internal(set) var advice: SimulatorAdvice?

    /// Whether anything changes.
    public var isChanged: Bool { !counts.isEmpty }

    /// Whether anything differs from what it is to be, whether it can be changed or not.
    public var isDifferent: Bool { isChanged || remaining > 0 }

    init(target: HostPath, counts: ApplyCounts) {
        self.target = target
        self.counts = counts
    }
}

extension ApplyPlan {
    /// How many entries change.
    var counts: ApplyCounts {
        var counts = ApplyCounts()
        for change in changes {
            guard let wanted = change.wanted else {
                counts.deleted += 1
                continue
            }
            switch wanted.content {
            case .kept:
                counts.facts += 1
                continue
            case .file:
                counts.written += 1
                counts.bytes &+= wanted.entry.size
            case .none:
                counts.made += 1
            }
            if let present = change.present, present.entry.kind != wanted.entry.kind { counts.deleted += 1 }
        }
        return counts
    }
}
