public import CapsuleCore
import CapsuleFileSystem

extension Restorer {
    /// Deletes the classes of noise that the options name in a live container, as one transaction, and leaves all else alone,
    /// the directories of these classes too.
    ///
    /// - Throws: for anything that can't be read or written. Nothing is changed then.
    public func drop(from path: HostPath) throws(CapsuleError) -> ApplyOutcome {
        CreationMask.prepare()
        var targetOptions = ContainerOptions(groups: options.groups, jobs: options.jobs)
        targetOptions.statCache = options.usesCache
        targetOptions.savesStatCache = options.mode == .write
        let target = try LiveTarget(
            path, targetOptions, for: options.mode,
            stopping: options.stopsApp ? { (advice) throws(CapsuleError) in try Self.stopApp(advice, path) } : nil)
        try TargetGuard(target).refuse(undo: options.undo, overwriting: [])
        var planner = TargetPlanner(target, to: target.container.without(options.dropped), jobs: options.jobs)
        planner.isOfTarget = true
        var change = TargetChange(
            planner,
            TargetChange.Options(
                mode: options.mode, undo: options.undo, comparison: options.comparison, source: path.bytes,
                moment: options.moment, jobs: options.jobs),
            progress: progress)
        return try change.run()
    }
}

extension OpenedContainer {
    /// The container without what is in the directories of classes of noise.
    fileprivate func without(_ classes: [DroppedNoise]) -> OpenedContainer {
        var dropped = ExcludedPaths(classes.flatMap(\.contents))
        let kept = entries.indices.filter { number in
            let entry = entries[number]
            // The wrapper has no path that patterns speak of.
            if entry.root == .wrapper { return true }
            return !dropped.take(entry.path, isDirectory: entry.kind == .directory, pattern: entry.path)
        }
        return selecting(kept.map { UInt32($0) })
    }
}
