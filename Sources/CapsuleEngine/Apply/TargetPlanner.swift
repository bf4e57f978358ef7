import CapsuleContainers
import CapsuleCore
import CapsuleSystem
import CapsuleTransaction

/// Plans the changes that turn a live target into another state of its container.
struct TargetPlanner {
    var target: LiveTarget
    var wanted: OpenedContainer
    var kept: [Glob] = []
    var selected: [Glob] = []
    /// True to give directories in which something changes their wanted times. Otherwise they keep their old times.
    var setsTimes = false
    /// True if the wanted container was made from the target's. Then files of one path and size without digests are the same
    /// files.
    var isOfTarget = false
    let jobs: Int
    var notes: [String] = []
    var remaining = 0
    var items: [TreeDiff.Item] = []

    init(_ target: LiveTarget, to wanted: OpenedContainer, jobs: Int) {
        self.target = target
        self.wanted = wanted
        self.jobs = jobs
    }

    mutating func plan() throws(CapsuleError) -> ApplyPlan {
        try completeDigests()
        items = TreeDiff(targetSide, wantedSide, Self.options).items
        let others = select()
        ignoreSpecialModes()
        try keep()
        try addParents(from: others)
        try refuseSpecials()
        try wanted.contents.fetch(items.filter(\.hasOtherContent).compactMap(\.new))
        try completeWanted(items.compactMap(\.new))
        // A form without attributes keeps those of the target, and only reading the files gives them.
        try completeOwn(
            items.filter { $0.new.map { wanted.entries[$0].unknown.contains(.attributes) } ?? false }.compactMap(\.old))
        var plan = ApplyPlan(roots: target.roots, changes: [])
        var places: Set<TargetPath> = []
        for item in items {
            guard let change = try change(item) else { continue }
            if places.insert(change.place).inserted { plan.changes.append(change) }
            if setsTimes { planParentTime(above: item, in: &plan) }
        }
        plan.changes.sort { $0.place < $1.place }
        plan.source = ContainerContents(container: wanted)
        return plan
    }

    var deletions: [RelativePath] {
        items.filter { $0.new == nil }.compactMap { $0.old.map { target.container.entries[$0].path } }
    }

    func groupCounts(_ plan: ApplyPlan) -> [(identifier: [UInt8], counts: ApplyCounts)] {
        target.container.groups.enumerated().compactMap { number, identifier in
            guard let root = TreeRoot.group(number), wanted.groups.contains(identifier) else { return nil }
            return (identifier, ApplyCounts(plan.changes.filter { target.isIn(root, $0.place) }))
        }
    }

    private static var options: TreeDiff.Options {
        var options = TreeDiff.Options()
        options.renames = false
        return options
    }

    var targetSide: TreeSide {
        var side = TreeSide(target.container.entries, groups: target.container.groups)
        side.skippedGroups = Set(target.container.groups.filter { !wanted.groups.contains($0) })
        return side
    }

    var wantedSide: TreeSide {
        var side = TreeSide(wanted.entries, groups: wanted.groups)
        side.skippedGroups = Set(wanted.groups.filter { !target.container.groups.contains($0) })
        return side
    }

    /// Computes the missing digests of files that may be equal: those with the same path and size.
    private mutating func completeDigests() throws(CapsuleError) {
        var (own, others) = ([Int](), [Int]())
        var place = 0
        for (number, entry) in wanted.entries.enumerated() where entry.kind == .file && entry.isCompared {
            guard let root = target.root(of: entry.root, in: wanted) else { continue }
            let entries = target.container.entries
            while place < entries.count,
                entries[place].root != root ? entries[place].root < root : entries[place].path < entry.path
            {
                place += 1
            }
            guard place < entries.count, entries[place].root == root, entries[place].path == entry.path,
                entries[place].kind == .file, entries[place].size == entry.size,
                entries[place].digest != entry.digest || (entry.digest == .zero && !isOfTarget)
            else { continue }
            if entries[place].digest == .zero { own.append(place) }
            if entry.digest == .zero { others.append(number) }
        }
        try completeOwn(own)
        try completeWanted(others)
    }

    mutating func completeOwn(_ numbers: [Int]) throws(CapsuleError) {
        try EntryDigester(jobs: jobs).completeAll(&target.container, at: numbers)
    }

