import CapsuleContainers
package import CapsuleCore
import CapsuleOverlay
import CapsuleRules
import CapsuleSystem
import CapsuleTransaction

/// A change of a live container to another state, in one transaction, or a report of the change without making it. `restore`,
/// `drop`, `apply` and `undo` differ only in the state that they plan.
package struct LiveChange: Sendable {
    package struct Options: Sendable {
        package var mode = ApplyMode.write
        /// The undo file. It is written first, and only if there is a change.
        package var undo: OutputFile?
        /// Where what the change replaces is kept for `capsule undo`; nil to keep nothing.
        package var kept: KeptUndo?
        package var groups: [(identifier: [UInt8], directory: HostPath)] = []
        /// Groups that the user did not name. One that the source does not have stays as it is.
        package var foundGroups: [(identifier: [UInt8], directory: HostPath)] = []
        /// True to change the container of an app with another bundle identifier.
        package var allowsOtherApp = false
        /// True to delete and replace files in a directory that is not known to be the app's.
        package var allowsAnyDirectory = false
        /// True to stop the app in its simulator first, and the daemon that keeps its preferences in memory.
        package var stopsApp = false
        package var comparison = DiffOptions()
        /// True to use the user's cache of the files' digests. The mode `write` also updates it.
        package var usesCache = true
        package var moment: Timestamp
        package var jobs = 1

        package init(moment: Timestamp) { self.moment = moment }
    }

    let options: Options
    private let progress: (any ProgressObserver)?

    package init(_ options: Options, progress: (any ProgressObserver)? = nil) {
        self.options = options
        self.progress = progress
    }

    var containerOptions: ContainerOptions {
        var opening = ContainerOptions(jobs: options.jobs)
        opening.statCache = options.usesCache
        opening.savesStatCache = options.mode == .write
        return opening
    }

    /// Opens, locks, recovers and lists the target.
    /// - Parameters:
    ///   - bundle: an app bundle that is changed at the same time.
    ///   - inputs: the files that are read. The undo file must not replace them.
    func open(
        _ path: HostPath, beside bundle: HostPath? = nil, reading inputs: [[UInt8]] = []
    ) throws(CapsuleError) -> LiveTarget {
        CreationMask.prepare()
        var opening = containerOptions
        opening.groups = options.groups + options.foundGroups
        let stop = { (advice: SimulatorAdvice?) throws(CapsuleError) in
            guard let advice else {
                throw CapsuleError(
                    .usage, "is not an app's container on a simulator, and '--simctl' works only there", path: path)
            }
            try advice.run()
        }
        let target = try LiveTarget(
            path, opening, beside: bundle, for: options.mode, stopping: options.stopsApp && !takesKeychain ? stop : nil)
        try refuseUndoFile(in: target, overwriting: inputs)
        return target
    }

    /// True if the device's keychain takes part.
    var takesKeychain: Bool { options.foundGroups.contains { $0.identifier == ContainerNames.keychain } }

    /// Makes a change in which the device's keychain may take part. It is replaced only while its simulator is shut down: a booted one
    /// keeps using the files that are gone.
    func beside(
        keychainOf path: HostPath, _ change: () throws(CapsuleError) -> ApplyOutcome
    ) throws(CapsuleError) -> ApplyOutcome {
        guard takesKeychain, options.mode == .write, let advice = SimulatorAdvice(path: path, bundleIdentifier: nil),
            advice.isBooted
        else { return try change() }
        guard options.stopsApp else {
            throw CapsuleError(
                .usage, "the simulator is not shut down, so its keychain can't be replaced", path: path,
                hint: "'--simctl' shuts it down and boots it again (macOS)")
        }
        return try advice.whileShutDown(change)
    }

    /// Returns a planner for a target whose wanted state was made from its own.
    func planner(_ target: LiveTarget, changedTo wanted: OpenedContainer) -> TargetPlanner {
        var planner = TargetPlanner(target, to: wanted, jobs: options.jobs)
        planner.isOfTarget = true
        return planner
    }

    /// Makes or reports the change that was planned.
    /// - Parameters:
    ///   - planners: the planner of the container, which made the plan, and that of the app bundle if there is one.
    ///   - source: the name of the new state in reports.
    ///   - inputs: the files that are read. The change must not replace or delete them.
    func make(
        _ plan: ApplyPlan, _ planners: inout [TargetPlanner], source: [UInt8], reading inputs: [[UInt8]] = []
    ) throws(CapsuleError) -> ApplyOutcome {
        var plan = plan
        for place in planners.indices.dropFirst() {
            plan.append(try planners[place].plan(), of: planners[place].wanted, to: planners[0].wanted)
        }
        try ApplyTransaction.checkPlaces(of: plan)
        for input in inputs { try Self.refuse(HostPath(input), in: plan) }
        var outcome = ApplyOutcome(counts: ApplyCounts(plan.changes), groups: planners[0].groupCounts(plan))
        outcome.recovered = planners[0].target.lock.recovered.map { RecoveryOutcome.Directory($0) }
        outcome.notes = planners.flatMap(\.notes)
        outcome.remaining = planners.reduce(0) { $0 + $1.remaining }
        if outcome.isChanged { outcome.advice = planners[0].target.advice }
        switch options.mode {
        case .dryRun:
            outcome.changes = try compare(try Self.sides(of: &planners), named: (planners[0].target.path.bytes, source))
        case .write where !plan.changes.isEmpty:
            try write(
                plan, options.undo == nil && options.kept == nil ? [] : Self.sides(of: &planners), planners[0].target, &outcome)
        case .check, .write:
            break
        }
        planners[0].target.container.statCache?.save()
        return outcome
    }

    /// Makes the change, with what undoes it.
    /// - Parameter sides: those of the container, and of the app bundle if there is one; none if nothing is to undo it.
    private func write(
        _ plan: ApplyPlan, _ sides: [TargetPlanner.Sides], _ target: LiveTarget, _ outcome: inout ApplyOutcome
    ) throws(CapsuleError) {
        if let undo = options.undo { try writeUndo(sides, to: undo) }
        let begun = try options.kept.flatMap { (kept) throws(CapsuleError) in try kept.begin(plan, sides[0], jobs: options.jobs) }
        var transaction = ApplyTransaction(plan, in: target.lock, jobs: options.jobs, progress: progress)
        transaction.keeping = begun.map { ($0.directory, $0.names) }
        let made: ApplyTransaction.Outcome
        do throws(CapsuleError) {
            made = try transaction.run()
        } catch {
            options.kept?.discard()
            throw options.undo.map { withdraw($0, after: error) } ?? error
        }
        outcome.notes += made.notes
        outcome.isWritten = true
        outcome.isUndoWritten = options.undo != nil
        guard let kept = options.kept else { return }
        do throws(CapsuleError) {
            guard let begun else { throw CapsuleError(.limit, "it would have to keep more than 1 GiB") }
            if let error = made.unkept { throw error }
            var overlay = begun.overlay
            for more in sides.dropFirst() { overlay.targets += try Self.targets(turning: more.new, into: more.old) }
            try kept.finish(overlay)
            outcome.isUndoWritten = true
        } catch {
            kept.discard()
            outcome.notes.append("'capsule undo' can't undo this: \(error.message)")
        }
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

    private static func sides(of planners: inout [TargetPlanner]) throws(CapsuleError) -> [TargetPlanner.Sides] {
        var sides: [TargetPlanner.Sides] = []
        for place in planners.indices { sides.append(try planners[place].sides()) }
        return sides
    }

    private func compare(
        _ sides: [TargetPlanner.Sides], named names: (old: [UInt8], new: [UInt8])
    ) throws(CapsuleError) -> ContainerDiff {
        var comparison = options.comparison
        // Everything that is written is reported.
        comparison.judging.rules = .none
        let differ = ContainerDiffer(comparison)
        var diff = try differ.compare(sides[0].old, sides[0].new, named: names)
        for more in sides.dropFirst() { diff.entries += try differ.compare(more.old, more.new, named: names).entries }
        return diff
    }
}
