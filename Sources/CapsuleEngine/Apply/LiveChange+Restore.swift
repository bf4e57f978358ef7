package import CapsuleContainers
package import CapsuleCore
import CapsuleSystem

/// The options for restoring a version into a live container.
package struct RestoreOptions: Sendable {
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
    /// The options for applying the version's overlays to it first; nil to leave the overlays out, with a note.
    package var overlays: OverlayApplication?
    /// True to change paths into the container of another installation, in property lists, to those of the target.
    package var rebasesPaths = false

    package init() {}
}

extension LiveChange {
    /// Makes a live container exactly equal to a version. Entries that are equal already are not touched.
    /// - Parameter container: the version, in any form of a container.
    /// - Throws: `CapsuleError` if the target belongs to another app, or if something can't be read or written. Nothing is
    ///   changed then.
    package func restore(
        _ container: Container, to path: HostPath, _ restoring: RestoreOptions = RestoreOptions()
    ) throws(CapsuleError) -> ApplyOutcome {
        try beside(keychainOf: path) { () throws(CapsuleError) in try restoreNow(container, to: path, restoring) }
    }

    private func restoreNow(
        _ container: Container, to path: HostPath, _ restoring: RestoreOptions
    ) throws(CapsuleError) -> ApplyOutcome {
        let target = try open(path, beside: restoring.overlays?.bundle, reading: [container.argument])
        try refuse(source: container, in: target)
        var opening = containerOptions
        opening.dropped = restoring.dropped
        opening.needsKeychain = takesKeychain
        var version = try container.open(opening)
        try refuseOther(
            target, source: version.source.bundleIdentifier, "the version is of", "restores it",
            unknown: version.layout == .container ? "an unknown app" : nil)
        try refuseGroups(otherThanThoseOf: version)
        var notes = restoring.overlays == nil ? [version.overlayNote].compactMap(\.self) : []
        notes += [version.wrapperNote].compactMap(\.self)
        let bundle = try patch(&version, for: target, restoring.overlays, &notes)
        notes += try restoring.unmatchedNotes(version, target.container)
        if restoring.selected.isEmpty { notes += groupNotes(version, target.container) }
        if restoring.rebasesPaths {
            let (rebased, report) = try ContainerPathRebaser(target: target.dataPath).rebase(version, jobs: options.jobs)
            version = rebased
            notes += report.notes
        }
        var planner = TargetPlanner(target, to: version, jobs: options.jobs)
        planner.kept = restoring.kept
        planner.selected = restoring.selected
        planner.setsTimes = true
        var planners = [planner] + [bundle].compactMap(\.self)
        let plan = try planners[0].plan()
        try refuseLosses(planners[0], version: planners[0].wanted)
        var outcome = try make(plan, &planners, source: container.argument)
        version.statCache?.save()
        if !restoring.selected.isEmpty || options.allowsAnyDirectory { outcome.deletions = planners[0].deletions }
        outcome.notes = notes + outcome.notes
        outcome.lacksKeychain = outcome.isWritten && !version.hasKeychain && target.advice?.hasKeychain == true
        if !restoring.rebasesPaths { try addForeignPathNote(planners[0], to: &outcome) }
        return outcome
    }

    /// Applies the version's overlays to it.
    /// - Returns: the planner of the app bundle; nil if there is none.
    private func patch(
        _ version: inout OpenedContainer, for target: LiveTarget, _ overlays: OverlayApplication?, _ notes: inout [String]
    ) throws(CapsuleError) -> TargetPlanner? {
        guard let overlays else { return nil }
        let bundle = try target.bundle(overlays.bundle)
        var patched = PatchedContainer(container: version, bundle: bundle?.container)
        for (number, overlay) in try version.readOverlays().enumerated() {
            try patched.apply(OverlayPackage(overlay: overlay), named: "overlay \(number + 1)", overlays, jobs: options.jobs)
        }
        notes += patched.notes
        version = patched.container
        guard let bundle, let wanted = patched.bundle else { return nil }
        return planner(bundle, changedTo: wanted)
    }

    private func refuseGroups(otherThanThoseOf version: OpenedContainer) throws(CapsuleError) {
        for group in options.groups where !version.groups.contains(group.identifier) {
            throw CapsuleError(
                .usage, "the version has no app group with this name", path: HostPath(group.identifier),
                hint: "'capsule info' lists its app groups")
        }
    }

