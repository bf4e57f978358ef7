package import CapsuleContainers
package import CapsuleCore
import CapsuleOverlay
import CapsulePropertyList
package import CapsuleRules
import CapsuleSystem
import CapsuleTransaction

/// Changes a live target to another state in one transaction, or reports the changes without making them.
struct TargetChange {
    struct Options: Sendable {
        var mode = ApplyMode.write
        var undo: OutputFile?
        var comparison = DiffOptions()
        var source: [UInt8] = []
        var inputs: [[UInt8]] = []
        var moment: Timestamp
        var jobs = 1
    }

    private(set) var planner: TargetPlanner
    private var bundle: TargetPlanner?
    private let options: Options
    private let progress: (any ProgressObserver)?

    init(
        _ planner: TargetPlanner, bundle: TargetPlanner? = nil, _ options: Options, progress: (any ProgressObserver)? = nil
    ) {
        self.planner = planner
        self.bundle = bundle
        self.options = options
        self.progress = progress
    }

    /// - Parameter check: throws if the plan must not be carried out.
    mutating func run(
        checking check: (TargetPlanner) throws(CapsuleError) -> Void = { (_) in }
    ) throws(CapsuleError) -> ApplyOutcome {
        var plan = try planner.plan()
        try check(planner)
        if let more = try bundle?.plan(), let wanted = bundle?.wanted { plan.append(more, of: wanted, to: planner.wanted) }
        try ApplyTransaction.checkPlaces(of: plan)
        for input in options.inputs { try Self.refuse(HostPath(input), in: plan) }
        var outcome = ApplyOutcome(counts: ApplyCounts(plan.changes), groups: planner.groupCounts(plan))
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
                outcome.notes += done.notes
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

    /// Refuses a plan that would delete or replace a file that is read.
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

    /// Deletes the undo file, unless a recovery may still complete the change. Then the undo file is the only way to undo it.
    private func withdrawUndo(after error: CapsuleError) -> CapsuleError {
        guard let undo = options.undo, error.code == .unfinished else {
            options.undo?.withdraw()
            return error
        }
        var error = error
        error.details.append("\(undo.path) undoes the change if it gets completed")
        return error
    }

    private mutating func changes() throws(CapsuleError) -> ContainerDiff {
        let sides = try planner.sides()
        var wanted = options.comparison
        // Everything that is written is reported.
        wanted.rules = .none
        let comparison = ContainerDiffer(wanted)
        let name = planner.target.path.bytes
        var diff = try comparison.compare(sides.old, sides.new, named: (name, options.source))
        if let more = try bundle?.sides() {
            diff.entries += try comparison.compare(more.old, more.new, named: (name, options.source)).entries
        }
        return diff
    }

    /// Writes the undo file, which also undoes the changes to the app bundle.
    private mutating func writeUndo() throws(CapsuleError) -> Bool {
        guard let undo = options.undo else { return false }
        var sides = try planner.sides()
        // The undo file is for the target, wherever its new state came from.
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
                throw CapsuleError("can't be undone by an overlay", path: HostPath(path.bytes), hint: "omit '--undo' or '--app'")
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

package enum ApplyMode: Sendable {
    case write
    /// Changes nothing, and reports only if anything would change.
    case check
    /// Changes nothing, and reports the changes as a comparison does.
    case dryRun
}

/// The number of entries that change, by kind of change.
package struct ApplyCounts: Hashable, Sendable {
    /// The number of files whose bytes are written.
    package var written = 0
    /// The sum of the sizes of these files, in bytes.
    package var bytes: UInt64 = 0
    /// The number of directories and links that are created.
    package var made = 0
    /// The number of entries of which only the mode or the attributes change.
    package var facts = 0
    /// The number of entries that are deleted, including those that an entry of another kind replaces.
    package var deleted = 0

    package var isEmpty: Bool { self == ApplyCounts() }
}

/// The result of applying an overlay to, or restoring, a live container.
package struct ApplyOutcome: Sendable {
    package let counts: ApplyCounts
    /// The counts of each app group that takes part, sorted by the bytes of the identifiers. ``counts`` includes them.
    package let groups: [(identifier: [UInt8], counts: ApplyCounts)]
    /// The number of directories that should be deleted but stay, because they contain something that a container can't hold,
    /// such as a pipe.
    package internal(set) var remaining = 0
    package internal(set) var isWritten = false
    package internal(set) var isUndoWritten = false
    package var changes: ContainerDiff?
    package internal(set) var deletions: [RelativePath] = []
    /// The directories in which an unfinished transaction was recovered first.
    package internal(set) var recovered: [RecoveryOutcome.Directory] = []
    package internal(set) var notes: [String] = []
    /// The steps that keep the app on a simulator from overwriting the change; nil if the target is not on a simulator, or
    /// nothing changes.
    package internal(set) var advice: SimulatorAdvice?

    package var isChanged: Bool { !counts.isEmpty }

    /// True if the target differs from the wanted state, even if the difference can't be removed.
    package var isDifferent: Bool { isChanged || remaining > 0 }
}

extension ApplyCounts {
    init(_ changes: [ApplyPlan.Change]) {
        for change in changes {
            guard let wanted = change.wanted else {
                deleted += 1
                continue
            }
            switch wanted.content {
            case .kept:
                facts += 1
                continue
            case .file:
                written += 1
                bytes &+= wanted.entry.size
            case .none:
                made += 1
            }
            if let present = change.present, present.entry.kind != wanted.entry.kind { deleted += 1 }
        }
    }
}
