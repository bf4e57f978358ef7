import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// Writes a container that can't change as a zip archive. Several threads read and compress, and one writes in the order of the
/// stream.
final class ZipExport {
    /// A large file that is made piece by piece.
    private struct Large {
        let number: Int
        /// The position of the file in the stream.
        let position: Int
        let method: ZipContent.Method
        /// The part of the current range that was not returned yet.
        var rest: Range<UInt64> = 0..<0
    }

    private let container: OpenedContainer
    private let jobs: Int
    private let level: Int?
    private let progress: (any ProgressObserver)?
    private let names: TarPaths
    private let order: [UInt32]
    private let buffers = BufferPool()
    /// The greatest size in bytes of a file that one thread makes at once.
    private static let wholeLength: UInt64 = 4 << 20
    /// The approximate length in bytes of one piece of a larger file, or of a group of small files.
    private static let pieceLength: UInt64 = 1 << 20

    // The state of the planner.
    private var position = 0
    private var large: Large?
    /// The files that deflate did not make smaller.
    private var incompressible: Set<Int> = []

    // The state of the stage that takes results.
    private let writer: ZipWriter
    private var open: (mark: ZipWriter.Mark, content: ZipContent)?
    private var hasher = SHA256Hasher()
    private var report = ProgressReport()

    init(
        _ container: OpenedContainer, jobs: Int, level: Int?, output: any MemberOutput,
        progress: (any ProgressObserver)?
    ) {
        self.container = container
        self.jobs = jobs
        self.level = level
        self.progress = progress
        names = TarPaths(name: container.name, layout: container.layout)
        order = names.order(of: container.entries)
        writer = ZipWriter(output: output)
        for entry in container.entries where entry.kind.hasContent {
            report.totalFiles += 1
            report.totalBytes += entry.size
        }
    }

    /// Writes the archive.
    ///
    /// - Returns: the length of the archive in bytes.
    func run() throws(CapsuleError) -> UInt64 {
        let (container, level, buffers) = (container, level, buffers)
        try OrderedPipeline<ZipJob, ZipResult>.run(
            threads: max(1, jobs), make: { () throws(CapsuleError) in self.nextJob() },
            worker: {
                let worker = ZipWorker(container, reader: container.makeReader(), level: level, buffers: buffers)
                return { (job) throws(CapsuleError) in try worker.perform(job) }
            },
            take: { (stretch) throws(CapsuleError) in try self.consume(stretch) })
        return try writer.finish()
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
            // Empty entries take space too.
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
            current.rest = container.contents.readRange(
                of: current.number, from: current.rest.upperBound, size: size, length: Self.pieceLength)
        }
        // A range of zeros has no greatest length.
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

    private typealias NextAction = OrderedPipeline<ZipJob, ZipResult>.NextAction

    private func consume(_ stretch: ZipResult) throws(CapsuleError) -> NextAction {
        defer {
            buffers.give(stretch.bytes)
            if let raw = stretch.raw { buffers.give(raw) }
        }
        switch stretch.job {
        case .whole(let numbers):
            try writeFiles(numbers, stretch)
        case .piece(let piece):
            if let step = try consume(piece, stretch) { return step }
        }
        progress?.advanced(to: report)
        return .proceed
    }

    private func writeFiles(_ numbers: [Int], _ stretch: ZipResult) throws(CapsuleError) {
        var start = 0
        for (number, content) in zip(numbers, stretch.contents) {
            let entry = container.entries[number]
            let end = start + Int(content.stored)
            try writer.append(entry, name: names.path(of: entry), content, stretch.bytes.bytes(in: start..<end))
            start = end
            if entry.kind.hasContent { countFile(content) }
        }
    }

    private func countFile(_ content: ZipContent) {
        report.files += 1
        report.bytes += content.size
    }

    private func consume(_ piece: ZipJob.Piece, _ stretch: ZipResult) throws(CapsuleError) -> NextAction? {
        let entry = container.entries[piece.number]
        let name = names.path(of: entry)
        if piece.isFirst {
            let mark = try writer.begin(entry, name: name)
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
        try writer.append(stretch.bytes.bytes)
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
        try writer.end(entry, name: name, content, at: mark)
        countFile(content)
        return nil
    }
}

/// Reads and compresses. Each thread has one.
private final class ZipWorker {
    private let container: OpenedContainer
    private let reader: ContentReader
    private let deflater: ZipDeflater
    private let buffers: BufferPool
    private let scratch = ByteBuffer(capacity: 1 << 20)
    private var hasher = SHA256Hasher()

    init(_ container: OpenedContainer, reader: ContentReader, level: Int?, buffers: BufferPool) {
        self.container = container
        self.reader = reader
        self.buffers = buffers
        deflater = ZipDeflater(level: level)
    }

    func perform(_ job: ZipJob) throws(CapsuleError) -> ZipResult {
        try CapsuleError.checkInterruption()
        var stretch = ZipResult(job: job, bytes: buffers.take())
        switch job {
        case .whole(let numbers):
            for number in numbers { stretch.contents.append(try makeWhole(number, to: stretch.bytes)) }
        case .piece(let piece):
            let raw = buffers.take()
            try read(piece.number, piece.range, to: raw)
            stretch.contents = [deflater.append(piece: raw.bytes, as: piece.method, isLast: piece.isLast, to: stretch.bytes)]
            stretch.raw = raw
        }
        return stretch
    }

    private func makeWhole(_ number: Int, to buffer: ByteBuffer) throws(CapsuleError) -> ZipContent {
        let entry = container.entries[number]
        scratch.removeAll()
        switch entry.kind {
        case .directory: break
        case .link: scratch.append(entry.target)
        case .file, .identity:
            try read(number, 0..<entry.size, to: scratch)
            if container.isDigested, hasher.digest(of: scratch.bytes) != entry.digest { throw .wrongDigest(of: entry) }
            return deflater.append(whole: scratch.bytes, to: buffer)
        }
        return deflater.append(piece: scratch.bytes, as: .stored, isLast: true, to: buffer)
    }

    private func read(_ number: Int, _ range: Range<UInt64>, to buffer: ByteBuffer) throws(CapsuleError) {
        let before = buffer.count
        try reader.forEachPiece(of: container.entries[number], number: number, in: range) { _, length, bytes in
            if let bytes { buffer.append(bytes) } else { buffer.appendZeros(Int(length)) }
        }
        guard buffer.count - before == range.count else {
            throw CapsuleError("its content is truncated", path: HostPath(container.entries[number].path.bytes))
        }
    }
}

/// A part of a zip archive that one thread makes.
private enum ZipJob: Sendable {
    /// Whole entries, by their numbers.
    case whole([Int])
    case piece(Piece)

    /// A part of a large file.
    struct Piece: Sendable {
        let number: Int
        /// The position of the file in the stream.
        let position: Int
        let range: Range<UInt64>
        let method: ZipContent.Method
        let isFirst: Bool
        let isLast: Bool
    }
}

/// The result of a job.
private struct ZipResult: Sendable {
    let job: ZipJob
    /// The results for the entries, or for the piece.
    var contents: [ZipContent] = []
    /// The bytes for the archive.
    let bytes: ByteBuffer
    /// The uncompressed bytes of a piece, for the digest of its file.
    var raw: ByteBuffer?
}
