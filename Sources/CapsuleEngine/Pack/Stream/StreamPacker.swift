import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleSystem

/// Packs a container's entries as the members of a tar stream: plans the jobs, runs them, and writes their results in order. An
/// entry that changes while it is read is packed again from its start, after the output has discarded everything since then.
final class StreamPacker {
    private let plan: PackPlan
    private let options: PackOptions
    private let writer: CapsuleWriter
    private let progress: (any ProgressObserver)?
    private let watches: [Int: DatabaseWatch]
    private let planner: StreamPlanner
    private let snapshots = UnitSnapshots()
    private let record: PackRecord
    /// The states of the output to return to, by stream position: those at the starts of large files and of databases with logs.
    private var marks: [Int: (output: CapsuleWriter.Mark, report: ProgressReport)] = [:]
    private var tries: [Int: Int] = [:]
    private var restarts = 0
    private static let maxRestarts = 100
    /// The databases whose files are being packed, by the position of their first file.
    private var openWatches: Set<Int> = []
    private let buffers = BufferPool()

    /// Packs all entries of a container as an archive.
    /// - Parameters:
    ///   - opened: the container, whose entries are taken out of it because there may be millions.
    static func pack(
        _ opened: inout OpenedContainer, options: PackOptions, writer: CapsuleWriter, framing: DataMemberEncoder.Framing,
        progress: (any ProgressObserver)?
    ) throws(CapsuleError) -> PackedContainer {
        try pack(&opened, options: options, writer: writer, progress: progress, framing: framing) { container, entries in
            PackPlan(
                container, entries: entries, form: .archive, groupLength: writer.codec.memberLength,
                skipsUnreadable: options.container.skipsUnreadable)
        }
    }

    /// Packs the contents of a container that a capsule does not have yet.
    /// - Parameters:
    ///   - places: the extents in the capsule of entries that need not be read.
    static func pack(
        _ opened: inout OpenedContainer, adding additions: PackPlan.Additions, places: [Int: [StoredExtent]],
        isRead: (Int) -> Bool, options: PackOptions, writer: CapsuleWriter, progress: (any ProgressObserver)?
    ) throws(CapsuleError) -> PackedContainer {
        try pack(&opened, options: options, writer: writer, progress: progress, places: places) { container, entries in
            PackPlan(
                container, entries: entries, form: .contents(additions), groupLength: writer.codec.memberLength,
                skipsUnreadable: options.container.skipsUnreadable, isRead: isRead)
        }
    }

    private static func pack(
        _ opened: inout OpenedContainer, options: PackOptions, writer: CapsuleWriter, progress: (any ProgressObserver)?,
        framing: DataMemberEncoder.Framing = .capsule, places: [Int: [StoredExtent]] = [:],
        plan makePlan: (OpenedContainer, EntryTable) -> PackPlan
    ) throws(CapsuleError) -> PackedContainer {
        var entries: [TreeEntry] = []
        swap(&entries, &opened.entries)
        let container = opened
        var result = try EntryTable.share(&entries) { (table) throws(CapsuleError) in
            let packer = StreamPacker(
                plan: makePlan(container, table), options: options, writer: writer, cache: container.statCache,
                progress: progress)
            for (number, extents) in places { packer.record.place(number, at: extents) }
            return try packer.run(framing: framing)
        }
        // Entries that were left out are not in the index.
        if !result.dropped.isEmpty {
            let kept = entries.indices.filter { !result.dropped.contains($0) }
            result.extentRanges = kept.map { result.extentRanges[$0] }
            entries = kept.map { entries[$0] }
        }
        result.entries = entries
        return result
    }

    private init(
        plan: PackPlan, options: PackOptions, writer: CapsuleWriter, cache: StatCacheSession?,
        progress: (any ProgressObserver)?
    ) {
        self.plan = plan
        self.options = options
        self.writer = writer
        self.progress = progress
        watches = DatabaseWatch.find(in: plan)
        planner = StreamPlanner(plan, watches: watches, snapshots: snapshots, skipsUnreadable: options.container.skipsUnreadable)
        record = PackRecord(plan, cache: cache)
    }

    private func run(framing: DataMemberEncoder.Framing) throws(CapsuleError) -> PackedContainer {
        let (plan, options, codec, buffers) = (plan, options, writer.codec, buffers)
        try OrderedPipeline<PackJob, PackResult>.run(
            threads: max(1, options.jobs),
            make: { () throws(CapsuleError) in try self.planner.next() },
            worker: {
                let worker = PackWorker(plan: plan, codec: codec, level: .init(options.level), framing: framing)
                return { (job) throws(CapsuleError) in try worker.perform(job, into: buffers.take()) }
            },
            take: { (stretch) throws(CapsuleError) in try self.consume(stretch) })
        return record.result(unreadable: planner.unreadable)
    }

