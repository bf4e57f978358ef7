import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// Turns a container's entries into the members of a tar stream: plans the jobs, runs them, and puts their results in order.
///
/// What changes while it is read is packed again from where it began: the output takes back what came after.
final class StreamPacker {
    /// Everything known of the entries once they are packed.
    struct Result {
        /// In the order of the index, sizes, times, digests and attributes as they were read; without the omitted.
        var entries: [TreeEntry] = []
        /// For each entry, where its extents are in ``extents``.
        var extentRanges: [Range<UInt32>] = []
        /// In terms of the output's members from 1 on.
        var extents: [Extent] = []
        var omitted: [Omission] = []
        /// The places of entries that were left out.
        fileprivate var dropped: Set<Int> = []
    }

    private let plan: PackPlan
    private let options: PackOptions
    private let writer: CapsuleWriter
    private let progress: (any ProgressObserver)?
    private let watches: [Int: DatabaseWatch]

    // The planner's.
    private var position = 0
    private var large: (file: LargeFile, next: Int)?
    private var hasEnded = false
    private var sizes: [Int: UInt64] = [:]
    private var unreadable: [Int: String] = [:]

    // Both's.
    private let sights = DatabaseSights()

    // The taker's.
    private let entries: EntryTable
    private var ranges: [Range<UInt32>]
    private var extents: [Extent] = []
    private var omissions: [Int: String] = [:]
    private var changing: Set<Int> = []
    private var longAttributes: [Int: [[UInt8]]] = [:]
    /// Where to go back to, by stream position: the starts of large files and of databases with logs.
    private var marks: [Int: (output: CapsuleWriter.Mark, report: ProgressReport)] = [:]
    private var tries: [Int: Int] = [:]
    /// Databases whose files are being packed, by their first file's position.
    private var openWatches: Set<Int> = []
    private var report = ProgressReport()
    private let buffers = BufferPool()

    /// Packs all of a container.
    ///
    /// - Parameters:
    ///   - opened: its entries are taken out of it, since there may be millions.
    ///   - framing: how members are marked: as a capsule's, or not at all.
    static func pack(
        _ opened: inout OpenedContainer, options: PackOptions, writer: CapsuleWriter, framing: DataMemberEncoder.Framing,
        progress: (any ProgressObserver)?
    ) throws(CapsuleError) -> Result {
        var entries: [TreeEntry] = []
        swap(&entries, &opened.entries)
        let container = opened
        var result = try EntryTable.share(&entries) { (table) throws(CapsuleError) in
            let plan = PackPlan(
                container, entries: table, groupLength: writer.codec.memberLength,
                skipsUnreadable: options.container.skipsUnreadable)
            return try StreamPacker(plan: plan, options: options, writer: writer, progress: progress).run(framing: framing)
        }
        // Those left out have no place in the index.
        if !result.dropped.isEmpty {
            let kept = entries.indices.filter { !result.dropped.contains($0) }
            result.extentRanges = kept.map { result.extentRanges[$0] }
            entries = kept.map { entries[$0] }
        }
        result.entries = entries
        return result
    }

    private init(plan: PackPlan, options: PackOptions, writer: CapsuleWriter, progress: (any ProgressObserver)?) {
        self.plan = plan
        self.options = options
        self.writer = writer
        self.progress = progress
        watches = DatabaseWatch.find(in: plan)
        entries = plan.entries
        ranges = Array(repeating: 0..<0, count: plan.entries.count)
        extents.reserveCapacity(plan.entries.count)
        for entry in plan.entries where entry.kind.hasContent {
            report.totalFiles += 1
            report.totalBytes += entry.size
        }
    }

    private func run(framing: DataMemberEncoder.Framing) throws(CapsuleError) -> Result {
        let (plan, options, codec, buffers) = (plan, options, writer.codec, buffers)
        try OrderedPipeline<PackJob, PackedStretch>.run(
            threads: max(1, options.jobs),
            make: { () throws(CapsuleError) in try self.nextJob() },
            worker: {
                let worker = PackWorker(plan: plan, codec: codec, level: .init(options.level), framing: framing)
                return { (job) throws(CapsuleError) in try worker.perform(job, into: buffers.take()) }
            },
            take: { (stretch) throws(CapsuleError) in try self.take(stretch) })
        return result()
    }

