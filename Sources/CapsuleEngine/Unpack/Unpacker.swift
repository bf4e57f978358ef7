public import CapsuleCore
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

/// How to unpack.
public struct UnpackOptions: Sendable {
    /// What the result is.
    public enum Form: Sendable {
        /// The whole bundle, `NAME.xcappdata`.
        case bundle
        /// What is in AppData, with the identity plist, without groups.
        case container
        /// The tree alone, groups as `AppGroups/ID`.
        case directory
    }

    /// Where the result goes.
    public enum Destination: Sendable {
        /// Under its own name in a directory, which is made if it is missing.
        case into(HostPath)
        /// Under this very name.
        case named(HostPath)
    }

    /// nil is the layout's own form.
    public var form: Form?
    /// The parts to unpack, with their directories; none means all.
    public var paths: [[UInt8]] = []
    /// Whether databases come out with what is in their logs folded in, and without the logs.
    public var foldsLogs = false
    /// What the result may take the place of, as a whole.
    public var replaces = Replacement.nothing
    /// How the version's overlays are applied; nil to leave them out, with a note.
    public var overlays: OverlayApplication?
    /// How many threads work.
    public var jobs = 1

    /// Takes the layout's own form, by one thread, unless changed.
    public init() {}

    /// The same for a container of which only the parts are left.
    var withoutPaths: UnpackOptions {
        var options = self
        options.paths = []
        return options
    }
}

/// What unpacking came to.
public struct UnpackOutcome: Sendable {
    /// Where the result is.
    public var path: HostPath
    /// How many entries the result has.
    public var entries: UInt64 = 0
    /// The sum of the sizes of its files.
    public var bytes: UInt64 = 0
    /// What is not as it was packed, one sentence each, lower case, no period.
    public var notes: [String] = []
    /// What came along though nobody named it, one sentence each, lower case, no period.
    public var additions: [String] = []

    /// A note on what a live container or archive has and the result has not; nil if there is nothing.
    public static func note(on omitted: [Omission]) -> String? {
        guard let first = omitted.first else { return nil }
        let name = String(decoding: first.shownPath, as: UTF8.self)
        return omitted.count == 1
            ? "1 entry left out or altered: \(name): \(first.reason)"
            : "\(omitted.count) entries left out or altered, first \(name): \(first.reason)"
    }

    /// A note on extended attributes that a file system does not take.
    ///
    /// - Parameters:
    ///   - count: how many there are, one at least.
    ///   - name: of the first of them.
    ///   - path: what it belongs to.
    static func note(onRefused count: Int, first name: [UInt8], of path: RelativePath) -> String {
        let name = String(decoding: name, as: UTF8.self)
        return count == 1
            ? "1 extended attribute not set, because the file system rejects it: \(name) of \(path)"
            : "\(count) extended attributes not set, because the file system rejects them, first \(name) of \(path)"
    }

    /// Takes all parts as they are.
    public init(path: HostPath, entries: UInt64 = 0, bytes: UInt64 = 0, notes: [String] = []) {
        self.path = path
        self.entries = entries
        self.bytes = bytes
        self.notes = notes
    }
}

/// Which entries come out, where, and in which order.
struct UnpackPlan: Sendable {
    /// An entry and its path in the result; the root is the result itself.
    struct Item: Sendable {
        /// Its place among the container's entries.
        let number: Int
        let path: RelativePath
    }

    let container: OpenedContainer
    let form: UnpackOptions.Form
    /// Depth first, directories before what is in them.
    private(set) var items: [Item] = []
    /// The entry whose mode, times and attributes the result has; nil for a made-up one.
    private(set) var top: Int?
    /// Whether the result's own directory is left as it is.
    private(set) var leavesTop = false
    /// What to say of files that nobody named and that come with a database; nil for none.
    private(set) var selectionNote: String?
    /// Groups that the form has no place for.
    private(set) var groupsLeftOut: [[UInt8]] = []

    /// What follows the container's name in the result's.
    var suffix: [UInt8] { form == .bundle ? ContainerShape.bundleSuffix : [] }

    /// - Parameter source: what the container was opened from, for messages.
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

    /// All of a container's entries, each under a path that is not its own, in a directory that is left as it is.
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
