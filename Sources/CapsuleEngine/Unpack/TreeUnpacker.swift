import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// Writes a tree to a staging directory: directories, then files in parallel, then links, then the metadata of directories.
final class TreeUnpacker {
    private let plan: UnpackPlan
    private let entries: [TreeEntry]
    private let root: RootDirectory
    private let jobs: Int
    private let progress: (any ProgressObserver)?

    // The state of the stage that takes results.
    private var outcome: UnpackOutcome
    private var report = ProgressReport()
    private(set) var refusedAttributes: [(path: RelativePath, name: [UInt8])] = []

    init(plan: UnpackPlan, root: RootDirectory, jobs: Int, progress: (any ProgressObserver)?) {
        self.plan = plan
        self.root = root
        self.jobs = max(1, jobs)
        self.progress = progress
        entries = plan.container.entries
        outcome = UnpackOutcome(path: root.path)
        for item in plan.items where entries[item.number].kind.hasContent {
            report.totalFiles += 1
            report.totalBytes += entries[item.number].size
        }
    }

    func run() throws(CapsuleError) -> UnpackOutcome {
        let writer = TreeWriter(root)
        for item in plan.items where entries[item.number].kind == .directory {
            try Interruption.check()
            try writer.makeDirectory(item.path)
        }
        let (plan, root) = (plan, root)
        try plan.container.contents.fetch(plan.items.map(\.number))
        let planner = ReadPlanner<LargeOutput>(plan.container.contents, of: entries, numbers: plan.items.map(\.number)) {
            (position) throws(CapsuleError) in try self.openLarge(plan.items[position])
        }
        try OrderedPipeline<ReadJob<LargeOutput>, UnpackedFiles>.run(
            threads: jobs,
            make: { () throws(CapsuleError) in try planner.next() },
            worker: {
                let worker = UnpackWorker(plan: plan, root: root)
                return { (job) throws(CapsuleError) in try worker.perform(job) }
            },
            take: { (files) throws(CapsuleError) in
                try self.consume(files)
                return .proceed
            })
        try finish(writer)
        recordOutcome()
        return outcome
    }

    private func openLarge(_ item: UnpackPlan.Item) throws(CapsuleError) -> LargeOutput {
        let file = try TreeWriter(root).makeFile(item.path, mode: FileMode(0o600))
        try file.setLength(entries[item.number].size)
        return LargeOutput(item: item, file: file)
    }

    private func consume(_ files: UnpackedFiles) throws(CapsuleError) {
        refusedAttributes += files.refusedAttributes
        report.files += files.files
        report.bytes += files.bytes
        // All earlier parts of the file are written, because results are taken in order.
        if let output = files.completed {
            let entry = entries[output.item.number]
            let refused = try output.file.finish(
                mode: entry.mode.restorable(for: .file), modified: entry.modified, attributes: entry.attributes)
            refusedAttributes += refused.map { (output.item.path, $0.name) }
            report.files += 1
        }
        progress?.advanced(to: report)
    }

    private func finish(_ writer: TreeWriter) throws(CapsuleError) {
        for item in plan.items where entries[item.number].kind == .link {
            let entry = entries[item.number]
            try Interruption.check()
            try writer.makeLink(item.path, target: entry.target, modified: entry.modified)
        }
        // The deepest directories come first, because creating an entry changes the times of its directory.
        for item in plan.items.reversed() where entries[item.number].kind == .directory {
            try finishDirectory(item.path, entries[item.number])
        }
        if let top = plan.top {
            try finishDirectory(.root, entries[top])
        } else if !plan.leavesTop {
            try Syscall.setMode(root.raw, FileMode(0o755), path: root.path)
        }
    }

    private func finishDirectory(_ path: RelativePath, _ entry: TreeEntry) throws(CapsuleError) {
        let refused = try TreeWriter(root).finishDirectory(
            path, mode: entry.mode.restorable(for: .directory), modified: entry.modified, attributes: entry.attributes)
        refusedAttributes += refused.map { (path, $0.name) }
    }

    private func recordOutcome() {
        outcome.entries = plan.entryCount
        outcome.bytes = report.bytes
        outcome.notes = plan.notes
        if let first = refusedAttributes.first {
            outcome.notes.append(UnpackOutcome.note(onRefused: refusedAttributes.count, first: first.name, of: first.path))
        }
    }
}

/// Writes files and compares them with their digests. Each thread has one.
private final class UnpackWorker {
    private let plan: UnpackPlan
    private let entries: [TreeEntry]
    private let reader: ContentReader
    private let stretches: RangeReader
    private let writer: TreeWriter
    private var hasher = SHA256Hasher()

    init(plan: UnpackPlan, root: RootDirectory) {
        self.plan = plan
        entries = plan.container.entries
        reader = plan.container.makeReader()
        stretches = RangeReader(reader)
        writer = TreeWriter(root)
    }

    func perform(_ job: ReadJob<LargeOutput>) throws(CapsuleError) -> UnpackedFiles {
        var result = UnpackedFiles()
        switch job {
        case .files(let positions):
            try CapsuleError.checkInterruption()
            for position in positions where entries[plan.items[position].number].kind.hasContent {
                try write(plan.items[position], &result)
            }
        case .range(let output, let number, let range, let isLast):
            let digest = try stretches.read(
                entries[output.item.number], output.item.number, range, turn: number, isLast: isLast, of: output.digest
            ) {
                (offset, bytes) throws(CapsuleError) in
                try output.file.write(bytes, at: offset)
            }
            if let digest {
                try check(digest, entries[output.item.number])
                result.completed = output
            }
            result.bytes += range.length
        }
        return result
    }

    private func write(_ item: UnpackPlan.Item, _ result: inout UnpackedFiles) throws(CapsuleError) {
        let entry = entries[item.number]
        let mode = entry.mode.restorable(for: .file)
        // Attributes can't be set on a file without write permission.
        let isModeSet = entry.attributes.isEmpty && CreationMask.keeps(mode.rawValue)
        let file = try writer.makeFile(item.path, mode: isModeSet ? mode : FileMode(0o600))
        var written: UInt64 = 0
        try reader.forEachPiece(of: entry, number: item.number, in: 0..<entry.size) {
            (offset, length, bytes) throws(CapsuleError) in
            guard let bytes else {
                try hasher.updateZeros(length)
                return
            }
            hasher.update(bytes)
            try file.write(bytes, at: offset)
            written = offset + length
        }
        try check(hasher.finish(), entry)
        if written < entry.size { try file.setLength(entry.size) }
        let refused = try file.finish(mode: isModeSet ? nil : mode, modified: entry.modified, attributes: entry.attributes)
        result.refusedAttributes += refused.map { (item.path, $0.name) }
        result.files += 1
        result.bytes += entry.size
    }

    private func check(_ digest: ContentDigest, _ entry: TreeEntry) throws(CapsuleError) {
        guard plan.container.isDigested, digest != entry.digest else { return }
        throw .wrongDigest(of: entry)
    }
}

private struct UnpackedFiles: Sendable {
    /// The number of complete files that were written.
    var files: UInt64 = 0
    var bytes: UInt64 = 0
    /// The large file whose last part was written.
    var completed: LargeOutput?
    var refusedAttributes: [(path: RelativePath, name: [UInt8])] = []
}

/// A large file that several threads write.
private final class LargeOutput: Sendable {
    let item: UnpackPlan.Item
    let file: NewFile
    let digest = OrderedDigest()

    init(item: UnpackPlan.Item, file: NewFile) {
        self.item = item
        self.file = file
    }
}