    mutating func completeWanted(_ numbers: [Int]) throws(CapsuleError) {
        // A container that claims to know its digests is trusted only if they can be compared with the bytes.
        if wanted.isDigested,
            let number = numbers.first(where: { wanted.entries[$0].kind == .file && wanted.entries[$0].digest == .zero })
        {
            throw .wrongDigest(of: wanted.entries[number])
        }
        try EntryDigester(jobs: jobs).completeAll(&wanted, at: numbers)
    }

    private func change(_ item: TreeDiff.Item) throws(CapsuleError) -> ApplyPlan.Change? {
        let (old, new) = (item.old.map { target.container.entries[$0] }, item.new.map { wanted.entries[$0] })
        let root = old.map(\.root) ?? new.flatMap { target.root(of: $0.root, in: wanted) }
        guard let named = old ?? new, let root, let place = target.place(of: named.path, in: root) else { return nil }
        var present: ApplyPlan.Present?
        if let old { present = try self.present(old, at: place) }
        guard let new, let number = item.new else { return ApplyPlan.Change(place: place, present: present, wanted: nil) }
        var entry = new
        let isSameKind = old?.kind == new.kind
        if let old, isSameKind {
            if entry.unknown.contains(.mode) { entry.mode = old.mode }
            if entry.unknown.contains(.attributes) { entry.attributes = old.attributes }
        }
        let content: ApplyPlan.Wanted.Content
        if isSameKind, !item.hasOtherContent, new.kind != .link {
            content = .kept
            entry.modified = old?.modified ?? new.modified
        } else {
            content = new.kind == .file ? .file(number) : .none
        }
        return ApplyPlan.Change(place: place, present: present, wanted: ApplyPlan.Wanted(entry: entry, content: content))
    }

    /// - Throws: ``CapsuleError`` if the entry is not as it was listed.
    private func present(_ entry: TreeEntry, at place: TargetPath) throws(CapsuleError) -> ApplyPlan.Present {
        let root = target.roots[place.root]
        guard let status = try root.statusIfThere(of: place.path), entry.isState(status) else {
            throw CapsuleError(
                "was changed by another program in the meantime", path: root.hostPath(of: place.path),
                hint: "stop the app, then try again")
        }
        return ApplyPlan.Present(status: status, entry: entry)
    }

    private func planParentTime(above item: TreeDiff.Item, in plan: inout ApplyPlan) {
        guard let entry = item.new.map({ wanted.entries[$0] }) ?? item.old.map({ target.container.entries[$0] }),
            let parent = entry.path.parent, isSelected(parent)
        else { return }
        let root = item.new == nil ? target.root(of: entry.root, as: wanted) : entry.root
        guard let root, let own = target.root(of: root, in: wanted), let number = wanted.entries.index(of: parent, in: root),
            let place = target.place(of: parent, in: own)
        else { return }
        plan.directoryTimes[place] = wanted.entries[number].modified
    }
}

extension LiveTarget {
    /// Returns the root of this target that corresponds to a root of another container; nil if there is none.
    func root(of root: TreeRoot, in other: OpenedContainer) -> TreeRoot? {
        guard let number = root.groupNumber else { return root }
        guard number < other.groups.count, let own = container.groups.firstIndex(of: other.groups[number]) else { return nil }
        return TreeRoot.group(own)
    }

    /// Returns the root of another container that corresponds to a root of this target; nil if there is none.
    func root(of root: TreeRoot, as other: OpenedContainer) -> TreeRoot? {
        guard let number = root.groupNumber else { return root }
        guard number < container.groups.count, let theirs = other.groups.firstIndex(of: container.groups[number]) else {
            return nil
        }
        return TreeRoot.group(theirs)
    }
}

extension TreeEntry {
    /// Returns true if a file's current status matches the entry as it was listed.
    fileprivate func isState(_ status: FileStatus) -> Bool {
        switch (kind, status.kind) {
        case (.file, .file), (.identity, .file): size == status.size && modified == status.modified && mode == status.mode
        case (.directory, .directory): mode == status.mode
        case (.link, .link): modified == status.modified
        default: false
        }
    }
}

