import CapsuleArchive
package import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// Digests files of a container, several at a time.
package struct ContentDigester {
    private let opened: OpenedContainer
    private let numbers: [Int]
    private let jobs: Int
    /// Called with the numbers of files and bytes that were read.
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

    /// Returns the digests of all files, by the positions of their entries.
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
        let content = opened.piecewiseContent
        let (numbers, progress) = (numbers, progress)
        let planner = ReadPlanner<Large>(content, entries: entries, numbers: numbers) { Large(numbers[$0]) }
        try OrderedPipeline<ReadJob<Large>, DigestedFile>.run(
            threads: max(1, jobs),
            make: { () throws(CapsuleError) in try planner.next() },
            worker: {
                let reader = content.makeReader()
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
        _ job: ReadJob<Large>, _ reader: any ContentReader, _ stretches: RangeReader, _ entries: [TreeEntry], _ numbers: [Int]
    ) throws(CapsuleError) -> DigestedFile {
        var found = DigestedFile()
        switch job {
        case .files(let positions):
            try CapsuleError.checkInterruption()
            var hasher = SHA256Hasher()
            for number in numbers[positions] where entries[number].kind.hasContent {
                let outcome = Result { () throws(CapsuleError) in
                    try reader.forEachPiece(of: number, in: 0..<entries[number].size) { (_, length, bytes) throws(CapsuleError) in
                        if let bytes { hasher.update(bytes) } else { try hasher.updateZeros(length) }
                    }
                }
                let digest = hasher.finish()
                try found.record(number, outcome.map { digest })
                found.bytes += entries[number].size
            }
        case .range(let large, let number, let range, let isLast):
            do throws(CapsuleError) {
                let digest = try stretches.read(large.number, range, turn: number, isLast: isLast, of: large.digest) { _, _ in }
                if let digest { try found.record(large.number, .success(digest)) }
            } catch {
                try found.record(large.number, .failure(error))
            }
            found.bytes += range.upperBound - range.lowerBound
        }
        return found
    }
}

extension ContentDigester.DigestedFile {
    /// Adds the result of a file. An error is a result, unless the user interrupts.
    fileprivate mutating func record(_ number: Int, _ outcome: Result<ContentDigest, CapsuleError>) throws(CapsuleError) {
        if case .failure(let error) = outcome, error.code == .interrupted { throw error }
        digests.append((number, outcome))
    }
}

/// Reads a stretch of a large file at any time and digests it in its turn. Each thread needs its own.
package final class RangeReader {
    private let reader: any ContentReader
    /// The bytes of a stretch, kept until it is the stretch's turn.
    private let buffer = ByteBuffer(capacity: 1 << 18)
    private var pieces: [StreamPiece] = []

    package init(_ reader: any ContentReader) {
        self.reader = reader
    }

    /// Reads a stretch, calls `body` with its bytes, waits for the turn and digests the stretch.
    ///
    /// - Returns: the digest of the whole file after the last stretch; nil before.
    package func read(
        _ number: Int, _ range: Range<UInt64>, turn: Int, isLast: Bool, of digest: OrderedDigest,
        _ body: (_ offset: UInt64, _ bytes: UnsafeRawBufferPointer) throws(CapsuleError) -> Void
    ) throws(CapsuleError) -> ContentDigest? {
        pieces.removeAll()
        buffer.removeAll()
        let outcome = Result { () throws(CapsuleError) in
            try CapsuleError.checkInterruption()
            try reader.forEachPiece(of: number, in: range) { (offset, length, bytes) throws(CapsuleError) in
                pieces.append(StreamPiece(bytes == nil ? .zeros : .stream(buffer.count), length: length))
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
