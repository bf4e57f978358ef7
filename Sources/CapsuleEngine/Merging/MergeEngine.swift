public import CapsuleCore
import CapsuleFileSystem
import CapsuleHashing
import CapsulePropertyList

/// Merges three containers of any form into a new one.
public struct MergeEngine: Sendable {
    private let options: MergeOptions
    private let progress: (any ProgressObserver)?

    /// Nothing is opened yet.
    public init(_ options: MergeOptions, progress: (any ProgressObserver)? = nil) {
        self.options = options
        self.progress = progress
    }

    /// Merges what two containers made of a third one, and writes the result: a capsule if `output` is named as one, else a
    /// directory.
    ///
    /// With a conflict open nothing is written, unless the options say so.
    public func merge(
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
        let oddities = try MergeOddities(inputs).notes
        let groups = try MergedGroups(&inputs)
        var decisions = try options.decisions(for: names)
        let opened = inputs.map(\.opened)
        let labels = MergeLabels(ours: Self.label(ours), base: Self.label(base), theirs: Self.label(theirs))
        var contents = ContentMerger(opened, labels: labels, options)
        let sides = inputs.map { $0.side(passingOver: groups.arePassedOver) }
        let plan = TreeMerge(base: sides[0], ours: sides[1], theirs: sides[2]) { side, number in
            opened[side.rawValue].content.isDatabase(opened[side.rawValue].entries[number], number: number)
        }
        let tree = try plan.run(&decisions) {
            (request: TreeMerge.Request, decisions: inout MergeDecisions) throws(CapsuleError) -> TreeMerge.Merged in
            try contents.merge(request, &decisions)
        }
        try options.check(decisions)
        if let problem = tree.problems.first {
            throw CapsuleError(
                "the resolutions contradict each other: \(problem)", hint: "take the same side for all conflicts in one place")
        }
        var outcome = MergeOutcome(
            ConflictsDocument(base: names.base, ours: names.ours, theirs: names.theirs, conflicts: decisions.conflicts))
        outcome.notes = oddities + groups.notes + contents.notes + options.notes(on: decisions)
        outcome.merged = contents.made.count
        outcome.taken = tree.edits.count { edit in
            if case .made = edit.content { false } else { true }
        }
        try options.list(outcome)
        guard outcome.openCount == 0 || options.isPartial else { return outcome }
        var result = try self.result(opened, tree.edits, contents.made, groups)
        if let problem = TreeShape.problem(in: result.entries, layout: result.layout, groups: result.groups) {
            throw CapsuleError("the result would not be a valid tree: \(problem.message)", path: HostPath(problem.path.bytes))
        }
        outcome.notes += try writer.write(&result, from: inputs)
        outcome.output = output
        return outcome
    }

    private static func label(_ container: Container) -> String { String(decoding: container.argument, as: UTF8.self) }

    /// Ours with what is to be changed in it.
    private func result(
        _ inputs: [OpenedContainer], _ changes: [TreeMerge.Edit], _ made: [OverlaidContent.Source], _ groups: MergedGroups
    ) throws(CapsuleError) -> OpenedContainer {
        var edits = ContainerEdits(inputs[1])
        for change in changes {
            let place = ContainerEdits.Place(root: change.place.root, path: change.place.path)
            guard var entry = change.entry else {
                edits[place] = nil
                continue
            }
            let source: OverlaidContent.Source
            switch change.content {
            case .none: source = .madeUp([])
            case .made(let number): source = made[number].stating(entry)
            case .bytes(let bytes):
                (entry.size, entry.digest) = (UInt64(bytes.count), SHA256Hasher.digest(of: bytes))
                source = .madeUp(bytes)
            case .side(let side, let number):
                // A live file is found by its path, and has facts of its own: neither need be the result's.
                let (content, known) = (inputs[side.rawValue].content, inputs[side.rawValue].entries[number])
                source = OverlaidContent.Source.opened { () throws(CapsuleError) in
                    try content.open(known, number: number)
                }.stating(entry)
            }
            edits[place] = ContainerEdits.Item(entry: entry, source: source)
        }
        var result = edits.finished()
        groups.settle(&result, edits: edits, [inputs[2], inputs[0]])
        result.close(as: inputs)
        result.withoutModes = []
        result.hasAttributes = true
        result.statCache = nil
        return result
    }
}

extension OverlaidContent.Source {
    /// The same bytes, of an entry with these facts.
    fileprivate func stating(_ entry: TreeEntry) -> OverlaidContent.Source {
        guard case .opened(let open) = self else { return self }
        return .opened { () throws(CapsuleError) in StatedContent(try open(), as: entry) }
    }
}