    // MARK: Planning

    private func nextJob() throws(CapsuleError) -> PackJob? {
        if let (file, next) = large {
            large = next + 1 < file.slices ? (file, next + 1) : nil
            return .slice(file, number: next)
        }
        let start = position
        var length = 0
        while position < plan.order.count {
            if let watch = watches[position], !sights.hasLooked(at: position) {
                // Its files begin a job of their own, to which a change goes back.
                if position > start { break }
                sights.note(try watch.look(plan), at: position)
            } else if watches[position] != nil, position > start {
                break
            }
            let number = Int(plan.order[position])
            let needed = plan.streamLength(of: plan.entries[number], size: sizes[number] ?? plan.entries[number].size)
            if needed > plan.groupLength {
                if position > start { break }
                if let job = try openLarge(number) { return job }
                // Left out: nothing of it is in the stream.
                position += 1
                return try nextJob()
            }
            if length + needed > plan.groupLength { break }
            length += needed
            position += 1
        }
        if position > start { return .group(positions: start..<position) }
        if hasEnded { return nil }
        hasEnded = true
        return .end
    }

    private func openLarge(_ number: Int) throws(CapsuleError) -> PackJob? {
        if unreadable[number] != nil { return nil }
        let entry = plan.entries[number]
        do throws(CapsuleError) {
            let content = try plan.content.open(entry, number: number)
            let file = try LargeFile(
                entry, number: number, position: position, content: content, path: plan.names.path(of: entry),
                sliceLength: plan.groupLength)
            position += 1
            large = file.slices > 1 ? (file, 1) : nil
            return .slice(file, number: 0)
        } catch {
            guard options.container.skipsUnreadable, error.code != .interrupted else { throw error }
            unreadable[number] = "unreadable: \(error.message)"
            return nil
        }
    }

    // MARK: Taking

    private typealias Step = OrderedPipeline<PackJob, PackedStretch>.Step

    private func take(_ stretch: PackedStretch) throws(CapsuleError) -> Step {
        defer { buffers.give(stretch.buffer) }
        let (start, end) = positions(of: stretch.job)
        if let start {
            marks[start] = (writer.mark, report)
            if watches[start] != nil { openWatches.insert(start) }
        }
        if let step = try stepBack(from: stretch, start: start) { return step }
        let base = UInt32(writer.members.count)
        try CapsuleError.wrapping { () throws(FileSystemError) in try writer.append(stretch.members, stretch.buffer.bytes) }
        note(stretch, members: base)
        for first in openWatches {
            guard let watch = watches[first], watch.last < end else { continue }
            openWatches.remove(first)
            if let step = try check(watch) { return step }
        }
        dropMarks(before: start)
        progress?.advanced(to: report)
        return .proceed
    }

    /// Where in the stream's order a job begins, if it begins with a whole entry, and where the entries it ends lie before.
    private func positions(of job: PackJob) -> (start: Int?, end: Int) {
        switch job {
        case .group(let positions): (positions.lowerBound, positions.upperBound)
        case .slice(let file, let number):
            (number == 0 ? file.position : nil, number + 1 == file.slices ? file.position + 1 : file.position)
        case .end: (nil, plan.order.count)
        }
    }

    /// Forgets places that nothing goes back to any more: all before the entry that begins here, but for open databases.
    private func dropMarks(before start: Int?) {
        guard let start else { return }
        let oldest = openWatches.min() ?? start
        if marks.count > 1 { marks = marks.filter { $0.key >= min(oldest, start) } }
    }

    /// What to do about files that changed while they were read.
    private func stepBack(from stretch: PackedStretch, start: Int?) throws(CapsuleError) -> Step? {
        for file in stretch.files {
            switch file.outcome {
            case .grown(let size):
                guard let start else { continue }
                return restart(at: start) { self.sizes[file.entry] = size }
            case .changing:
                if case .slice(let large, _) = stretch.job, let step = tryAgain(at: large.position) { return step }
                try accept(changing: file.entry)
            case .stored, .omitted, .partial:
                continue
            }
        }
        return nil
    }

