import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
import CapsuleSystem

/// Writes a container, or parts of it, to disk as a directory that appears complete or not at all.
package struct Unpacker: Sendable {
    private let options: UnpackOptions
    private let progress: (any ProgressObserver)?

    package init(options: UnpackOptions, progress: (any ProgressObserver)? = nil) {
        self.options = options
        self.progress = progress
    }

    /// Checks the path of a whole container that is about to be written, with what it would replace.
    func check(_ opened: OpenedContainer, of source: HostPath, to target: HostPath) throws(CapsuleError) {
        _ = try UnpackPlan(opened, of: source, options).replacement.check(target, replacing: options.replaces)
    }

    /// Unpacks an open container to exactly this path.
    /// - Parameters:
    ///   - purpose: the reason for writing, which decides the hint for a name that the file system refuses.
    func write(
        _ opened: OpenedContainer, of source: HostPath, to target: HostPath, for purpose: NameProbe.Purpose
    ) throws(CapsuleError) -> UnpackOutcome {
        let prepared = try stage(
            UnpackPlan(opened, of: source, options), at: target, isPart: false, beside: InputPaths([]), for: purpose)
        var outcome = prepared.outcome
        outcome.notes += try prepared.commit()
        return outcome
    }

    /// Every file of a capsule is compared with its digest before the result appears at its path.
    package func unpack(_ container: Container, to destination: UnpackOptions.Destination) throws(CapsuleError) -> UnpackOutcome {
        CreationMask.prepare()
        let places = InputPaths([container.argument], changed: [options.overlays?.bundle?.bytes].compactMap { $0 })
        switch destination {
        case .named(let path) where !options.paths.isEmpty && FileProbe.isDirectory(path):
            try places.refuse(resultsIn: path, flag: "-o")
        case .named(let path): try places.refuse(path)
        case .into(let directory): try places.refuse(resultsIn: directory, flag: "-C")
        }
        var opened = try container.open(ContainerOptions(jobs: options.jobs))
        let patched = try options.overlays?.patch(opened)
        if let patched { opened = patched.container }
        let checkpointed = options.checkpointsLogs ? try checkpoint(&opened) : nil
        let source = HostPath(container.argument)
        var plan = try UnpackPlan(opened, of: source, checkpointed == nil ? options : options.withoutPaths)
        var made: CreatedDirectories?
        var target: HostPath
        switch destination {
        case .named(let path):
            target = path
            if let place = try options.singlePath(in: opened) {
                plan = try plan.alone(place, isCheckpointed: checkpointed != nil)
                if plan.isFile, FileProbe.isDirectory(path) {
                    target = path.appending(Array(place.name))
                }
            }
        case .into(let directory):
            made = try CreatedDirectories(directory)
            target = try places.name(opened.name, suffix: plan.suffix, in: directory, isPart: !options.paths.isEmpty)
        }
        let prepared = try stage(plan, at: target, isPart: !options.paths.isEmpty, beside: places, for: .unpacking)
        var outcome = prepared.outcome
        let commit = { () throws(CapsuleError) in outcome.notes += try prepared.commit() }
        if let patched, let overlays = options.overlays { try overlays.finish(patched, then: commit) } else { try commit() }
        made?.keep()
        outcome.additions += [plan.selectionNote].compactMap { $0 }
        outcome.notes += (checkpointed ?? []) + (patched?.notes ?? [])
        if let note = opened.overlayNote { outcome.notes.append(note) }
        if !opened.isDigested, let note = UnpackOutcome.note(on: opened.unwantedOmissions) { outcome.notes.append(note) }
        return outcome
    }

    /// A result that is complete except for its name.
    private struct Prepared {
        let outcome: UnpackOutcome
        /// Gives the result its name, and returns notes on what could not be done.
        let commit: () throws(CapsuleError) -> [String]
    }

    /// Finds all conflicts, and writes the result under a hidden name.
    /// - Parameters:
    ///   - isPart: true for a part of a container, which is written into a directory that exists. A whole one replaces it.
    ///   - places: the files that the result may not replace.
    private func stage(
        _ plan: UnpackPlan, at target: HostPath, isPart: Bool, beside places: InputPaths, for purpose: NameProbe.Purpose
    ) throws(CapsuleError) -> Prepared {
        if isPart, !plan.isFile, FileProbe.isDirectory(target) {
            let merge = try DirectoryMerge(plan, into: target, beside: places, options, progress: progress)
            return Prepared(outcome: merge.outcome) { () throws(CapsuleError) in try merge.run() }
        }
        let replaces: Bool
        if plan.isFile {
            try places.refuse(target)
            replaces = try FileProbe.checkTarget(target, as: .file, replacing: options.replaces)
            if let item = plan.items.first {
                let stale = try DirectoryMerge.staleLogs(
                    of: RelativePath(named: target.name), plan.container.entries[item.number],
                    in: RootDirectory(target.directory),
                    besides: []
                ) { plan.container.isDatabase(item.number) }
                if let error = stale.first { throw error }
            }
        } else {
            replaces = try plan.replacement.check(target, replacing: options.replaces)
        }
        let staging = try StagingDirectory(for: target, inPlace: !plan.isFile)
        try Self.checkNames(of: plan, in: staging.root, for: purpose)
        var outcome = try TreeUnpacker(plan: plan, root: staging.root, jobs: options.jobs, progress: progress).run()
        outcome.path = target
        return Prepared(outcome: outcome) { () throws(CapsuleError) in
            if plan.isFile, let file = plan.items.first {
                try staging.commit(file.path.bytes, replacing: replaces)
            } else {
                try staging.commit(replacing: replaces)
            }
            return []
        }
    }

    /// Removes everything except the named parts, and checkpoints the logs of their databases.
    /// - Returns: notes on databases whose logs could not be checkpointed.
    private func checkpoint(_ opened: inout OpenedContainer) throws(CapsuleError) -> [String] {
        opened = try PathSelection(options.paths, in: opened).select(from: opened)
        return try WALCheckpointer.checkpoint(&opened, jobs: options.jobs)
    }

    private static let probeName = Array("probe".utf8)

    /// Throws if the file system can't distinguish or store the names of the plan.
    /// - Parameter root: the staging directory, which is still empty.
    static func checkNames(
        of plan: UnpackPlan, in root: RootDirectory, for purpose: NameProbe.Purpose,
        make: (RootDirectory, [UInt8]) throws(CapsuleError) -> Void = {
            (directory, name) throws(CapsuleError) in try directory.makePrivateDirectory(name)
        }
    ) throws(CapsuleError) {
        var isMade = false
        try NameProbe(plan.items.lazy.map { TargetPath(root: 0, path: $0.path) }, for: purpose).run(
            in: { (_) throws(CapsuleError) in
                isMade = true
                return try root.emptyDirectory(named: probeName)
            }, make: make, shown: { root.hostPath(of: $0.path) })
        guard isMade else { return }
        _ = try root.emptyDirectory(named: probeName)
        try root.remove(probeName, isDirectory: true)
    }
}

