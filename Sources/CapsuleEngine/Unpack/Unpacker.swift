import CapsuleArchive
public import CapsuleContainers
public import CapsuleCore
import CapsuleSystem

/// Writes a container, or parts of it, to disk as a directory that appears complete or not at all.
public struct Unpacker: Sendable {
    private let options: UnpackOptions
    private let progress: (any ProgressObserver)?

    /// Creates an unpacker. Nothing is opened yet.
    public init(options: UnpackOptions, progress: (any ProgressObserver)? = nil) {
        self.options = options
        self.progress = progress
    }

    /// Checks the path of a whole container that is about to be written, with what it would replace.
    ///
    /// - Parameter source: the path that the container was opened from, for messages.
    func check(_ opened: OpenedContainer, of source: HostPath, to target: HostPath) throws(CapsuleError) {
        _ = try UnpackPlan(opened, of: source, options).replacement.check(target, replacing: options.replaces)
    }

    /// Unpacks an open container to exactly this path.
    ///
    /// - Parameters:
    ///   - source: the path that the container was opened from, for messages.
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

    /// Unpacks a container.
    ///
    /// Every file of a capsule is compared with its digest before the result appears at its path.
    public func unpack(_ container: Container, to destination: UnpackOptions.Destination) throws(CapsuleError) -> UnpackOutcome {
        CreationMask.prepare()
        let places = InputPaths([container.argument], changed: [options.overlays?.bundle?.bytes].compactMap { $0 })
        switch destination {
        case .named(let path) where !options.paths.isEmpty && FileProbe.isDirectory(path):
            try places.refuse(resultsIn: path, flag: "-o")
        case .named(let path): try places.refuse(path)
        case .into(let directory): try places.refuse(resultsIn: directory, flag: "-C")
        }
        var opened = try container.open(ContainerOptions(jobs: options.jobs))
        let overlaid = try options.overlays?.overlaying(opened)
        if let overlaid { opened = overlaid.container }
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
        if let overlaid, let overlays = options.overlays { try overlays.finish(overlaid, then: commit) } else { try commit() }
        made?.keep()
        outcome.additions += [plan.selectionNote].compactMap { $0 }
        outcome.notes += (checkpointed ?? []) + (overlaid?.notes ?? [])
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
    ///
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
        } else {
            replaces = try plan.replacement.check(target, replacing: options.replaces)
        }
        let staging = try StagingDirectory(for: target)
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
    ///
    /// - Returns: notes on databases whose logs could not be checkpointed.
    private func checkpoint(_ opened: inout OpenedContainer) throws(CapsuleError) -> [String] {
        opened = try PathSelection(options.paths, in: opened).select(from: opened)
        return try WALCheckpointer.checkpoint(&opened, jobs: options.jobs)
    }

    private static let probeName = Array("probe".utf8)

