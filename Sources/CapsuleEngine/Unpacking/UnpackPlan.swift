import CapsuleCore

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
