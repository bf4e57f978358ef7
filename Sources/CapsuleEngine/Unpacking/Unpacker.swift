import CapsuleCore
import CapsuleFileSystem

/// Writes a container, or parts of it, to disk as a directory that appears whole or not at all.
public struct Unpacker: Sendable {
    private let options: UnpackOptions
    private let progress: (any ProgressObserver)?

    /// Nothing is opened yet.
    public init(options: UnpackOptions, progress: (any ProgressObserver)? = nil) {
        self.options = options
        self.progress = progress
    }

    /// Unpacks a container that is open already, under this very name.
    ///
    /// - Parameters:
    ///   - source: what it was opened from, for messages.
    ///   - purpose: what helps where a name is not taken.
    func write(
        _ opened: OpenedContainer, of source: HostPath, to target: HostPath, for purpose: NameProbe.Purpose
    ) throws(CapsuleError) -> UnpackOutcome {
        let plan = try UnpackPlan(opened, of: source, options)
        let replaces = try FileProbe.checkTarget(target, as: .directory, replacing: options.replaces)
        let staging = try CapsuleError.wrapping { () throws(FileSystemError) in try StagingDirectory(for: target) }
        try Self.checkNames(of: plan, in: staging.root, for: purpose)
        var outcome = try TreeUnpacker(plan: plan, root: staging.root, jobs: options.jobs, progress: progress).run()
        try CapsuleError.wrapping { () throws(FileSystemError) in try staging.commit(replacing: replaces) }
        outcome.path = target
        return outcome
    }

    /// Unpacks `container`.
    ///
    /// Every file of a capsule is compared with its digest before the result takes its name.
    public func unpack(_ container: Container, to destination: UnpackOptions.Destination) throws(CapsuleError) -> UnpackOutcome {
        CreationMask.prepare()
        let places = ReadPlaces([container.argument], changed: [options.overlays?.bundle?.bytes].compactMap { $0 })
        switch destination {
        case .named(let path):
            try places.refuse(path)
            try FileProbe.checkTarget(path, as: .directory, replacing: options.replaces)
        case .into(let directory):
            try places.refuse(resultsIn: directory, flag: "-C")
        }
        var opened = try container.open(ContainerOptions(jobs: options.jobs))
        let overlaid = try options.overlays?.overlaying(opened)
        if let overlaid { opened = overlaid.container }
        let folded = options.foldsLogs ? try fold(&opened) : nil
        let plan = try UnpackPlan(opened, of: HostPath(container.argument), folded == nil ? options : options.withoutPaths)
        var made: MadeDirectories?
        let target: HostPath
        switch destination {
        case .named(let path):
            target = path
        case .into(let directory):
            made = try CapsuleError.wrapping { () throws(FileSystemError) in try MadeDirectories(directory) }
            target = try places.name(opened.name, suffix: plan.suffix, in: directory, isPart: !options.paths.isEmpty)
        }
        let replaces = try FileProbe.checkTarget(target, as: .directory, replacing: options.replaces)
        let staging = try CapsuleError.wrapping { () throws(FileSystemError) in try StagingDirectory(for: target) }
        try Self.checkNames(of: plan, in: staging.root, for: .unpacking)
        var outcome = try TreeUnpacker(plan: plan, root: staging.root, jobs: options.jobs, progress: progress).run()
        let commit = { () throws(CapsuleError) in
            try CapsuleError.wrapping { () throws(FileSystemError) in try staging.commit(replacing: replaces) }
        }
        if let overlaid, let overlays = options.overlays { try overlays.finish(overlaid, then: commit) } else { try commit() }
        made?.keep()
        outcome.path = target
        outcome.additions += [plan.selectionNote].compactMap { $0 }
        outcome.notes += (folded ?? []) + (overlaid?.notes ?? [])
        if let note = opened.overlayNote { outcome.notes.append(note) }
        if !opened.isDigested, let note = UnpackOutcome.note(on: opened.unwantedOmissions) { outcome.notes.append(note) }
        return outcome
    }

    /// Leaves only the parts that were named, and folds the logs of their databases into them.
    ///
    /// - Returns: what to say of databases that come out as they are.
    private func fold(_ opened: inout OpenedContainer) throws(CapsuleError) -> [String] {
        opened = try PathSelection(options.paths, in: opened).select(from: opened)
        return try LogFolding.fold(&opened, jobs: options.jobs)
    }

    private static let probeName = Array("probe".utf8)

    /// - Parameter root: the staging, with nothing in it yet.
    static func checkNames(
        of plan: UnpackPlan, in root: RootDirectory, for purpose: NameProbe.Purpose,
        make: (RootDirectory, [UInt8]) throws(FileSystemError) -> Void = {
            (directory, name) throws(FileSystemError) in try directory.makePrivateDirectory(name)
        }
    ) throws(CapsuleError) {
        var isMade = false
        try NameProbe(plan.items.lazy.map { NameProbe.Place(root: 0, path: $0.path) }, for: purpose).run(
            in: { (_) throws(FileSystemError) in
                isMade = true
                return try root.emptyDirectory(named: probeName)
            }, make: make, shown: { root.hostPath(of: $0.path) })
        guard isMade else { return }
        try CapsuleError.wrapping { () throws(FileSystemError) in
            _ = try root.emptyDirectory(named: probeName)
            try root.remove(probeName, isDirectory: true)
        }
    }
}
