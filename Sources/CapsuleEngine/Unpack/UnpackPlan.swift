import CapsuleArchive
import CapsuleContainers
import CapsuleCore

/// The entries to write, with their paths and their order.
struct UnpackPlan: Sendable {
    /// An entry and its path in the result. The root is the result itself.
    struct Item: Sendable {
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
    private(set) var selectionNote: String?
    private(set) var groupsLeftOut: [[UInt8]] = []

    /// True if the result is one file or link. It is the only item.
    private(set) var isFile = false

    var suffix: [UInt8] { form == .bundle ? ContainerShape.bundleSuffix : [] }

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
    /// - Parameters:
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

    private static func isUnit(_ place: RelativePath, with other: RelativePath, _ isCheckpointed: Bool) -> CapsuleError {
        let isLog = !isCheckpointed && DatabaseUnit.companionSuffixes.contains { other.bytes.suffix($0.count).elementsEqual($0) }
        return CapsuleError(
            .usage, "is a database, and needs \(other)", path: HostPath(Array(place.name)),
            hint: (isLog ? "'--checkpoint-wal' unpacks it without logs; " : "")
                + "'--tree' unpacks its files together, in a directory")
    }

    /// The number of entries in the result, with its own directory.
    var entryCount: UInt64 { UInt64(items.count + (isFile ? 0 : 1)) }

    var replacement: DirectoryReplacement {
        let kinds = Dictionary(items.map { ($0.path, container.entries[$0.number].kind) }) { first, _ in first }
        return DirectoryReplacement(by: container, writing: kinds, isBundle: form == .directory ? nil : form == .bundle)
    }

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
