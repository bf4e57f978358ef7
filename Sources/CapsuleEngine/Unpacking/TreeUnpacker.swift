import CapsuleCore
import CapsuleFileSystem

/// Fills a staging directory: directories, then files in parallel, then links, then what directories had.
final class TreeUnpacker {
    private let plan: UnpackPlan
    private let entries: [TreeEntry]
    private let root: RootDirectory
    private let jobs: Int
    private let progress: (any ProgressObserver)?
    private let content: any PiecewiseContent

    // The taker's.
    private var outcome: UnpackOutcome
    private var report = ProgressReport()
    private(set) var refusedAttributes: [(path: RelativePath, name: [UInt8])] = []

    init(plan: UnpackPlan, root: RootDirectory, jobs: Int, progress: (any ProgressObserver)?) {
        self.plan = plan
        self.root = root
        self.jobs = max(1, jobs)
        self.progress = progress
        entries = plan.container.entries
        content = plan.container.piecewiseContent
        outcome = UnpackOutcome(path: root.path)
        for item in plan.items where entries[item.number].kind.hasContent {
            report.totalFiles += 1
            report.totalBytes += entries[item.number].size
        }
    }

    func run() throws(CapsuleError) -> UnpackOutcome {
        let writer = TreeWriter(root)
        for item in plan.items where entries[item.number].kind == .directory {
            try CapsuleError.wrapping { () throws(FileSystemError) in
                try Interruption.check()
                try writer.makeDirectory(item.path)
            }
        }
        let (plan, content, root) = (plan, content, root)
        let planner = ReadPlanner<LargeOutput>(content, entries: entries, numbers: plan.items.map(\.number)) {
            (position) throws(CapsuleError) in try self.openLarge(plan.items[position])
        }
        try OrderedPipeline<ReadJob<LargeOutput>, UnpackedFiles>.run(
            threads: jobs,
            make: { () throws(CapsuleError) in try planner.next() },
            worker: {
                let worker = UnpackWorker(plan: plan, content: content, root: root)
                return { (job) throws(CapsuleError) in try worker.perform(job) }
            },
            take: { (files) throws(CapsuleError) in
                try self.take(files)
                return .proceed
            })
        try finish(writer)
        note()
        return outcome
    }

    private func openLarge(_ item: UnpackPlan.Item) throws(CapsuleError) -> LargeOutput {
        let file = try CapsuleError.wrapping { () throws(FileSystemError) in
            let file = try TreeWriter(root).makeFile(item.path, mode: FileMode(0o600))
            try file.setLength(entries[item.number].size)
            return file
        }
        return LargeOutput(item: item, file: file)
    }

    private func take(_ files: UnpackedFiles) throws(CapsuleError) {
        refusedAttributes += files.refusedAttributes
        report.files += files.files
        report.bytes += files.bytes
        // All stretches before it are written: results are taken in order.
        if let output = files.completed {
            let entry = entries[output.item.number]
            let refused = try CapsuleError.wrapping { () throws(FileSystemError) in
                try output.file.finish(
                    mode: entry.mode.restorable(for: .file), modified: entry.modified, attributes: entry.attributes)
            }
            refusedAttributes += refused.map { (output.item.path, $0.name) }
            report.files += 1
        }
        progress?.advanced(to: report)
    }

    private func finish(_ writer: TreeWriter) throws(CapsuleError) {
        for item in plan.items where entries[item.number].kind == .link {
            let entry = entries[item.number]
            try CapsuleError.wrapping { () throws(FileSystemError) in
                try Interruption.check()
                try writer.makeLink(item.path, target: entry.target, modified: entry.modified)
            }
        }
        // The deepest first: making what is in a directory changes its times.
        for item in plan.items.reversed() where entries[item.number].kind == .directory {
            try finishDirectory(item.path, entries[item.number])
        }
        if let top = plan.top {
            try finishDirectory(.root, entries[top])
        } else if !plan.leavesTop {
            try CapsuleError.wrapping { () throws(FileSystemError) in
                try Syscall.setMode(root.raw, FileMode(0o755), path: root.path)
            }
        }
    }

    private func finishDirectory(_ path: RelativePath, _ entry: TreeEntry) throws(CapsuleError) {
        let refused = try CapsuleError.wrapping { () throws(FileSystemError) in
            try TreeWriter(root).finishDirectory(
                path, mode: entry.mode.restorable(for: .directory), modified: entry.modified, attributes: entry.attributes)
        }
        refusedAttributes += refused.map { (path, $0.name) }
    }

    private func note() {
        outcome.entries = UInt64(plan.items.count + 1)
        outcome.bytes = report.bytes
        for identifier in plan.groupsLeftOut {
            outcome.notes.append(
                "app group \(String(decoding: identifier, as: UTF8.self)) skipped: a bare container can't include app groups")
        }
        if let first = refusedAttributes.first {
            outcome.notes.append(UnpackOutcome.note(onRefused: refusedAttributes.count, first: first.name, of: first.path))
        }
        let special = plan.items.filter { item in
            let entry = entries[item.number]
            return entry.kind != .link && entry.mode.restorable(for: entry.kind) != entry.mode
        }
        if let first = special.first {
            outcome.notes.append(
                special.count == 1
                    ? "1 entry without its setuid, setgid or sticky bit: \(first.path)"
                    : "\(special.count) entries without their setuid, setgid or sticky bit, first \(first.path)")
        }
    }
}