    private typealias NextAction = OrderedPipeline<PackJob, PackResult>.NextAction

    private func consume(_ stretch: PackResult) throws(CapsuleError) -> NextAction {
        defer { buffers.give(stretch.buffer) }
        let (start, end) = positions(of: stretch.job)
        if let start {
            marks[start] = (writer.mark, record.report)
            if watches[start] != nil { openWatches.insert(start) }
        }
        if let step = try stepBack(from: stretch, start: start) { return step }
        let before = writer.members.count
        try writer.append(stretch.members, stretch.buffer.bytes)
        record.add(stretch, members: writer.members[before...])
        for first in openWatches {
            guard let watch = watches[first], watch.last < end else { continue }
            openWatches.remove(first)
            if let step = try check(watch) { return step }
        }
        dropMarks(before: start)
        progress?.advanced(to: record.report)
        return .proceed
    }

    /// Returns the position at which a job begins, or nil if it does not begin with a whole entry, and the end position of the
    /// entries that it completes.
    private func positions(of job: PackJob) -> (start: Int?, end: Int) {
        switch job {
        case .group(let positions, _): (positions.lowerBound, positions.upperBound)
        case .slice(let file, let number):
            (number == 0 ? file.position : nil, number + 1 == file.slices ? file.position + 1 : file.position)
        case .end: (nil, plan.order.count)
        }
    }

    /// Removes the marks that are no longer needed: all before the entry that begins here, except those of open databases.
    private func dropMarks(before start: Int?) {
        guard let start else { return }
        let oldest = openWatches.min() ?? start
        if marks.count > 1 { marks = marks.filter { $0.key >= min(oldest, start) } }
    }

    /// Returns the step for files that changed while they were read; nil to continue.
    private func stepBack(from stretch: PackResult, start: Int?) throws(CapsuleError) -> NextAction? {
        if !plan.isArchive, let start, let digest = record.lostDuplicateSource(in: stretch) {
            // The file that claimed the content had another content when it was packed.
            restarts += 1
            guard restarts <= Self.maxRestarts else {
                throw CapsuleError(
                    "changes faster than it can be read", path: HostPath(plan.entries[stretch.files[0].entry].path.bytes),
                    hint: "stop the app, then try again")
            }
            return try restart(at: start, lostDigest: digest)
        }
        for file in stretch.files {
            switch file.outcome {
            case .grown(let size):
                guard let start else { continue }
                return try restart(at: start, grown: (file.entry, size))
            case .changing:
                if case .slice(let large, _) = stretch.job, let step = try tryAgain(at: large.position, file.entry) {
                    return step
                }
                try accept(changing: file.entry)
            case .stored, .omitted, .partial:
                continue
            }
        }
        return nil
    }

    /// Returns to a position, unless this was done too often.
    private func tryAgain(at position: Int, _ entry: Int) throws(CapsuleError) -> NextAction? {
        tries[position, default: 1] += 1
        return tries[position, default: 1] > PackWorker.tries ? nil : try restart(at: position, changed: entry)
    }

    private func accept(changing entry: Int) throws(CapsuleError) {
        guard options.allowsChanging else {
            throw CapsuleError(
                "changed each of the \(PackWorker.tries) times it was read", path: HostPath(plan.entries[entry].path.bytes),
                hint: "stop the app, or pack the file anyway with '--allow-changing'")
        }
        record.accept(changing: entry)
    }

    private func restart(
        at position: Int, grown: (entry: Int, size: UInt64)? = nil, changed: Int? = nil, lostDigest: ContentDigest? = nil
    ) throws(CapsuleError) -> NextAction {
        if let mark = marks[position] {
            try writer.rewind(to: mark.output)
            record.report = mark.report
        }
        openWatches = openWatches.filter { $0 < position }
        return .restart { self.planner.goBack(to: position, grown: grown, changed: changed, lostDigest: lostDigest) }
    }

    private func check(_ watch: DatabaseWatch) throws(CapsuleError) -> NextAction? {
        guard let snapshot = snapshots.snapshot(at: watch.first) else { return nil }
        let isStable =
            try snapshot.isSameState(as: watch.statuses(plan))
            && zip(watch.logs, snapshot.logDigests).allSatisfy { plan.entries[$0].digest == $1 || record.omissions[$0] != nil }
        if isStable { return nil }
        if let step = try tryAgain(at: watch.first, watch.database) { return step }
        try accept(changing: watch.database)
        return nil
    }

}
