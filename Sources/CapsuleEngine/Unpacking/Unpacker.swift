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
    /// - Parameter source: what it was opened from, for messages.
    func write(_ opened: OpenedContainer, of source: HostPath, to target: HostPath) throws(CapsuleError) -> UnpackOutcome {
        let plan = try UnpackPlan(opened, of: source, options)
        try FileProbe.checkTarget(target, isDirectory: true, replacing: options.replaces)
        let staging = try CapsuleError.wrapping { () throws(FileSystemError) in try StagingDirectory(for: target) }
        var outcome = try TreeUnpacker(plan: plan, root: staging.root, jobs: options.jobs, progress: progress).run()
        try CapsuleError.wrapping { () throws(FileSystemError) in try staging.commit(replacing: options.replaces) }
        outcome.path = target
        return outcome
    }

    /// Unpacks `container`.
    ///
    /// Every file of a capsule is compared with its digest before the result takes its name.
    public func unpack(_ container: Container, to destination: UnpackOptions.Destination) throws(CapsuleError) -> UnpackOutcome {
        CreationMask.prepare()
        if case .named(let path) = destination {
            try FileProbe.checkTarget(path, isDirectory: true, replacing: options.replaces)
        }
        var opened = try container.open(ContainerOptions(jobs: options.jobs))
        let overlaid = try options.overlays?.overlaying(opened)
        if let overlaid { opened = overlaid.container }
        let plan = try UnpackPlan(opened, of: HostPath(container.argument), options)
        var made: MadeDirectories?
        let target: HostPath
        switch destination {
        case .named(let path):
            target = path
        case .into(let directory):
            made = try CapsuleError.wrapping { () throws(FileSystemError) in try MadeDirectories(directory) }
            target = directory.appending(plan.name)
        }
        try FileProbe.checkTarget(target, isDirectory: true, replacing: options.replaces)
        let staging = try CapsuleError.wrapping { () throws(FileSystemError) in try StagingDirectory(for: target) }
        var outcome = try TreeUnpacker(plan: plan, root: staging.root, jobs: options.jobs, progress: progress).run()
        let commit = { () throws(CapsuleError) in
            try CapsuleError.wrapping { () throws(FileSystemError) in try staging.commit(replacing: options.replaces) }
        }
        if let overlaid, let overlays = options.overlays { try overlays.finish(overlaid, then: commit) } else { try commit() }
        made?.keep()
        outcome.path = target
        outcome.notes += overlaid?.notes ?? []
        if let note = opened.overlayNote { outcome.notes.append(note) }
        if !opened.isDigested, let note = UnpackOutcome.note(on: opened.omitted) { outcome.notes.append(note) }
        return outcome
    }
}