    /// Throws if the file system can't distinguish or store the names of the plan.
    ///
    /// - Parameter root: the staging directory, which is still empty.
    static func checkNames(
        of plan: UnpackPlan, in root: RootDirectory, for purpose: NameProbe.Purpose,
        make: (RootDirectory, [UInt8]) throws(CapsuleError) -> Void = {
            (directory, name) throws(CapsuleError) in try directory.makePrivateDirectory(name)
        }
    ) throws(CapsuleError) {
        var isMade = false
        try NameProbe(plan.items.lazy.map { NameProbe.ProbedPath(root: 0, path: $0.path) }, for: purpose).run(
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
public struct UnpackOptions: Sendable {
    /// The form of the result.
    public enum Form: Sendable {
        /// The whole bundle, `NAME.xcappdata`.
        case bundle
        /// The content of AppData with the identity, without app groups.
        case container
        /// Only the tree, with app groups as `AppGroups/ID`.
        case directory
    }

    /// The destination of the result.
    public enum Destination: Sendable {
        /// A directory, which is created if it does not exist. The result is named after the container.
        case into(HostPath)
        /// The path of the result itself.
        case named(HostPath)
    }

    /// The form of the result; nil for the form of the container's layout.
    public var form: Form?
    /// The paths to unpack, with the directories around them; empty for all.
    public var paths: [[UInt8]] = []
    /// True to write databases with their logs checkpointed, and without the logs.
    public var checkpointsLogs = false
    /// True to keep the directories around a single path. Otherwise, the entry at this path is the result itself if it is named.
    public var keepsTree = false
    /// The existing files and directories that the result may replace.
    public var replaces = Replacement.nothing
    /// The options for applying the version's overlays; nil to leave them out, with a note.
    public var overlays: OverlayApplication?
    /// The number of threads.
    public var jobs = 1

    /// Creates options for the form of the container's layout and one thread.
    public init() {}

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
public struct UnpackOutcome: Sendable {
    /// The path of the result.
    public var path: HostPath
    /// The number of entries in the result.
    public var entries: UInt64 = 0
    /// The sum of the sizes of its files, in bytes.
    public var bytes: UInt64 = 0
    /// Notes on what differs from the packed container, in lower case and without a period.
    public var notes: [String] = []
    /// Notes on files that were included although they were not named, in lower case and without a period.
    public var additions: [String] = []

    /// Returns a note on what a live container or an archive has but the result does not; nil if there is nothing.
    public static func note(on omitted: [Omission]) -> String? {
        guard let first = omitted.first else { return nil }
        let name = String(decoding: first.shownPath, as: UTF8.self)
        return omitted.count == 1
            ? "1 entry left out or altered: \(name): \(first.reason)"
            : "\(omitted.count) entries left out or altered, first \(name): \(first.reason)"
    }

    /// Returns a note on extended attributes that a file system rejects.
    ///
    /// - Parameters:
    ///   - count: the number of attributes, at least one.
    ///   - name: the name of the first attribute.
    ///   - path: the path of the entry that it belongs to.
    static func note(onRefused count: Int, first name: [UInt8], of path: RelativePath) -> String {
        let name = String(decoding: name, as: UTF8.self)
        return count == 1
            ? "1 extended attribute not set, because the file system rejects it: \(name) of \(path)"
            : "\(count) extended attributes not set, because the file system rejects them, first \(name) of \(path)"
    }

    /// Creates an outcome from its parts.
    public init(path: HostPath, entries: UInt64 = 0, bytes: UInt64 = 0, notes: [String] = []) {
        self.path = path
        self.entries = entries
        self.bytes = bytes
        self.notes = notes
    }
}

/// The entries to write, with their paths and their order.
struct UnpackPlan: Sendable {
    /// An entry and its path in the result. The root is the result itself.
    struct Item: Sendable {
        /// The place of the entry among those of the container.
        let number: Int
        let path: RelativePath
    }

    let container: OpenedContainer
    let form: UnpackOptions.Form
    /// The entries, depth first, with each directory before its content.
    private(set) var items: [Item] = []
    /// The entry whose mode, times and attributes the result gets; nil if there is none, and the result gets the mode 0755.
    private(set) var top: Int?
    /// True if the result's own directory is left as it is.
    private(set) var leavesTop = false
    /// The note on files that were included because they belong to a database; nil if there are none.
    private(set) var selectionNote: String?
    /// The app groups that the form can't include.
    private(set) var groupsLeftOut: [[UInt8]] = []

    /// True if the result is one file or link. It is the only item.
    private(set) var isFile = false

    /// The suffix that the result's name adds to that of the container.
    var suffix: [UInt8] { form == .bundle ? ContainerShape.bundleSuffix : [] }

    /// - Parameter source: the path that the container was opened from, for messages.
    init(_ container: OpenedContainer, of source: HostPath, _ options: UnpackOptions) throws(CapsuleError) {
        self.container = container
        form = options.form ?? (container.layout == .container ? .bundle : .directory)
        guard container.layout == .container || form == .directory else {
            throw CapsuleError(
                .usage, "is a plain directory, so it can't be unpacked as a container", path: source,
                hint: "use '--as directory', or an archive format")
        }
        let selection = try PathSelection(options.paths, in: container)
        selectionNote = selection.note
        for (number, entry) in container.entries.enumerated() where selection.includes(number) {
            place(entry, number)
        }
        let entries = container.entries
        items.sort {
            TarOrder.isOrdered(
                $0.path.bytes, entries[$0.number].kind == .directory, before: $1.path.bytes, entries[$1.number].kind == .directory
            )
        }
    }

    /// Returns the plan for one entry alone, which is the result itself.
    ///
    /// - Parameters:
    ///   - place: the path of the entry in the result of this plan.
    ///   - isCheckpointed: true if the databases have no logs any more, except for those that can't be checkpointed.
    /// - Throws: `usage` for a database whose other files would be left behind.
    func alone(_ place: RelativePath, isCheckpointed: Bool) throws(CapsuleError) -> UnpackPlan {
        var plan = self
        plan.items = []
        plan.selectionNote = nil
        plan.top = nil
        for item in items {
            if item.path == place {
                plan.isFile = container.entries[item.number].kind != .directory
                plan.top = plan.isFile ? nil : item.number
                if plan.isFile { plan.items = [Item(number: item.number, path: RelativePath(named: Array(place.name)))] }
            } else if let below = item.path.relative(to: place) {
                plan.items.append(Item(number: item.number, path: below))
            } else if container.entries[item.number].kind != .directory {
                throw Self.isUnit(place, with: container.entries[item.number].path, isCheckpointed)
            }
        }
        return plan
    }

    /// Returns the error for a database that would lose another of its files, which is its log or an external value.
    private static func isUnit(_ place: RelativePath, with other: RelativePath, _ isCheckpointed: Bool) -> CapsuleError {
        let isLog = !isCheckpointed && DatabaseUnit.companionSuffixes.contains { other.bytes.suffix($0.count).elementsEqual($0) }
        return CapsuleError(
            .usage, "is a database, and needs \(other)", path: HostPath(Array(place.name)),
            hint: (isLog ? "'--checkpoint-wal' unpacks it without logs; " : "")
                + "'--tree' unpacks its files together, in a directory")
    }

    /// The number of entries in the result, with its own directory.
    var entryCount: UInt64 { UInt64(items.count + (isFile ? 0 : 1)) }

    /// The check of a directory that the result replaces.
    var replacement: DirectoryReplacement {
        let kinds = Dictionary(items.map { ($0.path, container.entries[$0.number].kind) }) { first, _ in first }
        return DirectoryReplacement(by: container, writing: kinds, isBundle: form == .directory ? nil : form == .bundle)
    }

    /// Notes on what the result does not have.
    var notes: [String] {
        var notes = groupsLeftOut.map {
            "app group \(String(decoding: $0, as: UTF8.self)) skipped: a bare container can't include app groups"
        }
        let special = items.filter { item in
            let entry = container.entries[item.number]
            return entry.kind != .link && entry.mode.restorable(for: entry.kind) != entry.mode
        }
        if let first = special.first {
            notes.append(
                special.count == 1
                    ? "1 entry without its setuid, setgid or sticky bit: \(first.path)"
                    : "\(special.count) entries without their setuid, setgid or sticky bit, first \(first.path)")
        }
        return notes
    }

    /// Creates a plan that writes all entries of a container to other paths, in a directory that is left as it is.
    init(staging container: OpenedContainer, as paths: [RelativePath]) {
        self.container = container
        form = .directory
        leavesTop = true
        items = zip(container.entries.indices, paths).map { Item(number: $0, path: $1) }
    }

    private mutating func place(_ entry: TreeEntry, _ number: Int) {
        switch (form, entry.root) {
        case (.bundle, .tree):
            add(number, RelativePath(joining: ContainerShape.appData, entry.path))
        case (.bundle, _):
            if entry.path.isRoot { top = number } else { add(number, entry.path) }
        case (.container, .tree):
            add(number, entry.path)
        case (.directory, .tree):
            if entry.kind != .identity { add(number, entry.path) }
        case (_, .wrapper):
            let isTop = container.layout == .directory ? entry.path.isRoot : entry.path.bytes == ContainerShape.appData
            let isOfGroups = entry.path.components.first?.elementsEqual(ContainerShape.appGroups) ?? false
            if isTop { top = number } else if form == .directory, isOfGroups, entry.kind == .directory { add(number, entry.path) }
        case (.directory, _):
            if entry.kind != .identity { add(number, entry.path) }
        case (.container, _):
            if let group = entry.root.groupNumber, group < container.groups.count {
                let identifier = container.groups[group]
                if !groupsLeftOut.contains(identifier) { groupsLeftOut.append(identifier) }
            }
        }
    }

    private mutating func add(_ number: Int, _ path: RelativePath) {
        items.append(Item(number: number, path: path))
    }
}
