import CapsuleContainers
package import CapsuleCore
package import CapsuleOverlay
import CapsulePropertyList
import CapsuleSystem

/// Applies overlays to a live container in one transaction, or reports the changes without making them.
package struct ContainerApplier: Sendable {
    package struct Options: Sendable {
        package var context: OverlayContext
        package var mode = ApplyMode.write
        /// The undo file. It is written first, and only if there is a change.
        package var undo: OutputFile?
        /// True to let files that an overlay carries replace the files in the target, whatever these are.
        package var forces = false
        /// True to merge files that drifted with the overlay's version of them.
        package var merges = false
        package var bundle: HostPath?
        package var allowsOtherApp = false
        package var groups: [(identifier: [UInt8], directory: HostPath)] = []
        package var comparison = DiffOptions()
        /// True to use the user's cache of the files' digests. The mode `write` also updates it.
        package var usesCache = true
        /// The modification time of new content for which the overlay has no time.
        package var moment: Timestamp
        package var jobs = 1

        package init(context: OverlayContext, moment: Timestamp) {
            self.context = context
            self.moment = moment
        }
    }

    private let options: Options
    private let progress: (any ProgressObserver)?

    package init(_ options: Options, progress: (any ProgressObserver)? = nil) {
        self.options = options
        self.progress = progress
    }

    /// Applies overlays one after the other.
    /// - Throws: `CapsuleError` for any of the overlays, with each place where the target is not in the state that the overlays
    ///   were made for. Nothing is changed then.
    package func apply(_ overlays: [OverlaySource], to path: HostPath) throws(CapsuleError) -> ApplyOutcome {
        CreationMask.prepare()
        var containerOptions = ContainerOptions(groups: options.groups, jobs: options.jobs)
        containerOptions.statCache = options.usesCache
        containerOptions.savesStatCache = options.mode == .write
        var target = try LiveTarget(path, containerOptions, beside: options.bundle, for: options.mode)
        try TargetGuard(target).refuse(undo: options.undo, overwriting: overlays.map(\.argument))
        let admission = TargetAdmission(allowsOtherApp: options.allowsOtherApp)
        let bundle = try options.bundle.map { (path) throws(CapsuleError) in try target.bundle(path) }
        var overlaid = PatchedTarget(target.container, bundle: bundle?.container, options)
        var groups: Set<[UInt8]> = []
        var isForBundle = false
        for source in overlays {
            try admission.refuseOther(
                target, source: try source.bundleIdentifier(), "the overlay \(HostPath(source.argument)) was made for",
                "applies it")
            for (package, name) in try source.packages(for: options.context.targetPath) {
                try overlaid.apply(package, named: name)
                groups.formUnion(package.groups)
                isForBundle = isForBundle || package.overlay.targets.contains { $0.root == .appBundle }
            }
        }
        let unused = options.groups.map(\.identifier).filter { !groups.contains($0) }
        let idle =
            unused.map { "no overlay applies to the app group \(HostPath($0))" }
            + (options.bundle != nil && !isForBundle ? [OverlayApplication.idleBundle] : [])
        if let base = overlaid.digested { target.container = base }
        var planner = TargetPlanner(target, to: overlaid.container, jobs: options.jobs)
        planner.isOfTarget = true
        var more: TargetPlanner?
        if let bundle, let wanted = overlaid.bundle {
            more = TargetPlanner(bundle, to: wanted, jobs: options.jobs)
            more?.isOfTarget = true
        }
        var change = TargetChange(
            planner, bundle: more,
            TargetChange.Options(
                mode: options.mode, undo: options.undo, comparison: options.comparison,
                source: overlays.first?.argument ?? [], inputs: overlays.map(\.argument), moment: options.moment,
                jobs: options.jobs),
            progress: progress)
        var outcome = try change.run()
        outcome.notes = idle + overlaid.notes + outcome.notes
        return outcome
    }
}

extension OverlayPackage {
    fileprivate var groups: Set<[UInt8]> {
        var groups: Set<[UInt8]> = []
        for record in overlay.files {
            let parts = record.path.components
            if parts.count > 1, parts[0].elementsEqual(ContainerNames.appGroups) { groups.insert(Array(parts[1])) }
        }
        for target in overlay.targets {
            if case .appGroup(let name) = target.root { groups.insert(Array(name.utf8)) }
        }
        return groups
    }
}

/// A live container, and the app bundle given with it, while overlays change them one after the other in memory.
struct PatchedTarget {
    private(set) var container: OpenedContainer
    private(set) var bundle: OpenedContainer?
    /// The original container with the digests that were computed; nil before the first overlay.
    private(set) var digested: OpenedContainer?
    private(set) var notes: [String] = []
    private let options: ContainerApplier.Options

    init(_ container: OpenedContainer, bundle: OpenedContainer?, _ options: ContainerApplier.Options) {
        self.container = container
        self.bundle = bundle
        self.options = options
    }

    /// Applies an overlay after the previous ones: first its records, then its operations on files that no record settled.
    mutating func apply(_ package: OverlayPackage, named name: String) throws(CapsuleError) {
        if let unmetCondition = options.context.unmetCondition(options.context.conditions + package.overlay.conditions) {
            notes.append("\(name): skipped: \(unmetCondition)")
            return
        }
        var records = FileRecordApplier(package, to: container, options)
        try records.run()
        if digested == nil { digested = records.edits.base }
        container = records.edits.finished()
        var context = options.context
        // A path on the command line already selected the targets.
        context.targetPath = nil
        var run = OverlayApplier(container, bundle: bundle, context: context, missing: .isError, settled: records.settled)
        var overlay = package.overlay
        let missing = records.missingGroups.union(removeTargetsOfMissingGroups(from: &overlay))
        for identifier in missing.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let group = String(decoding: identifier, as: UTF8.self)
            let note = "changes for the app group \(group) are skipped: name its directory with '--group'"
            if !notes.contains(note) { notes.append(note) }
        }
        do throws(CapsuleError) {
            try run.apply(overlay, named: name)
        } catch {
            // The drift may be the cause.
            if !records.isRefused { throw error }
        }
        if records.isRefused || !run.differences.isEmpty { throw records.refusal(with: run.differences) }
        notes += run.notes
        var (inner, outer) = (ContainerEdits(container), bundle.map { ContainerEdits($0) })
        for (root, tree) in run.trees {
            for edited in tree.edited where edited.isTouched {
                let bytes = try edited.writtenBytes()
                guard bytes != edited.document?.bytes else { continue }
                if root == .appBundle {
                    try outer?.put(bytes, for: edited, in: tree, options.moment)
                } else {
                    try inner.put(bytes, for: edited, in: tree, options.moment)
                }
            }
        }
        container = inner.finished()
        bundle = outer?.finished()
    }

    private func removeTargetsOfMissingGroups(from overlay: inout Overlay) -> Set<[UInt8]> {
        var missing: Set<[UInt8]> = []
        overlay.targets.removeAll { target in
            guard case .appGroup(let name) = target.root, !container.groups.contains(Array(name.utf8)) else { return false }
            missing.insert(Array(name.utf8))
            return true
        }
        return missing
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
