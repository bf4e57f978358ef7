public import CapsuleCore
import CapsuleFileSystem
import CapsulePropertyList

/// Applies overlays to a live container, as one transaction, or says what that would change.
public struct ContainerApplier: Sendable {
    /// How to apply.
    public struct Options: Sendable {
        /// The names that are set, and what the command line says.
        public var context: OverlayContext
        /// What is done with what was worked out.
        public var mode = ApplyMode.write
        /// Where the overlay goes that takes the change back; it is written first, and only if there is a change.
        public var undo: OverlayOutput?
        /// Whether files that an overlay brings replace what is there, whatever that is.
        public var forces = false
        /// Whether files that drifted are merged with what an overlay makes of them.
        public var merges = false
        /// The app's directory, whose property lists are changed at the same time; nil to leave it out.
        public var bundle: HostPath?
        /// Whether an overlay that was made of another app's container is applied.
        public var allowsOtherApp = false
        /// Directories of app groups, by identifier.
        public var groups: [(identifier: [UInt8], directory: HostPath)] = []
        /// How changes are told.
        public var comparison = ComparisonOptions()
        /// Whether what is known of the target's files is kept in the user's cache.
        public var usesCache = true
        /// The time of what is made and has none in the overlay.
        public var moment: Timestamp
        /// How many threads work.
        public var jobs = 1

        /// Writes, and forces nothing, unless changed.
        public init(context: OverlayContext, moment: Timestamp) {
            self.context = context
            self.moment = moment
        }
    }

    private let options: Options
    private let progress: (any ProgressObserver)?

    /// Nothing is opened yet.
    public init(_ options: Options, progress: (any ProgressObserver)? = nil) {
        self.options = options
        self.progress = progress
    }

    /// Applies overlays one after the other.
    ///
    /// - Throws: an error of any of them, with each place where the target is not what they were made for; nothing is changed then.
    public func apply(_ overlays: [OverlaySource], to path: HostPath) throws(CapsuleError) -> ApplyOutcome {
        CreationMask.prepare()
        var containerOptions = ContainerOptions(groups: options.groups, jobs: options.jobs)
        containerOptions.statCache = options.usesCache
        containerOptions.savesStatCache = options.mode == .write
        var target = try LiveTarget(path, containerOptions, beside: options.bundle, for: options.mode)
        try TargetGuard(target).refuse(undo: options.undo, overwriting: overlays.map(\.argument))
        let bundle = try options.bundle.map { (path) throws(CapsuleError) in try target.bundle(path) }
        var overlaid = OverlaidTarget(
            target.container, bundle: bundle?.container,
            OverlaidTarget.Options(
                context: options.context, forces: options.forces, merges: options.merges, moment: options.moment,
                jobs: options.jobs))
        var groups: Set<[UInt8]> = []
        var isForBundle = false
        for source in overlays {
            try refuseOtherApp(source, target)
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

    private func refuseOtherApp(_ source: OverlaySource, _ target: LiveTarget) throws(CapsuleError) {
        guard !options.allowsOtherApp, let made = try source.bundleIdentifier(),
            let own = target.container.source.bundleIdentifier, made != own
        else { return }
        throw CapsuleError(
            "is the container of \(own.quoted), but the overlay \(HostPath(source.argument)) was made for \(made.quoted)",
            path: target.path,
            hint: "'--different-app' applies it anyway")
    }
}

extension OverlayPackage {
    /// The identifiers of the app groups that it changes.
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
