import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
import CapsuleHashing
import CapsuleMerge
import CapsulePropertyList
import CapsuleSystem

/// Merges three containers of any form into a new one.
package struct MergeEngine: Sendable {
    private let options: MergeOptions
    private let progress: (any ProgressObserver)?

    package init(_ options: MergeOptions, progress: (any ProgressObserver)? = nil) {
        self.options = options
        self.progress = progress
    }

    /// Merges the changes that two containers made to a third one, and writes the result. It is a capsule if `output` has a
    /// capsule's name, or else a directory. While a conflict is open, nothing is written unless the options allow it.
    package func merge(
        base: Container, ours: Container, theirs: Container, to output: HostPath
    ) throws(CapsuleError) -> MergeOutcome {
        CreationMask.prepare()
        let writer = MergeOutput(output, options, progress: progress)
        try writer.check(against: [base, ours, theirs])
        let containers = [base, ours, theirs]
        var inputs = try ParallelMap.run(containers.count, threads: options.jobs, itemsPerThread: 1) {
            [options, progress] (number) throws(CapsuleError) -> MergeInput in
            try MergeInput(containers[number], options, progress: progress)
        }
        let names = (base: inputs[0].named, ours: inputs[1].named, theirs: inputs[2].named)
        let warnings = try MergeWarnings(inputs).notes
        let groups = try MergedGroups(&inputs)
        var decisions = try options.decisions(for: names)
        let opened = inputs.map(\.opened)
        let labels = MergeLabels(ours: Self.label(ours), base: Self.label(base), theirs: Self.label(theirs))
        var contents = ContentMerger(opened, labels: labels, options)
        let sides = inputs.map { $0.side(skippingGroups: groups.areSkipped) }
        let plan = TreeMerge(base: sides[0], ours: sides[1], theirs: sides[2]) { side, number in
            opened[side.rawValue].isDatabase(number)
        }
        let tree = try plan.run(&decisions) {
            (request: TreeMerge.Request, decisions: inout MergeDecisions) throws(CapsuleError) -> TreeMerge.ContentMergeResult in
            try contents.merge(request, &decisions)
        }
        try options.check(decisions)
        if let problem = tree.problems.first {
            throw CapsuleError(
                "the resolutions contradict each other: \(problem)", hint: "take the same side for all conflicts in one place")
        }
        var outcome = MergeOutcome(
            ConflictsDocument(base: names.base, ours: names.ours, theirs: names.theirs, conflicts: decisions.conflicts))
        outcome.notes = warnings + groups.notes + contents.notes + options.notes(on: decisions)
        outcome.merged = contents.made.count
        outcome.taken = tree.edits.count { edit in
            if case .made = edit.content { false } else { true }
        }
        guard outcome.openCount == 0 || options.isPartial else {
            try options.list(outcome)
            return outcome
        }
        var result = try self.result(opened, tree.edits, contents.made, groups)
        if let problem = TreeShape.problem(in: result.entries, layout: result.layout, groups: result.groups) {
            throw CapsuleError("the result would not be a valid tree: \(problem.message)", path: HostPath(problem.path.bytes))
        }
        try writer.check(result)
        try options.list(outcome)
        outcome.notes += try writer.write(&result, from: inputs)
        outcome.output = output
        return outcome
    }

    private static func label(_ container: Container) -> String { String(decoding: container.argument, as: UTF8.self) }

    private func result(
        _ inputs: [OpenedContainer], _ changes: [TreeMerge.Edit], _ made: [EntryContents.Origin], _ groups: MergedGroups
    ) throws(CapsuleError) -> OpenedContainer {
        var edits = ContainerEdits(inputs[1])
        for change in changes {
            let place = EntryPath(root: change.place.root, path: change.place.path)
            guard var entry = change.entry else {
                edits[place] = nil
                continue
            }
            let origin: EntryContents.Origin
            switch change.content {
            case .none: origin = .bytes([])
            case .made(let number): origin = made[number].stating(entry)
            case .bytes(let bytes):
                (entry.size, entry.digest) = (UInt64(bytes.count), SHA256Hasher.digest(of: bytes))
                origin = .bytes(bytes)
            case .side(let side, let number):
                // A live file is found by its path, and has metadata of its own. Both may differ from those of the result.
                let input = inputs[side.rawValue]
                origin = EntryContents.Origin.opened { () throws(CapsuleError) in try input.open(number) }.stating(entry)
            }
            edits[place] = ContainerEdits.Item(entry: entry, origin: origin)
        }
        var result = edits.finished()
        groups.settle(&result, edits: edits, [inputs[2], inputs[0]])
        result.close(as: inputs)
        for index in result.entries.indices { result.entries[index].unknown = [] }
        result.statCache = nil
        return result
    }
}

extension EntryContents.Origin {
    fileprivate func stating(_ entry: TreeEntry) -> EntryContents.Origin {
        guard case .opened(let open) = self else { return self }
        return .opened { () throws(CapsuleError) in RecordedContent(try open(), as: entry) }
    }
}

/// One of the containers to merge, listed with all digests.
struct MergeInput: Sendable {
    let container: Container
    var opened: OpenedContainer
    let digest: ContentDigest
    /// True if the app groups are in other directories, or the form can't have any.
    let lacksGroups: Bool

    /// - Throws: an error if a file can't be read, because unknown content can't be merged.
    init(_ container: Container, _ options: MergeOptions, progress: (any ProgressObserver)?) throws(CapsuleError) {
        self.container = container
        var taking = ContainerOptions(jobs: options.jobs)
        taking.statCache = options.usesCache
        var opened = try container.open(taking)
        if !opened.isDigested {
            let failures = try EntryDigester(jobs: options.jobs, progress: progress).complete(&opened)
            if let failure = failures.min(by: { $0.key < $1.key })?.value { throw failure }
        }
        opened.statCache?.save()
        digest = TreeDigester.digest(of: opened.entries, .tree)
        lacksGroups = opened.layout == .directory || (opened.contents.isLive && opened.groups.isEmpty)
        self.opened = opened
    }

