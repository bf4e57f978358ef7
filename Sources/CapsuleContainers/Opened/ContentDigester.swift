import CapsuleArchive
package import CapsuleCore
import CapsuleHashing
import CapsuleSystem
import Synchronization

/// Digests files of a container, several at a time.
package struct ContentDigester {
    private let opened: OpenedContainer
    private let numbers: [Int]
    private let jobs: Int
    private let progress: (@Sendable (_ files: UInt64, _ bytes: UInt64) -> Void)?

    /// The result of one job: the digests or errors of files, and the number of bytes read.
    fileprivate struct DigestedFile: Sendable {
        var digests: [(number: Int, outcome: Result<ContentDigest, CapsuleError>)] = []
        var bytes: UInt64 = 0
    }

    /// The digest of a large file, with the file's number.
    private final class Large: Sendable {
        let number: Int
        let digest = OrderedDigest()

        init(_ number: Int) { self.number = number }
    }

    package init(
        _ opened: OpenedContainer, numbers: [Int], jobs: Int,
        progress: (@Sendable (_ files: UInt64, _ bytes: UInt64) -> Void)? = nil
    ) {
        self.opened = opened
        self.numbers = numbers
        self.jobs = jobs
        self.progress = progress
    }

    package func run() throws(CapsuleError) -> [Int: ContentDigest] {
        var digests: [Int: ContentDigest] = [:]
        try forEach { (number, outcome) throws(CapsuleError) in digests[number] = try outcome.get() }
        return digests
    }

    /// Calls `body` for each file, in order, with its digest or with the error that prevents reading it.
    package func forEach(
        _ body: @escaping (_ number: Int, _ outcome: Result<ContentDigest, CapsuleError>) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        let entries = opened.entries
        let contents = opened.contents
        let (numbers, progress) = (numbers, progress)
        let planner = ReadPlanner<Large>(contents, of: entries, numbers: numbers) { Large(numbers[$0]) }
        try OrderedPipeline<ReadJob<Large>, DigestedFile>.run(
            threads: max(1, jobs),
            make: { () throws(CapsuleError) in try planner.next() },
            worker: {
                let reader = ContentReader(contents)
                let stretches = RangeReader(reader)
                return { (job) throws(CapsuleError) in try Self.perform(job, reader, stretches, entries, numbers) }
            },
            take: { (found) throws(CapsuleError) in
                for (number, outcome) in found.digests { try body(number, outcome) }
                progress?(UInt64(found.digests.count), found.bytes)
                return .proceed
            })
    }

    private static func perform(
        _ job: ReadJob<Large>, _ reader: ContentReader, _ stretches: RangeReader, _ entries: [TreeEntry], _ numbers: [Int]
    ) throws(CapsuleError) -> DigestedFile {
        var found = DigestedFile()
        switch job {
        case .files(let positions):
            try CapsuleError.checkInterruption()
            for number in numbers[positions] where entries[number].kind.hasContent {
                let outcome = Result { () throws(CapsuleError) in try reader.digest(of: entries[number], number: number) }
                try found.record(number, outcome)
                found.bytes += entries[number].size
            }
        case .range(let large, let number, let range, let isLast):
            do throws(CapsuleError) {
                let entry = entries[large.number]
                let digest = try stretches.read(
                    entry, large.number, range, turn: number, isLast: isLast, of: large.digest
                ) { _, _ in }
                if let digest { try found.record(large.number, .success(digest)) }
            } catch {
                try found.record(large.number, .failure(error))
            }
            found.bytes += range.length
        }
        return found
    }
}

extension ContentDigester.DigestedFile {
    /// An error is a result, unless the user interrupts.
    fileprivate mutating func record(_ number: Int, _ outcome: Result<ContentDigest, CapsuleError>) throws(CapsuleError) {
        if case .failure(let error) = outcome, error.code == .interrupted { throw error }
        digests.append((number, outcome))
    }
}