    /// Returns notes on the app groups that only one side has, except those that the user did not name.
    private func groupNotes(_ version: OpenedContainer, _ target: OpenedContainer) -> [String] {
        func note(_ group: [UInt8], _ rest: String) -> String {
            "the app group \(String(decoding: group, as: UTF8.self)) \(rest)"
        }
        let found = Set(options.foundGroups.map(\.identifier))
        return target.groups.filter { !version.groups.contains($0) && !found.contains($0) }
            .map { note($0, "is unchanged: the version has no app group with this name") }
            + version.groups.filter { !target.groups.contains($0) }
            .map {
                $0 == ContainerNames.keychain
                    ? "the device's keychain is not restored: '--keychain' restores it"
                    : note($0, "is not restored: name its directory with '--group'")
            }
    }

    /// Adds a note if the files that changed contain paths into the container of another installation.
    private func addForeignPathNote(_ planner: TargetPlanner, to outcome: inout ApplyOutcome) throws(CapsuleError) {
        let changed =
            planner.items.filter(\.hasOtherContent).compactMap(\.new)
            + planner.items.filter { $0.kind != .modified }.compactMap(\.new)
        do throws(CapsuleError) {
            let report = try ContainerPathRebaser(target: planner.target.dataPath).report(
                on: planner.wanted, numbers: changed, jobs: options.jobs)
            guard report.paths > 0, let first = report.files.first(where: { $0.findings.paths > 0 }) else { return }
            outcome.notes.append(
                "\(report.paths) \(report.paths == 1 ? "path points" : "paths point") into the container of another installation, first in \(first.path): '--rebase-paths' changes them to this one"
            )
        } catch {
            // The changes are made, even if the user asks to stop now.
            guard outcome.isWritten else { throw error }
            outcome.notes.append("could not check for paths into the container of another installation: \(error.message)")
        }
    }

    /// Deletes classes of noise from a live container. Everything else stays, also the directories of these classes.
    /// - Throws: `CapsuleError` if something can't be read or written. Nothing is changed then.
    /// - Parameter noise: the classes to delete; nil for everything that the app made.
    package func drop(_ noise: [DroppedNoise]?, from path: HostPath) throws(CapsuleError) -> ApplyOutcome {
        let target = try open(path)
        let wanted = noise.map { target.container.without($0) } ?? target.container.atFirstLaunch
        var planners = [planner(target, changedTo: wanted)]
        let plan = try planners[0].plan()
        try refuseLosses(planners[0], version: nil)
        var outcome = try make(plan, &planners, source: path.bytes)
        if options.allowsAnyDirectory { outcome.deletions = planners[0].deletions }
        return outcome
    }
}

extension RestoreOptions {
    /// Returns notes on the patterns that match nothing.
    /// - Throws: ``CapsuleError`` if such patterns are errors.
    fileprivate func unmatchedNotes(_ version: OpenedContainer, _ target: OpenedContainer) throws(CapsuleError) -> [String] {
        func hint(_ pattern: Glob) -> String {
            NamedPaths.suggestion(for: pattern.pattern, in: version)
                ?? "\(Glob.argumentHint); '--allow-unmatched' restores anyway"
        }
        let unkept = try unmatchedPatterns.find(in: kept, of: "--keep", hint: hint) { pattern in
            [target, version].contains { side in
                side.entries.contains { pattern.matches($0.path.bytes) } || side.omitted.contains { pattern.matches($0.path) }
            }
        }
        let unselected = try unmatchedPatterns.find(in: selected, of: "--only", hint: hint) { pattern in
            version.entries.contains { $0.isListed && pattern.matches($0.path) }
        }
        return unkept.map { "'--keep \(HostPath($0.pattern))' matches nothing" }
            + unselected.map { "'--only \(HostPath($0.pattern))' matches nothing" }
    }
}

extension OpenedContainer {
    /// The directories that the system makes in the container of an app, and in that of an app group.
    private static let directoriesOfSystem = Set(
        ["Documents", "Library", "Library/Caches", "Library/Preferences", "SystemData", "tmp"].map { Array($0.utf8) })

    /// The container as the first launch of the app finds it: what the system makes, and its metadata.
    fileprivate var atFirstLaunch: OpenedContainer {
        selecting(
            entries.indices.filter { number in
                let entry = entries[number]
                if entry.root == .wrapper || entry.kind == .identity { return true }
                return entry.kind == .directory && (entry.path.isRoot || Self.directoriesOfSystem.contains(entry.path.bytes))
            })
    }

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