/// The options for unpacking.
package struct UnpackOptions: Sendable {
    package enum Form: Sendable {
        /// The whole bundle, `NAME.xcappdata`.
        case bundle
        /// The content of AppData with the identity, without app groups.
        case container
        /// Only the tree, with app groups as `AppGroups/ID`.
        case directory
    }

    package enum Destination: Sendable {
        /// A directory, which is created if it does not exist. The result is named after the container.
        case into(HostPath)
        /// The path of the result itself.
        case named(HostPath)
    }

    /// The form of the result; nil for the form of the container's layout.
    package var form: Form?
    /// The paths to unpack, with the directories around them; empty for all.
    package var paths: [[UInt8]] = []
    package var checkpointsLogs = false
    /// True to keep the directories around a single path. Otherwise, the entry at this path is the result itself if it is named.
    package var keepsTree = false
    package var replaces = false
    /// The options for applying the version's overlays; nil to leave them out, with a note.
    package var overlays: OverlayApplication?
    package var jobs = 1

    package init() {}

    /// Returns the place in the result of the one entry that is unpacked alone, without the directories around it; nil if there are
    /// several, or if the directories are kept.
    fileprivate func singlePath(in container: OpenedContainer) throws(CapsuleError) -> RelativePath? {
        guard paths.count == 1, form == nil, !keepsTree else { return nil }
        guard let entry = try NamedPaths.entry(paths[0], in: container) else { return nil }
        return entry.root == .tree && container.layout == .container
            ? RelativePath(joining: ContainerShape.appData, entry.path) : entry.path
    }

    /// The same options for a container that has only the selected paths left.
    var withoutPaths: UnpackOptions {
        var options = self
        options.paths = []
        return options
    }
}

/// The result of unpacking.
package struct UnpackOutcome: Sendable {
    package var path: HostPath
    package var entries: UInt64 = 0
    package var bytes: UInt64 = 0
    /// Notes on what differs from the packed container, in lower case and without a period.
    package var notes: [String] = []
    package var additions: [String] = []

    /// Returns a note on what a live container or an archive has but the result does not; nil if there is nothing.
    package static func note(on omitted: [Omission]) -> String? {
        guard let first = omitted.first else { return nil }
        let name = String(decoding: first.shownPath, as: UTF8.self)
        return omitted.count == 1
            ? "1 entry left out or altered: \(name): \(first.reason)"
            : "\(omitted.count) entries left out or altered, first \(name): \(first.reason)"
    }

    static func note(onRefused count: Int, first name: [UInt8], of path: RelativePath) -> String {
        let name = String(decoding: name, as: UTF8.self)
        return count == 1
            ? "1 extended attribute not set, because the file system rejects it: \(name) of \(path)"
            : "\(count) extended attributes not set, because the file system rejects them, first \(name) of \(path)"
    }

    package init(path: HostPath, entries: UInt64 = 0, bytes: UInt64 = 0, notes: [String] = []) {
        self.path = path
        self.entries = entries
        self.bytes = bytes
        self.notes = notes
    }
}