    var named: ConflictsDocument.Input { ConflictsDocument.Input(source: container.argument, digest: digest.hex) }

    func side(skippingGroups skipsGroups: Bool) -> TreeSide {
        var side = TreeSide(
            opened.entries, groups: opened.groups)
        if skipsGroups { side.skippedGroups = Set(opened.groups) }
        return side
    }

    /// Gives the app groups the numbers that they have in another list. The entries keep their order.
    mutating func renumber(groups: [[UInt8]]) {
        guard groups != opened.groups else { return }
        opened.contents.keepNames(of: opened.entries)
        opened.renumber(groups: groups)
    }
}

/// The app groups of three containers that are merged.
private struct MergedGroups {
    let all: [[UInt8]]
    /// True if the groups are not merged and stay as they are in ours.
    let areSkipped: Bool
    let notes: [String]
    private let held: [Set<[UInt8]>]

    init(_ inputs: inout [MergeInput]) throws(CapsuleError) {
        held = inputs.map { Set($0.opened.groups) }
        let union = held.reduce(into: Set()) { $0.formUnion($1) }.sorted { $0.lexicographicallyPrecedes($1) }
        areSkipped = inputs.contains(where: \.lacksGroups) && !union.isEmpty
        all = union
        notes =
            areSkipped
            ? union.map {
                "the app group \(String(decoding: $0, as: UTF8.self)) is not merged: one side does not contain it or keeps it elsewhere"
            } : []
        guard !areSkipped else { return }
        guard union.count <= TreeRoot.maximumGroups else {
            throw CapsuleError(
                "the three sides have \(union.count) app groups, but a container holds at most \(TreeRoot.maximumGroups)",
                hint: "pack them without some groups: '--exclude AppGroups/ID'")
        }
        for number in inputs.indices { inputs[number].renumber(groups: union) }
    }

    /// Reduces the groups of a result to those that it has, and adds the directories that hold them.
    /// - Parameter others: theirs and the base, which supply the directories that ours doesn't have.
    func settle(_ result: inout OpenedContainer, edits: ContainerEdits, _ others: [OpenedContainer]) {
        if areSkipped { return }
        var edits = edits
        var kept: [[UInt8]] = []
        for (number, group) in all.enumerated() {
            let isThere = held.map { $0.contains(group) }
            let isKept = isThere[1] == isThere[2] ? isThere[1] : isThere[1] != isThere[0] ? isThere[1] : isThere[2]
            let hasEntries = result.entries.contains { $0.root.groupNumber == number }
            if isKept || hasEntries { kept.append(group) }
            guard let path = try? RelativePath(validating: ContainerNames.appGroups + [UInt8(ascii: "/")] + group) else {
                continue
            }
            let place = EntryPath(root: .wrapper, path: path)
            if !isKept, !hasEntries {
                edits[place] = nil
            } else {
                for directory in [path.parent ?? path, path] {
                    let place = EntryPath(root: .wrapper, path: directory)
                    guard edits[place] == nil else { continue }
                    edits[place] = Self.directory(directory, of: others)
                }
            }
        }
        result = edits.finished()
        result.renumber(groups: kept)
    }

    private static func directory(_ path: RelativePath, of others: [OpenedContainer]) -> ContainerEdits.Item {
        let found = others.lazy.compactMap { other in
            other.entries.index(of: path, in: .wrapper).map { other.entries[$0] }
        }.first
        let entry =
            found
            ?? TreeEntry(path: path, root: .wrapper, kind: .directory, mode: FileMode(0o755), modified: Timestamp(seconds: 0))
        return ContainerEdits.Item(entry: entry, origin: .bytes([]))
    }
}

/// Checks the three containers for likely mistakes. Something that a version leaves out counts as deleted, so a remark warns of
/// files that could be lost in this way. Another one warns if the containers belong to different apps.
private struct MergeWarnings {
    let notes: [String]

    /// - Parameter inputs: base, ours, theirs.
    /// - Throws: an error for something that could not be read when a version was packed, because unknown content can't be merged.
    init(_ inputs: [MergeInput]) throws(CapsuleError) {
        var notes: [String] = []
        for (number, input) in inputs.enumerated() {
            let name = String(decoding: input.container.argument, as: UTF8.self)
            if let unread = input.opened.omitted.first(where: \.isUnreadable) {
                throw CapsuleError(
                    "could not be read when \(name) was packed, so it can't be merged",
                    path: HostPath(unread.shownPath), hint: "pack the container again where every file is readable")
            }
            let left = Set(input.opened.omitted.filter(\.isWished).compactMap { try? RelativePath(validating: $0.path) })
            if left.isEmpty { continue }
            let others = inputs.indices.filter { $0 != number }.map { inputs[$0].opened.entries }
            let lost = others.lazy.compactMap { entries in
                entries.first { entry in entry.path.isAtOrBelow(where: left.contains) }?.path
            }
            guard let first = lost.first else { continue }
            notes.append(
                "\(name) was packed without \(first)\(left.count > 1 ? " and more" : ""), which another side has: "
                    + (number == 0 ? "merged as added" : "merged as deleted"))
        }
        let apps = Set(inputs.compactMap { $0.opened.source.bundleIdentifier?.string })
        if apps.count > 1 {
            notes.append("the inputs are containers of different apps: \(apps.sorted().joined(separator: ", "))")
        }
        self.notes = notes
    }
}
