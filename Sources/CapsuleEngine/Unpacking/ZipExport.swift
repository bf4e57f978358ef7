import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem
import CapsuleHashing

/// Writes a container that can't change as a zip: several threads read and compress, one writes, in the order of the stream.
final class ZipExport {
    /// A large file that is made piece by piece.
    private struct Large {
        let number: Int
        /// Its place in the stream's order.
        let position: Int
        let method: ZipContent.Method
        /// What of it lies ready to be cut, and not yet given out.
        var rest: Range<UInt64> = 0..<0
    }

    private let container: OpenedContainer
    private let content: any PiecewiseContent
    private let jobs: Int
    private let level: Int?
    private let progress: (any ProgressObserver)?
    private let names: StreamNames
    private let order: [UInt32]
    private let buffers = BufferPool()
    /// A file up to this length is made at once, by one thread.
    private static let wholeLength: UInt64 = 4 << 20
    /// What one thread makes of a longer one at a time; and of small ones together.
    private static let pieceLength: UInt64 = 1 << 20

    // The planner's.
    private var position = 0
    private var large: Large?
    /// Files that deflate made no smaller.
    private var incompressible: Set<Int> = []

    // The taker's.
    private let writer: ZipWriter
    private var open: (mark: ZipWriter.Mark, content: ZipContent)?
    private var hasher = SHA256Hasher()
    private var report = ProgressReport()

    init(
        _ container: OpenedContainer, content: any PiecewiseContent, jobs: Int, level: Int?, output: any MemberOutput,
        progress: (any ProgressObserver)?
    ) {
        self.container = container
        self.content = content
        self.jobs = jobs
        self.level = level
        self.progress = progress
        names = StreamNames(name: container.name, layout: container.layout)
        order = names.order(of: container.entries)
        writer = ZipWriter(output: output)
        for entry in container.entries where entry.kind.hasContent {
            report.totalFiles += 1
            report.totalBytes += entry.size
        }
    }

    /// Writes everything.
    ///
    /// - Returns: the zip's length.
    func run() throws(CapsuleError) -> UInt64 {
        let (container, content, level, buffers) = (container, content, level, buffers)
        try OrderedPipeline<ZipJob, ZipStretch>.run(
            threads: max(1, jobs), make: { () throws(CapsuleError) in self.nextJob() },
            worker: {
                let worker = ZipWorker(container, reader: content.makeReader(), level: level, buffers: buffers)
                return { (job) throws(CapsuleError) in try worker.perform(job) }
            },
            take: { (stretch) throws(CapsuleError) in try self.take(stretch) })
        return try CapsuleError.wrapping { () throws(FileSystemError) in try writer.finish() }
    }

    // MARK: Planning

    private func nextJob() -> ZipJob? {
        if let job = nextPiece() { return job }
        var numbers: [Int] = []
        var length: UInt64 = 0
        while position < order.count {
            let number = Int(order[position])
            let size = container.entries[number].size
            if size > Self.wholeLength {
                if !numbers.isEmpty { break }
                begin(number)
                return nextPiece()
            }
            if !numbers.isEmpty, length + size > Self.pieceLength { break }
            numbers.append(number)
            // Empty entries take room as well.
            length += size + 256
            position += 1
        }
        return numbers.isEmpty ? nil : .whole(numbers)
    }

    private func begin(_ number: Int) {
        large = Large(number: number, position: position, method: incompressible.contains(number) ? .stored : .deflated)
        position += 1
    }

    private func nextPiece() -> ZipJob? {
        guard var current = large else { return nil }
        let size = container.entries[current.number].size
        if current.rest.isEmpty {
            current.rest = content.stretch(
                of: current.number, from: current.rest.upperBound, size: size, length: Self.pieceLength)
        }
        // A stretch of zeros may be as long as it likes.
        let isLong = current.rest.upperBound - current.rest.lowerBound > 2 * Self.pieceLength
        let range = current.rest.lowerBound..<(isLong ? current.rest.lowerBound + Self.pieceLength : current.rest.upperBound)
        current.rest = range.upperBound..<current.rest.upperBound
        let piece = ZipJob.Piece(
            number: current.number, position: current.position, range: range, method: current.method,
            isFirst: range.lowerBound == 0, isLast: range.upperBound >= size)
        large = piece.isLast ? nil : current
        return .piece(piece)
    }

    // MARK: Taking

    private typealias Step = OrderedPipeline<ZipJob, ZipStretch>.Step

    private func take(_ stretch: ZipStretch) throws(CapsuleError) -> Step {
        defer {
            buffers.give(stretch.bytes)
            if let raw = stretch.raw { buffers.give(raw) }
        }
        switch stretch.job {
        case .whole(let numbers):
            try takeWhole(numbers, stretch)
        case .piece(let piece):
            if let step = try take(piece, stretch) { return step }
        }
        progress?.advanced(to: report)
        return .proceed
    }

    private func takeWhole(_ numbers: [Int], _ stretch: ZipStretch) throws(CapsuleError) {
        var start = 0
        for (number, content) in zip(numbers, stretch.contents) {
            let entry = container.entries[number]
            let end = start + Int(content.stored)
            try CapsuleError.wrapping { () throws(FileSystemError) in
                try writer.append(entry, name: names.path(of: entry), content, stretch.bytes.bytes(in: start..<end))
            }
            start = end
            if entry.kind.hasContent { note(content) }
        }
    }

    private func note(_ content: ZipContent) {
        report.files += 1
        report.bytes += content.size
    }

    private func take(_ piece: ZipJob.Piece, _ stretch: ZipStretch) throws(CapsuleError) -> Step? {
        let entry = container.entries[piece.number]
        let name = names.path(of: entry)
        if piece.isFirst {
            let mark = try CapsuleError.wrapping { () throws(FileSystemError) in try writer.begin(entry, name: name) }
            open = (mark, ZipContent(piece.method))
            hasher = SHA256Hasher()
        }
        guard let (mark, before) = open, let own = stretch.contents.first else {
            throw CapsuleError("a piece arrived out of order", path: HostPath(entry.path.bytes))
        }
        var content = before
        content.append(own)
        open = (mark, content)
        if container.isDigested, let raw = stretch.raw { hasher.update(raw.bytes) }
        try CapsuleError.wrapping { () throws(FileSystemError) in try writer.append(stretch.bytes.bytes) }
        guard piece.isLast else { return nil }
        open = nil
        if container.isDigested, hasher.finish() != entry.digest { throw .wrongDigest(of: entry) }
        if content.method == .deflated, content.stored >= content.size {
            writer.rewind(to: mark)
            return .restart {
                self.incompressible.insert(piece.number)
                self.position = piece.position
                self.large = nil
            }
        }
        try CapsuleError.wrapping { () throws(FileSystemError) in try writer.end(entry, name: name, content, at: mark) }
        note(content)
        return nil
    }
}
