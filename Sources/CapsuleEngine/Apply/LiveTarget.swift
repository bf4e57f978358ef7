import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsulePropertyList
import CapsuleSystem
import CapsuleTransaction

/// A live container to change. It is locked, has no unfinished transaction, and is listed.
struct LiveTarget {
    let path: HostPath
    /// The content of the container. The digests of files are known only if the cache had them.
    var container: OpenedContainer
    let lock: LockedTarget
    /// The directory that the container is in, then the directories of app groups that are elsewhere, then the app bundle if
    /// there is one.
    let roots: [RootDirectory]
    /// The place of each root of the container: the number of its directory, the path of the root in this directory, and the
    /// prefix of the root's paths in the container.
    private let bases: [TreeRoot: (root: Int, prefix: RelativePath, own: RelativePath)]
    /// True if the container has a wrapper, so that app groups are beside the data.
    let isBundle: Bool

    /// Opens, locks, recovers and lists a directory.
    /// - Parameters:
    ///   - options: the options for listing. Entries that they leave out are neither listed nor changed.
    ///   - bundle: an app bundle that is changed at the same time.
    ///   - mode: the mode. Unfinished transactions are recovered only if it is `write`.
    ///   - timeout: the number of seconds to wait for the lock.
    ///   - stop: stops the app. It is called after the lock is taken and before anything is listed, so that the list includes the
    ///     app's last writes. Its argument says what to do on the simulator; nil if the directory is not on a simulator.
    init(
        _ path: HostPath, _ options: ContainerOptions, beside bundle: HostPath? = nil, for mode: ApplyMode,
        timeout: Double = LockedTarget.standardTimeout,
        stopping stop: ((SimulatorAdvice?) throws(CapsuleError) -> Void)? = nil
    ) throws(CapsuleError) {
        self.path = path
        let beside = try bundle.map { (path) throws(CapsuleError) in
            try RootDirectory(path)
        }
        var locked: LockedTarget?
        var roots: [RootDirectory] = []
        container = try LiveContainer.open(path, options: options) { (top, groups) throws(CapsuleError) in
            roots = [top] + groups + (beside.map { [$0] } ?? [])
            try TargetAdmission.refusePlaces(roots)
            let lock = try LockedTarget(roots, timeout: timeout, writes: mode == .write)
            locked = lock
            guard let stop else { return !lock.recovered.isEmpty }
            try stop(Self.advice(before: top))
            return true
        }
        guard let locked, let live = container.contents.live else {
            throw CapsuleError("is not a live container", path: path)
        }
        lock = locked
        self.roots = roots
        isBundle = live.bases[.wrapper] != nil
        var bases: [TreeRoot: (root: Int, prefix: RelativePath, own: RelativePath)] = [:]
        bases[.tree] = (0, isBundle ? RelativePath(named: ContainerShape.appData) : .root, .root)
        for (number, identifier) in container.groups.enumerated() {
            guard let root = TreeRoot.group(number), let base = live.bases[root] else { continue }
            let given = options.groups.firstIndex { $0.identifier == identifier }
            bases[root] = (given.map { $0 + 1 } ?? 0, .root, base.prefix)
        }
        self.bases = bases
    }

    private init(_ bundle: HostPath, _ root: RootDirectory, of target: LiveTarget) throws(CapsuleError) {
        path = bundle
        // An app bundle is not a container, even if it is named like one.
        container = try LiveContainer.open(plain: root, options: ContainerOptions())
        lock = target.lock
        roots = target.roots
        isBundle = false
        bases = [.tree: (target.roots.count - 1, .root, .root)]
    }

    /// The directories of app groups that were given, with their identifiers.
    var givenGroups: [(root: RootDirectory, identifier: [UInt8])] {
        container.groups.enumerated().compactMap { number, identifier in
            guard let base = TreeRoot.group(number).flatMap({ bases[$0] }), base.root > 0 else { return nil }
            return (roots[base.root], identifier)
        }
    }

    /// Returns the directory of the app's data, or of an app group.
    func directory(of root: TreeRoot) -> HostPath {
        guard let base = bases[root] else { return path }
        if root.groupNumber == nil { return roots[0].path }
        return roots[base.root].hostPath(of: base.root > 0 ? .root : base.own)
    }

    /// The path at which the app finds its data, with symbolic links resolved.
    var dataPath: HostPath {
        let top = (try? RealPath.resolve(roots[0].path)) ?? roots[0].path
        return isBundle ? top.appending(ContainerShape.appData) : top
    }

    var advice: SimulatorAdvice? { SimulatorAdvice(path: dataPath, bundleIdentifier: container.source.bundleIdentifier?.string) }

    /// Returns the same advice for a directory that is not listed yet. On a simulator, the identity is at the top of the data.
    private static func advice(before top: RootDirectory) -> SimulatorAdvice? {
        let identity = try? top.readFile(named: ContainerShape.identity, limit: ContainerMetadata.longestDocument)
        let identifier = ContainerMetadata(info: nil, identity: identity).bundleIdentifier
        return SimulatorAdvice(path: top.path, bundleIdentifier: identifier.map { String(decoding: $0, as: UTF8.self) })
    }

    func bundle(_ path: HostPath) throws(CapsuleError) -> LiveTarget {
        guard let root = roots.last else { throw CapsuleError("was not opened", path: path) }
        return try LiveTarget(path, root, of: self)
    }

    /// Returns true if a place is in an app group.
    func isIn(_ group: TreeRoot, _ place: ApplyPlan.TargetPath) -> Bool {
        guard let base = bases[group], base.root == place.root else { return false }
        return base.root > 0 || place.path.isAtOrBelow(base.own)
    }

    /// Returns the place where an entry of the container is, or would be; nil if the container does not have its app group.
    func place(of path: RelativePath, in root: TreeRoot) -> ApplyPlan.TargetPath? {
        guard let base = bases[root], let below = path.relative(to: base.own) else { return nil }
        return ApplyPlan.TargetPath(
            root: base.root, path: base.prefix.isRoot ? below : RelativePath(joining: base.prefix.bytes, below))
    }
}

/// Refuses outputs and sources that would damage a target, or the inputs of the change.
struct TargetGuard {
    private let target: LiveTarget

    init(_ target: LiveTarget) { self.target = target }

    /// Refuses an undo file that is part of the target, that would replace an input, or that already exists.
    func refuse(undo: OutputFile?, overwriting inputs: [[UInt8]]) throws(CapsuleError) {
        guard let undo, undo.path != .standardStream else { return }
        try InputPaths(inputs, changed: target.roots.map(\.path.bytes)).refuse(undo.path, flag: "--undo")
        if try FileProbe.exists(undo.path) {
            throw CapsuleError(
                .exists, "already exists, and may be the undo file of an earlier change", path: undo.path,
                hint: "choose another file")
        }
    }

    /// Refuses to restore a container from a source that is inside it, from a source that it is inside, or from itself.
    func refuse(source: Container) throws(CapsuleError) {
        var path: HostPath
        switch try source.resolve() {
        case .live(let directory): path = directory
        case .capsule(let capsule, _): path = capsule.file.path
        case .archive(let file, _): path = file.path
        }
        if HostPath(source.argument) == .standardStream {
            guard let file = RealPath.ofStandardInput() else { return }
            path = file
        }
        for root in target.roots where try FileProbe.leads(path, to: root.path) {
            throw CapsuleError(
                .usage, "is inside the container to restore, or is that container", path: path,
                hint: "move it out of the container first")
        }
        for root in target.roots { try InputPaths([path.bytes]).refuse(root.path, hint: "restore it from a capsule") }
    }
}