/// Reads a stretch of a large file at any time and digests it in its turn. Each thread needs its own.
package final class RangeReader {
    private let reader: ContentReader
    /// The bytes of a stretch, kept until it is the stretch's turn.
    private let buffer = ByteBuffer(capacity: 1 << 18)
    private var pieces: [StreamPiece] = []

    package init(_ reader: ContentReader) {
        self.reader = reader
    }

    /// - Returns: the digest of the whole file after the last stretch; nil before.
    package func read(
        _ entry: TreeEntry, _ number: Int, _ range: Range<UInt64>, turn: Int, isLast: Bool, of digest: OrderedDigest,
        _ body: (_ offset: UInt64, _ bytes: UnsafeRawBufferPointer) throws(CapsuleError) -> Void
    ) throws(CapsuleError) -> ContentDigest? {
        pieces.removeAll()
        buffer.removeAll()
        let outcome = Result { () throws(CapsuleError) in
            try CapsuleError.checkInterruption()
            try reader.forEachPiece(of: entry, number: number, in: range) { (offset, length, bytes) throws(CapsuleError) in
                pieces.append(bytes == nil ? .zeros(length) : .stream(buffer.count, length: length))
                guard let bytes else { return }
                buffer.append(bytes)
                try body(offset, bytes)
            }
        }
        var whole: ContentDigest?
        // The turn must be taken whatever happened before, because later turns wait for it.
        try digest.withTurn(turn) { (digest) throws(CapsuleError) in
            guard case .success = outcome else { return }
            try digest.update(pieces, of: buffer)
            if isLast { whole = digest.finish() }
        }
        try outcome.get()
        return whole
    }
}

/// Completes unknown digests and attributes of a container's files, several at a time.
package struct EntryDigester {
    let jobs: Int
    var progress: (any ProgressObserver)?

    package init(jobs: Int, progress: (any ProgressObserver)? = nil) {
        self.jobs = jobs
        self.progress = progress
    }

    private struct DigestedFile: Sendable {
        let status: ContentStatus
        let digest: ContentDigest
        let attributes: ExtendedAttributes.Reading?
    }

    private static let batchCount = 64
    private static let batchLength: UInt64 = 4 << 20
    private static let tries = 3

    /// - Parameter places: the positions of the entries to complete; nil for all.
    /// - Returns: the errors of files that could not be read, by position. These files keep the digest zero.
    package func complete(
        _ opened: inout OpenedContainer, at indices: [Int]? = nil
    ) throws(CapsuleError) -> [Int: CapsuleError] {
        let entries = opened.entries
        let contents = opened.contents
        let batches = Self.batches(of: entries, at: indices ?? Array(entries.indices))
        let meter = progress.map { ReadingProgress($0, of: batches.joined().map { entries[$0].size }) }
        let found = try ParallelMap.run(batches.count, threads: jobs, itemsPerThread: 1) {
            (number) throws(CapsuleError) -> [(Int, Result<DigestedFile, CapsuleError>)] in
            try CapsuleError.checkInterruption()
            let reader = ContentReader(contents)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
            defer { buffer.deallocate() }
            var results: [(Int, Result<DigestedFile, CapsuleError>)] = []
            for index in batches[number] {
                let result = Result { () throws(CapsuleError) in
                    try Self.read(entries[index], index, reader, buffer, isLive: contents.isLive)
                }
                if case .failure(let error) = result, error.code == .interrupted { throw error }
                results.append((index, result))
            }
            meter?.read(batches[number].map { entries[$0].size })
            return results
        }
        var failures: [Int: CapsuleError] = [:]
        for (index, result) in found.joined() {
            switch result {
            case .success(let found): Self.store(found, at: index, in: &opened)
            case .failure(let error): failures[index] = error
            }
        }
        return failures
    }

    /// Completes unknown digests and attributes of files that must all be readable.
    /// - Throws: for the first file, in the order of the entries, that can't be read.
    package func completeAll(_ opened: inout OpenedContainer, at indices: [Int]) throws(CapsuleError) {
        if indices.isEmpty { return }
        let failures = try complete(&opened, at: indices)
        if let failure = failures.min(by: { $0.key < $1.key })?.value { throw failure }
    }

    /// Returns the positions of the files to read, in batches that give every thread enough to do.
    private static func batches(of entries: [TreeEntry], at indices: [Int]) -> [[Int]] {
        var batches: [[Int]] = []
        var batch: [Int] = []
        var length: UInt64 = 0
        for index in indices {
            let entry = entries[index]
            guard entry.kind == .file, entry.digest == .zero, entry.isCompared else { continue }
            // Large files come first, and alone. The other files are read at the same time.
            if entry.size >= batchLength {
                batches.insert([index], at: 0)
                continue
            }
            batch.append(index)
            length &+= entry.size
            if batch.count == batchCount || length >= batchLength {
                batches.append(batch)
                (batch, length) = ([], 0)
            }
        }
        if !batch.isEmpty { batches.append(batch) }
        return batches
    }

    private static func read(
        _ entry: TreeEntry, _ index: Int, _ reader: ContentReader, _ buffer: UnsafeMutableRawBufferPointer, isLive: Bool
    ) throws(CapsuleError) -> DigestedFile {
        var attempt = 0
        while true {
            attempt += 1
            let file = try reader.open(entry, number: index)
            let status = try file.status()
            let attributes = try file.attributes()
            let digest = try file.digest(size: status.size, by: buffer)
            let isSame = isLive ? try status.isSameState(as: file.status()) : true
            if isSame || attempt == tries {
                return DigestedFile(status: status, digest: digest, attributes: attributes)
            }
        }
    }

    private static func store(_ found: DigestedFile, at index: Int, in opened: inout OpenedContainer) {
        opened.entries[index].digest = found.digest
        opened.entries[index].size = found.status.size
        if let live = found.status.live {
            opened.entries[index].mode = live.mode
            opened.entries[index].modified = live.modified
        }
        if let attributes = found.attributes { opened.entries[index].attributes = attributes.attributes }
        opened.statCache?.record(found.status, found.digest, found.attributes, at: opened.entries[index].path)
    }
}

