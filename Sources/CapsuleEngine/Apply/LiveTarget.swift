import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem
import CapsulePropertyList

/// A live container that is to be changed: locked, with no unfinished transaction left in it, and listed.
struct LiveTarget {
    /// As the user named it.
    let path: HostPath
    /// What it holds; files' digests are known where the cache had them.
    var container: OpenedContainer
    let lock: LockedTarget
    /// The directory that the container lies in, then those of app groups elsewhere.
    let roots: [RootDirectory]
    /// Where each root of the container is: which directory, what stands before its paths there, and what before those here.
    private let bases: [TreeRoot: (root: Int, prefix: RelativePath, own: RelativePath)]
    /// Whether app groups lie beside the tree.
    let isBundle: Bool

    /// Opens, locks, recovers and lists a directory.
    ///
    /// - Parameters:
    ///   - options: what is left out is neither listed nor changed.
    ///   - bundle: an app bundle that is changed at the same time.
    ///   - mode: only one that writes recovers.
    ///   - timeout: how many seconds the lock is waited for.
    ///   - stop: ends the app, once the lock is held and before anything is listed: what it writes when it ends is listed, too.
    ///     It gets what is to be done on the simulator; nil where the directory is on none.
    init(
        _ path: HostPath, _ options: ContainerOptions, beside bundle: HostPath? = nil, for mode: ApplyMode,
        timeout: Double = Self.lockTimeout,
        stopping stop: ((SimulatorAdvice?) throws(CapsuleError) -> Void)? = nil
    ) throws(CapsuleError) {
        self.path = path
        let beside = try bundle.map { (path) throws(CapsuleError) in
            try CapsuleError.wrapping { () throws(FileSystemError) in try RootDirectory(path) }
        }
        var locked: LockedTarget?
        var roots: [RootDirectory] = []
        container = try LiveContainer.open(path, options: options) { (top, groups) throws(CapsuleError) in
            roots = [top] + groups + (beside.map { [$0] } ?? [])
            let lock = try LockedTarget(roots, timeout: timeout, writes: mode == .write)
            locked = lock
            guard let stop else { return !lock.recovered.isEmpty }
            try stop(Self.advice(before: top))
            return true
        }
        guard let locked, let live = container.content as? LiveTreeContent else {
            throw CapsuleError("is not a live container", path: path)
        }
        lock = locked
        self.roots = roots
        isBundle = live.bases[.wrapper] != nil
        var bases: [TreeRoot: (root: Int, prefix: RelativePath, own: RelativePath)] = [:]
        bases[.tree] = (0, isBundle ? try ContainerPlacement.component(ContainerShape.appData) : .root, .root)
        for (number, identifier) in container.groups.enumerated() {
            guard let root = TreeRoot.group(number), let base = live.bases[root] else { continue }
            let given = options.groups.firstIndex { $0.identifier == identifier }
            bases[root] = (given.map { $0 + 1 } ?? 0, .root, base.prefix)
        }
        self.bases = bases
    }

    /// One of a target's roots as a target of its own, under the same lock.
    private init(_ bundle: HostPath, _ root: RootDirectory, of target: LiveTarget) throws(CapsuleError) {
        path = bundle
        // An app is no container, even if it is named like one.
        container = try LiveContainer.open(plain: root, options: ContainerOptions())
        lock = target.lock
        roots = target.roots
        isBundle = false
        bases = [.tree: (target.roots.count - 1, .root, .root)]
    }

    /// Where the app finds its data, links resolved.
    var dataPath: HostPath {
        let top = (try? RealPath.resolve(roots[0].path)) ?? roots[0].path
        return isBundle ? top.appending(ContainerShape.appData) : top
    }

    /// What to do on a simulator before it changes; nil where it is on none.
    var advice: SimulatorAdvice? {
        SimulatorAdvice(path: dataPath, bundleIdentifier: container.source.bundleIdentifier?.string)
    }

    /// The same, of a directory that is not listed yet: on a simulator the data has its identity at its top.
    private static func advice(before top: RootDirectory) -> SimulatorAdvice? {
        let identity = try? top.readFile(named: ContainerShape.identity, limit: ContainerMetadata.longestDocument)
        let identifier = ContainerMetadata(info: nil, identity: identity).bundleIdentifier
        return SimulatorAdvice(path: top.path, bundleIdentifier: identifier.map { String(decoding: $0, as: UTF8.self) })
    }

    /// The app bundle that was opened beside it.
    func bundle(_ path: HostPath) throws(CapsuleError) -> LiveTarget {
        guard let root = roots.last else { throw CapsuleError("was not opened", path: path) }
        return try LiveTarget(path, root, of: self)
    }

    /// Seconds.
    static let lockTimeout: Double = 10

    /// Where an entry of the container is, or would be; nil for an app group that it does not have.
    func place(of path: RelativePath, in root: TreeRoot) -> ApplyPlan.Place? {
        guard let base = bases[root], let below = path.relative(to: base.own) else { return nil }
        return ApplyPlan.Place(
            root: base.root, path: base.prefix.isRoot ? below : RelativePath(joining: base.prefix.bytes, below))
    }
}

/// Refuses what would harm a target or what it is changed with.
struct TargetGuard {
    private let target: LiveTarget

    init(_ target: LiveTarget) { self.target = target }

    /// What takes the change back must not be part of what is changed, nor take the place of what is read.
    ///
    /// - Parameter inputs: the containers and overlays that are read, as they were named.
    func refuse(undo: OverlayOutput?, overwriting inputs: [[UInt8]]) throws(CapsuleError) {
        guard let undo, undo.path != .standardStream else { return }
        try ReadPlaces(inputs, changed: target.roots.map(\.path.bytes)).refuse(undo.path, flag: "--undo")
        if try FileProbe.exists(undo.path) {
            throw CapsuleError(
                .exists, "already exists, and may be the undo file of an earlier change", path: undo.path,
                hint: "choose another file")
        }
    }

    /// A container must not be restored from what lies in it, from what it lies in, or from itself.
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
        for root in target.roots { try ReadPlaces([path.bytes]).refuse(root.path, hint: "restore it from a capsule") }
    }
}