extension TargetPlanner {
    /// Refuses to write where a pipe, a socket or a device is. A container can't hold one, so it could not be restored. Call it
    /// after the changes to entries that stay have been removed.
    func refuseSpecials() throws(CapsuleError) {
        if target.container.omitted.isEmpty { return }
        let omitted = Set(target.container.omitted.map(\.path))
        var problems: [CapsuleError] = []
        for item in items where item.old == nil {
            guard let entry = item.new.map({ wanted.entries[$0] }), let root = target.root(of: entry.root, in: wanted),
                omitted.contains(entry.path.bytes), let place = target.place(of: entry.path, in: root),
                // An omission may also be something else with the same name, beside the tree.
                let kind = try target.roots[place.root].statusIfThere(of: place.path)?.kind, let word = Self.word(for: kind)
            else { continue }
            problems.append(
                CapsuleError(
                    "is a \(word), which a capsule can't contain, where a \(entry.kind.word) must be",
                    path: target.roots[place.root].hostPath(of: place.path), hint: "delete it, then try again"))
        }
        guard var problem = problems.first else { return }
        if problems.count > 1 {
            problem = CapsuleError(
                "has pipes, sockets or devices in \(problems.count) places where other entries must be", path: target.path,
                hint: "delete them, then try again")
            problem.details = problems.map { "\($0.path ?? target.path): \($0.message)" }
        }
        throw problem
    }

    private static func word(for kind: FileStatus.Kind) -> String? {
        switch kind {
        case .pipe: "pipe"
        case .socket: "socket"
        case .device: "device"
        case .file, .directory, .link: nil
        }
    }

    typealias Sides = (old: ComparedSide, new: ComparedSide)

    mutating func sides() throws(CapsuleError) -> Sides {
        var own = Set(items.compactMap(\.old))
        var others = Set(items.compactMap(\.new))
        var paths: Set<EntryPath> = []
        for number in own { paths.insert(target.container.entries[number].place) }
        for number in others { paths.insert(wanted.entries[number].place) }
        own.formUnion(Self.units(around: paths, in: target.container.entries))
        others.formUnion(Self.units(around: paths, in: wanted.entries))
        try completeOwn(Array(own))
        try completeWanted(Array(others))
        return (Self.side(of: target.container, own), Self.side(of: wanted, others))
    }

    private static func side(of container: OpenedContainer, _ numbers: Set<Int>) -> ComparedSide {
        let selected = container.selecting(numbers.sorted())
        var side = ComparedSide(tree: TreeSide(selected.entries, groups: selected.groups), contents: selected.contents)
        side.origin = OverlayPackage.Origin(
            name: container.name, source: container.source, layout: container.layout, groups: container.groups)
        return side
    }

    private static func units(around places: Set<EntryPath>, in entries: [TreeEntry]) -> [Int] {
        var numbers: [Int] = []
        var searched: Set<EntryPath> = []
        func add(_ path: RelativePath, _ root: TreeRoot) {
            for name in [[]] + DatabaseUnit.companionSuffixes {
                guard let path = try? (path.parent ?? .root).appending(Array(path.name) + name) else { continue }
                if let number = entries.index(of: path, in: root) { numbers.append(number) }
            }
            guard let support = DatabaseUnit.support(of: path), searched.insert(.init(root: root, path: support)).inserted else {
                return
            }
            addAll(startingWith: support.bytes, root) { $0.isAtOrBelow(support) }
        }
        func addAll(startingWith start: [UInt8], _ root: TreeRoot, where isWanted: (RelativePath) -> Bool) {
            guard let first = try? RelativePath(validating: start) else { return }
            var number = entries.firstIndex(notBefore: first, in: root)
            while number < entries.count, entries[number].root == root, entries[number].path.bytes.starts(with: start) {
                if isWanted(entries[number].path) { numbers.append(number) }
                number += 1
            }
        }
        for place in places {
            add(place.path, place.root)
            for candidate in DatabaseUnit.databases(ofMember: place.path) {
                let key = EntryPath(root: place.root, path: candidate.path)
                guard searched.insert(key).inserted else { continue }
                add(candidate.path, place.root)
                guard candidate.isStem else { continue }
                let before = numbers.count
                addAll(startingWith: candidate.path.bytes + [UInt8(ascii: ".")], place.root) {
                    !$0.bytes.dropFirst(candidate.path.bytes.count).contains(UInt8(ascii: "/"))
                }
                for number in numbers[before...] { add(entries[number].path, place.root) }
            }
        }
        return numbers
    }
}