/// Reports to an observer how much several threads have read together.
final class ReadingProgress: Sendable {
    private let observer: any ProgressObserver
    private let report: Mutex<ProgressReport>

    init(_ observer: any ProgressObserver, of sizes: [UInt64]) {
        self.observer = observer
        report = Mutex(ProgressReport(totalFiles: UInt64(sizes.count), totalBytes: sizes.reduce(0, &+)))
    }

    func read(_ sizes: [UInt64]) {
        report.withLock { report in
            report.files += UInt64(sizes.count)
            report.bytes &+= sizes.reduce(0, &+)
            observer.advanced(to: report)
        }
    }
}

/// Cuts the reading of many files into jobs: small files together with their neighbors in the archive, large ones in stretches.
/// Only one thread may use it at a time.
package final class ReadPlanner<Large: Sendable> {
    private let contents: EntryContents
    private let entries: [TreeEntry]
    private let numbers: [Int]
    private let open: (_ position: Int) throws(CapsuleError) -> Large
    private var position = 0
    private var large: (file: Large, entry: Int, offset: UInt64, number: Int)?
    private let groupLength: UInt64 = 512 << 10
    private let groupCount = 256
    private let rangeLength: UInt64 = 1 << 20

    /// - Parameters:
    ///   - numbers: the positions of the entries to read. Entries without content are skipped.
    ///   - open: creates the value that the threads that read a large file share.
    package init(
        _ contents: EntryContents, of entries: [TreeEntry], numbers: [Int],
        open: @escaping (_ position: Int) throws(CapsuleError) -> Large
    ) {
        self.contents = contents
        self.entries = entries
        self.numbers = numbers
        self.open = open
    }

    package func next() throws(CapsuleError) -> ReadJob<Large>? {
        if let job = nextRange() { return job }
        let start = position
        var length: UInt64 = 0
        var last: UInt64?
        while position < numbers.count {
            let entry = entries[numbers[position]]
            if entry.kind.hasContent {
                if entry.size > groupLength {
                    if position > start { break }
                    large = (try open(position), numbers[position], 0, 0)
                    position += 1
                    return nextRange()
                }
                let locality = contents.locality(of: numbers[position])
                if length >= groupLength || position - start >= groupCount, locality != last { break }
                last = locality
                length += entry.size
            }
            position += 1
        }
        return position > start ? .files(positions: start..<position) : nil
    }

    private func nextRange() -> ReadJob<Large>? {
        guard let (file, entry, offset, number) = large else { return nil }
        let size = entries[entry].size
        let range = contents.readRange(of: entry, from: offset, size: size, length: rangeLength)
        let isLast = range.upperBound >= size
        large = isLast ? nil : (file, entry, range.upperBound, number + 1)
        return .range(file, number: number, range: range, isLast: isLast)
    }
}

/// A part of a container's files for one thread to read.
package enum ReadJob<Large: Sendable>: Sendable {
    case files(positions: Range<Int>)
    case range(Large, number: Int, range: Range<UInt64>, isLast: Bool)
}