    /// Goes back, unless that was done often enough.
    private func tryAgain(at position: Int) -> Step? {
        tries[position, default: 1] += 1
        return tries[position, default: 1] > PackWorker.tries ? nil : restart(at: position) {}
    }

    private func accept(changing entry: Int) throws(CapsuleError) {
        guard options.allowsChanging else {
            throw CapsuleError(
                "changed each of the \(PackWorker.tries) times it was read", path: HostPath(entries[entry].path.bytes),
                hint: "stop the app, or take the file as it is with '--allow-changing'")
        }
        changing.insert(entry)
    }

    private func restart(at position: Int, _ prepare: @escaping () -> Void) -> Step {
        if let mark = marks[position] {
            writer.rewind(to: mark.output)
            report = mark.report
        }
        openWatches = openWatches.filter { $0 < position }
        return .restart {
            self.position = position
            self.large = nil
            self.hasEnded = false
            self.sights.forget(from: position)
            prepare()
        }
    }

    /// Compares a database's files with what they were before the first was read.
    private func check(_ watch: DatabaseWatch) throws(CapsuleError) -> Step? {
        guard let sight = sights.sight(at: watch.first) else { return nil }
        let isStable =
            try sight.isSameState(as: watch.statuses(plan))
            && zip(watch.logs, sight.logDigests).allSatisfy { entries[$0].digest == $1 || omissions[$0] != nil }
        if isStable { return nil }
        if let step = tryAgain(at: watch.first) { return step }
        try accept(changing: watch.database)
        return nil
    }

    /// Takes over what became of the files of a stretch.
    private func note(_ stretch: PackedStretch, members base: UInt32) {
        var rest = stretch.extents[...]
        for file in stretch.files {
            let own = rest.prefix(file.extents)
            rest = rest.dropFirst(file.extents)
            let start = UInt32(extents.count)
            extents.append(
                contentsOf: own.lazy.map {
                    $0.isZeros ? $0 : Extent(member: $0.member + base, inner: $0.inner, length: $0.length)
                })
            let end = UInt32(extents.count)
            if case .slice(_, let number) = stretch.job, number > 0 {
                // Slices of one file come one behind the other.
                ranges[file.entry] = ranges[file.entry].lowerBound..<end
            } else {
                ranges[file.entry] = start..<end
            }
            report.bytes += own.reduce(0) { $0 + $1.length }
            note(file)
        }
    }

    private func note(_ file: PackedFile) {
        let number = file.entry
        switch file.outcome {
        case .stored(let status, let digest), .changing(let status, let digest):
            entries.update(number) { entry in
                entry.size = status.size
                entry.mode = status.mode
                entry.modified = status.modified
                entry.digest = digest
                if let found = file.attributes { entry.attributes = found.attributes }
            }
            // What an earlier reading came to counts no more.
            let long = file.attributes?.tooLong ?? []
            longAttributes[number] = long.isEmpty ? nil : long
            omissions[number] = nil
            if case .stored = file.outcome { changing.remove(number) }
            report.files += 1
        case .omitted(let reason):
            longAttributes[number] = nil
            omissions[number] = reason
        case .grown, .partial:
            break
        }
    }

    private func result() -> Result {
        var result = Result()
        let left = omissions.merging(unreadable) { first, _ in first }
        for (number, reason) in left { result.omitted.append(Omission(path: entries[number].path.bytes, reason: reason)) }
        for (number, names) in longAttributes where left[number] == nil {
            for name in names {
                result.omitted.append(.longAttribute(name, of: entries[number].path.bytes))
            }
        }
        for number in changing where left[number] == nil {
            result.omitted.append(Omission(path: entries[number].path.bytes, reason: "changed while it was read"))
        }
        result.extentRanges = ranges
        result.dropped = Set(left.keys)
        result.extents = extents
        return result
    }
}

extension Omission {
    /// An extended attribute that no capsule can hold.
    static func longAttribute(_ name: [UInt8], of path: [UInt8]) -> Omission {
        let (one, all) = (ExtendedAttribute.maximumValueLength, ExtendedAttribute.maximumTotalLength)
        let name = String(decoding: name, as: UTF8.self)
        return Omission(
            path: path, reason: "attribute \(name) is longer than \(one) bytes, or with it all are longer than \(all)")
    }
}
