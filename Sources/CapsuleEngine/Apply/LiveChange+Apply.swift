import CapsuleContainers
package import CapsuleCore
import CapsuleOverlay
import CapsulePropertyList

extension LiveChange {
    /// Applies overlays to a live container, one after the other.
    /// - Throws: `CapsuleError` for any of the overlays, with each place where the target is not in the state that the overlays
    ///   were made for. Nothing is changed then.
    package func apply(
        _ overlays: [OverlaySource], to path: HostPath, _ applying: OverlayApplication
    ) throws(CapsuleError) -> ApplyOutcome {
        try beside(keychainOf: path) { () throws(CapsuleError) in try applyNow(overlays, to: path, applying) }
    }

    private func applyNow(
        _ overlays: [OverlaySource], to path: HostPath, _ applying: OverlayApplication
    ) throws(CapsuleError) -> ApplyOutcome {
        let inputs = overlays.map(\.argument)
        var target = try open(path, beside: applying.bundle, reading: inputs)
        let bundle = try target.bundle(applying.bundle)
        var patched = PatchedContainer(container: target.container, bundle: bundle?.container)
        var digested: OpenedContainer?
        var applied: [Overlay] = []
        for source in overlays {
            try refuseOther(
                target, source: try source.bundleIdentifier(), "the overlay \(HostPath(source.argument)) was made for",
                "applies it")
            for (package, name) in try source.packages(for: applying.context.targetPath) {
                let base = try patched.apply(package, named: name, applying, jobs: options.jobs)
                digested = digested ?? base
                applied.append(package.overlay)
            }
        }
        if let digested { target.container = digested }
        var planners = [planner(target, changedTo: patched.container)]
        if let bundle, let wanted = patched.bundle { planners.append(planner(bundle, changedTo: wanted)) }
        let plan = try planners[0].plan()
        var outcome = try make(plan, &planners, source: inputs.first ?? [], reading: inputs)
        let groups = Set(applied.flatMap(\.groups))
        let unused = options.groups.filter { !groups.contains($0.identifier) }
        outcome.notes =
            unused.map { "no overlay applies to the app group \(HostPath($0.identifier))" }
            + applying.notes(onBundleBeside: applied) + patched.notes + outcome.notes
        return outcome
    }
}

extension Overlay {
    fileprivate var groups: [[UInt8]] {
        files.compactMap { record in
            let parts = record.path.components
            return parts.count > 1 && parts[0].elementsEqual(ContainerNames.appGroups) ? Array(parts[1]) : nil
        }
            + targets.compactMap { target in
                if case .appGroup(let name) = target.root { Array(name.utf8) } else { nil }
            }
    }
}

extension PatchedContainer {
    /// Applies an overlay after the previous ones: first its records, then its operations on files that no record settled.
    /// - Returns: the container before, with the digests that were computed; nil if the overlay is skipped.
    @discardableResult
    mutating func apply(
        _ package: OverlayPackage, named name: String, _ options: OverlayApplication, jobs: Int
    ) throws(CapsuleError) -> OpenedContainer? {
        if let unmetCondition = options.context.unmetCondition(options.context.conditions + package.overlay.conditions) {
            notes.append("\(name): skipped: \(unmetCondition)")
            return nil
        }
        var records = FileRecordApplier(package, to: container, options, jobs: jobs)
        try records.run()
        container = records.edits.finished()
        var overlay = package.overlay
        skipMissingGroups(of: &overlay, and: records.missingGroups)
        var context = options.context
        // A path on the command line already selected the targets.
        context.targetPath = nil
        var run = OverlayApplier(container, bundle: bundle, context: context, missing: .isError, settled: records.settled)
        do throws(CapsuleError) {
            try run.apply(overlay, named: name)
        } catch {
            // The drift may be the cause.
            if !records.isRefused { throw error }
        }
        if records.isRefused || !run.differences.isEmpty { throw records.refusal(with: run.differences) }
        try write(run, options.moment)
        return records.edits.base
    }

    /// Removes an overlay's targets in app groups that the container does not have, and notes these groups.
    private mutating func skipMissingGroups(of overlay: inout Overlay, and inRecords: Set<[UInt8]>) {
        var missing = inRecords
        overlay.targets.removeAll { target in
            guard case .appGroup(let name) = target.root, !container.groups.contains(Array(name.utf8)) else { return false }
            missing.insert(Array(name.utf8))
            return true
        }
        for identifier in missing.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let group = String(decoding: identifier, as: UTF8.self)
            let note =
                identifier == ContainerNames.keychain
                ? "changes of the device's keychain are skipped: '--keychain' makes them"
                : "changes for the app group \(group) are skipped: name its directory with '--group'"
            if !notes.contains(note) { notes.append(note) }
        }
    }
}

extension OverlaySource {
    typealias NamedOverlay = (package: OverlayPackage, name: String)

    func bundleIdentifier() throws(CapsuleError) -> PlistString? {
        switch form {
        case .file: nil
        case .package(let package): package.origin?.source.bundleIdentifier
        case .container(let container): try container.open(ContainerOptions()).source.bundleIdentifier
        }
    }

    /// Returns the overlays: the one in a file or an overlay capsule, or those that a version of a capsule contains.
    /// - Parameter target: the Path of the targets to take; nil for all targets. A plain overlay is taken for this Path.
    func packages(for target: String?) throws(CapsuleError) -> [NamedOverlay] {
        let all = try packages()
        guard let target else { return all }
        var chosen: [NamedOverlay] = []
        var refusal: CapsuleError?
        for (package, name) in all {
            var package = package
            do throws(OverlayError) {
                package.overlay = try package.overlay.taking(target)
                chosen.append((package, name))
            } catch {
                refusal = refusal ?? CapsuleError("\(name): \(error.message)", hint: error.hint)
            }
        }
        // If a capsule contains several overlays, some may be for other files.
        if chosen.isEmpty, let refusal { throw refusal }
        return chosen
    }

    private func packages() throws(CapsuleError) -> [NamedOverlay] {
        let name = String(decoding: argument, as: UTF8.self)
        guard case .container(let container) = form else { return [(try package(), name)] }
        var overlays: [NamedOverlay] = []
        for (number, overlay) in try container.open(ContainerOptions()).readOverlays().enumerated() {
            overlays.append((OverlayPackage(overlay: overlay), "overlay \(number + 1) of \(name)"))
        }
        guard !overlays.isEmpty else {
            throw CapsuleError(
                "is a container without overlays", path: HostPath(argument),
                hint: "'capsule restore' restores it into a container; 'capsule pack --overlay' adds overlays")
        }
        return overlays
    }
}
