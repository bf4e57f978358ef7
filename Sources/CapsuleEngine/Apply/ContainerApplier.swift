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

/// A live container, and an app bundle beside it, as overlays change them one after the other, in memory.
struct OverlaidTarget {
    /// How overlays are applied.
    struct Options: Sendable {
        /// The names that are set, and what the command line says.
        var context: OverlayContext
        /// Whether files that an overlay brings replace what is there, whatever that is.
        var forces = false
        /// Whether files that drifted are merged with what an overlay makes of them.
        var merges = false
        /// The time of what is made and has none in the overlay.
        var moment: Timestamp
        /// How many threads read.
        var jobs = 1
    }

    private(set) var container: OpenedContainer
    private(set) var bundle: OpenedContainer?
    /// The container as it was, with the digests that were found out; nil before the first overlay.
    private(set) var digested: OpenedContainer?
    /// What is worth a word, a sentence each.
    private(set) var notes: [String] = []
    private let options: Options

    init(_ container: OpenedContainer, bundle: OpenedContainer?, _ options: Options) {
        self.container = container
        self.bundle = bundle
        self.options = options
    }

    /// Applies an overlay after those before it: first its records, then its operations to what no record settled.
    ///
    /// - Parameter name: what it is called in messages.
    mutating func apply(_ package: OverlayPackage, named name: String) throws(CapsuleError) {
        if let obstacle = options.context.obstacle(options.context.conditions + package.overlay.conditions) {
            notes.append("\(name): skipped: \(obstacle)")
            return
        }
        var records = RecordApplication(package, to: container, options)
        try records.run()
        if digested == nil { digested = records.edits.base }
        container = records.edits.finished()
        var context = options.context
        // A path on the command line picked the targets already.
        context.targetPath = nil
        var run = OverlayRun(container, bundle: bundle, context: context, missing: .isError, settled: records.settled)
        var overlay = package.overlay
        let missing = records.missingGroups.union(takeTargetsOfMissingGroups(from: &overlay))
        for identifier in missing.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let group = String(decoding: identifier, as: UTF8.self)
            let note = "changes for the app group \(group) are skipped: name its directory with '--group'"
            if !notes.contains(note) { notes.append(note) }
        }
        do throws(CapsuleError) {
            try run.apply(overlay, named: name)
        } catch {
            // What drifted may be why.
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

    /// Takes the targets out for which the container has no place.
    ///
    /// - Returns: the identifiers of their app groups.
    private func takeTargetsOfMissingGroups(from overlay: inout Overlay) -> Set<[UInt8]> {
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
    /// An overlay, and what it is called in messages.
    typealias Named = (package: OverlayPackage, name: String)

    /// The app that it was made for, where it says so.
    func bundleIdentifier() throws(CapsuleError) -> PlistString? {
        switch form {
        case .file: nil
        case .package(let package): package.origin?.source.bundleIdentifier
        case .container(let container): try container.open(ContainerOptions()).source.bundleIdentifier
        }
    }

    /// The overlays: that of a file or of an overlay capsule, or those that a capsule's version carries.
    ///
    /// - Parameter target: the Path of the parts that are taken; a plain overlay is taken as one for it. nil for all.
    func packages(for target: String?) throws(CapsuleError) -> [Named] {
        let all = try packages()
        guard let target else { return all }
        var chosen: [Named] = []
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
        // Of several that a capsule carries, some may be for other files.
        if chosen.isEmpty, let refusal { throw refusal }
        return chosen
    }

    private func packages() throws(CapsuleError) -> [Named] {
        let name = String(decoding: argument, as: UTF8.self)
        guard case .container(let container) = form else { return [(try package(), name)] }
        var overlays: [Named] = []
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
