package import CapsuleContainers
package import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

/// Makes a live container exactly equal to a version, in one transaction. Entries that are equal already are not touched.
package struct Restorer: Sendable {
    package struct Options: Sendable {
        package var mode = ApplyMode.write
        /// The undo file. It is written first, and only if there is a change.
        package var undo: OutputFile?
        /// The paths to keep as they are, with everything below them and with the database that they belong to.
        package var kept: [Glob] = []
        /// The paths to restore, with everything below them and with the database that they belong to. Empty for all.
        package var selected: [Glob] = []
        /// The treatment of a pattern in ``kept`` that matches nothing in the target and nothing in the version, and of one in
        /// ``selected`` that matches nothing in the version.
        package var unmatchedPatterns = UnmatchedPatterns.areErrors
        /// The classes of noise to leave out of the version, as if it had none. The target's entries of these classes are
        /// deleted.
        package var dropped: [DroppedNoise] = []
        package var groups: [(identifier: [UInt8], directory: HostPath)] = []
        /// The options for applying the version's overlays to it first; nil to leave the overlays out, with a note.
        package var overlays: OverlayApplication?
        package var allowsOtherApp = false
        /// True to delete and replace files in a directory that is not known to be the app's.
        package var allowsAnyDirectory = false
        /// True to change paths into the container of another installation, in property lists, to those of the target.
        package var rebasesPaths = false
        /// True to stop the app in its simulator first, and the daemon that keeps its preferences in memory.
        package var stopsApp = false
        package var comparison = DiffOptions()
        /// True to use the user's cache of the files' digests. The mode `write` also updates it.
        package var usesCache = true
        package var jobs = 1
        package var moment: Timestamp

        package init(moment: Timestamp) { self.moment = moment }
    }

    let options: Options
    let progress: (any ProgressObserver)?

    package init(_ options: Options, progress: (any ProgressObserver)? = nil) {
        self.options = options
        self.progress = progress
    }

    /// Restores a container of any form into a live one.
    /// - Throws: `CapsuleError` if the target belongs to another app, or if something can't be read or written. Nothing is
    ///   changed then.
    package func restore(_ container: Container, to path: HostPath) throws(CapsuleError) -> ApplyOutcome {
        CreationMask.prepare()
        var targetOptions = ContainerOptions(groups: options.groups, jobs: options.jobs)
        targetOptions.statCache = options.usesCache
        targetOptions.savesStatCache = options.mode == .write
        let target = try LiveTarget(
            path, targetOptions, beside: options.overlays?.bundle, for: options.mode,
            stopping: options.stopsApp ? { (advice) throws(CapsuleError) in try Self.stopApp(advice, path) } : nil)
        try TargetGuard(target).refuse(undo: options.undo, overwriting: [container.argument])
        try TargetGuard(target).refuse(source: container)
        var sourceOptions = ContainerOptions(jobs: options.jobs)
        sourceOptions.dropped = options.dropped
        sourceOptions.statCache = options.usesCache
        sourceOptions.savesStatCache = options.mode == .write
        var version = try container.open(sourceOptions)
        try admission.refuseOther(
            target, source: version.source.bundleIdentifier, "the version is of", "restores it",
            unknown: version.layout == .container ? "an unknown app" : nil)
        for group in options.groups where !version.groups.contains(group.identifier) {
            throw CapsuleError(
                .usage, "the version has no app group with this name", path: HostPath(group.identifier),
                hint: "'capsule info' lists its app groups")
        }
        var notes = version.overlayNote.map { options.overlays == nil ? [$0] : [] } ?? []
        notes += [version.wrapperNote].compactMap { $0 }
        let bundle = try applyOverlays(to: &version, target, &notes)
        func hint(_ pattern: Glob) -> String {
            NamedPaths.suggestion(for: pattern.pattern, in: version)
                ?? "\(Glob.argumentHint); '--allow-unmatched' restores anyway"
        }
        let unkept = try options.unmatchedPatterns.find(in: options.kept, of: "--keep", hint: hint) {
            matches($0, target.container) || matches($0, version)
        }
        let unselected = try options.unmatchedPatterns.find(in: options.selected, of: "--only", hint: hint) { pattern in
            version.entries.contains { $0.isListed && pattern.matches($0.path) }
        }
        notes += unkept.map { "'--keep \(HostPath($0.pattern))' matches nothing" }
        notes += unselected.map { "'--only \(HostPath($0.pattern))' matches nothing" }
        for group in target.container.groups where !version.groups.contains(group) && options.selected.isEmpty {
            notes.append(
                "the app group \(String(decoding: group, as: UTF8.self)) is unchanged: the version has no app group with this name"
            )
        }
        for group in version.groups where !target.container.groups.contains(group) && options.selected.isEmpty {
            notes.append(
                "the app group \(String(decoding: group, as: UTF8.self)) is not restored: name its directory with '--group'")
        }
        if options.rebasesPaths {
            let (rebased, report) = try ContainerPathRebaser(target: target.dataPath).rebase(version, jobs: options.jobs)
            version = rebased
            notes += report.notes
        }
        var planner = TargetPlanner(target, to: version, jobs: options.jobs)
        planner.kept = options.kept
        planner.selected = options.selected
        planner.setsTimes = true
        var change = TargetChange(
            planner, bundle: bundle,
            TargetChange.Options(
                mode: options.mode, undo: options.undo, comparison: options.comparison,
                source: container.argument, moment: options.moment,
                jobs: options.jobs),
            progress: progress)
        var outcome = try change.run { (planner) throws(CapsuleError) in
            try admission.refuseLosses(planner, version: planner.wanted)
        }
        version.statCache?.save()
        if !options.selected.isEmpty || options.allowsAnyDirectory { outcome.deletions = change.planner.deletions }
        outcome.notes = notes + outcome.notes
        if options.rebasesPaths { return outcome }
        do throws(CapsuleError) {
            try warnOfForeignPaths(in: change.planner, &outcome)
        } catch {
            // The changes are made, even if the user asks to stop now.
            guard outcome.isWritten else { throw error }
            outcome.notes.append("could not check for paths into the container of another installation: \(error.message)")
        }
        return outcome
    }

    static func stopApp(_ advice: SimulatorAdvice?, _ path: HostPath) throws(CapsuleError) {
        guard let advice else {
            throw CapsuleError(.usage, "is not an app's container on a simulator, and '--simctl' works only there", path: path)
        }
        try advice.run()
    }

    private func warnOfForeignPaths(in planner: TargetPlanner, _ outcome: inout ApplyOutcome) throws(CapsuleError) {
        let changed =
            planner.items.filter(\.hasOtherContent).compactMap(\.new)
            + planner.items.filter { $0.kind != .modified }.compactMap(\.new)
        let report = try ContainerPathRebaser(target: planner.target.dataPath).report(
            on: planner.wanted, numbers: changed, jobs: options.jobs)
        guard report.paths > 0, let first = report.files.first(where: { $0.findings.paths > 0 }) else { return }
        outcome.notes.append(
            "\(report.paths) \(report.paths == 1 ? "path points" : "paths point") into the container of another installation, first in \(first.path): '--rebase-paths' changes them to this one"
        )
    }

    private func matches(_ pattern: Glob, _ container: OpenedContainer) -> Bool {
        container.entries.contains { pattern.matches($0.path.bytes) }
            || container.omitted.contains { pattern.matches($0.path) }
    }

    private func applyOverlays(
        to version: inout OpenedContainer, _ target: LiveTarget, _ notes: inout [String]
    ) throws(CapsuleError) -> TargetPlanner? {
        guard let overlays = options.overlays else { return nil }
        let bundle = try overlays.bundle.map { (path) throws(CapsuleError) in try target.bundle(path) }
        var applying = ContainerApplier.Options(context: overlays.context, moment: overlays.moment)
        applying.jobs = options.jobs
        var overlaid = PatchedTarget(version, bundle: bundle?.container, applying)
        for (number, overlay) in try version.readOverlays().enumerated() {
            try overlaid.apply(OverlayPackage(overlay: overlay), named: "overlay \(number + 1)")
        }
        notes += overlaid.notes
        version = overlaid.container
        guard let bundle, let wanted = overlaid.bundle else { return nil }
        var planner = TargetPlanner(bundle, to: wanted, jobs: options.jobs)
        planner.isOfTarget = true
        return planner
    }

    /// Deletes the classes of noise in ``Options/dropped`` from a live container, in one transaction. Everything else stays, also
    /// the directories of these classes.
    /// - Throws: `CapsuleError` if something can't be read or written. Nothing is changed then.
    package func drop(from path: HostPath) throws(CapsuleError) -> ApplyOutcome {
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
        var outcome = try change.run { (planner) throws(CapsuleError) in try admission.refuseLosses(planner, version: nil) }
        if options.allowsAnyDirectory { outcome.deletions = change.planner.deletions }
        return outcome
    }

    private var admission: TargetAdmission {
        TargetAdmission(allowsOtherApp: options.allowsOtherApp, allowsAnyDirectory: options.allowsAnyDirectory)
    }
}

extension OpenedContainer {
    fileprivate func without(_ classes: [DroppedNoise]) -> OpenedContainer {
        var dropped = ExcludedPaths(classes.flatMap(\.contents))
        let kept = entries.indices.filter { number in
            let entry = entries[number]
            // Patterns don't apply to the wrapper.
            if entry.root == .wrapper { return true }
            return !dropped.excludes(entry.path, isDirectory: entry.kind == .directory, pattern: entry.path)
        }
        return selecting(kept)
    }
}
