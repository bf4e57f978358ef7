import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// The facts about a large file that are found before it is appended: its digest, and the parts that the capsule already has.
struct LargePreparation: Sendable {
    let status: ContentStatus
    let digest: ContentDigest
    let parts: [LargeLayout.Part]
    /// The digest of the new parts, if some parts are not new. The bytes read later must match it, or the digest of the whole
    /// file would be wrong.
    let newDigest: ContentDigest?

    /// The size in bytes above which a changed file is compared with its old content (docs/format.md, section 8).
    static let shortestCompared: UInt64 = 2 << 20

    /// The greatest ratio of the old size to the new one for a comparison. An old content with a hole may have terabytes.
    private static let largestRatio: UInt64 = 16

    /// Prepares a large file. If its counterpart in the newest version is damaged, the file is prepared without it.
    init(_ content: any OpenContent, number: Int, in stored: DeduplicationIndex, jobs: Int) throws(CapsuleError) {
        let old = stored.counterpart(of: number)
        do throws(CapsuleError) {
            self = try LargePreparation(content, old: old, jobs: jobs)
        } catch {
            guard old != nil, error.code != .interrupted else { throw error }
            try stored.examineCounterpart(of: number)
            self = try LargePreparation(content, old: nil, jobs: jobs)
        }
    }

    init(_ content: any OpenContent, old: DeduplicationIndex.Counterpart?, jobs: Int) throws(CapsuleError) {
        let status = try content.status()
        let map = try LargeFile.map(of: content, size: status.size)
        if status.size > Self.shortestCompared, let old, old.size > 0, old.size / Self.largestRatio < status.size {
            let delta = try ContentDelta(
                from: old.content, length: old.size, to: content, length: status.size, threads: jobs)
            let parts = Self.parts(of: map, delta.copies, old)
            if let found = try PartComparison.digests(of: parts, in: content, old, threads: jobs) {
                self.init(status: status, digest: found.whole, parts: parts, newDigest: found.new)
                return
            }
        }
        let digest = try ContentWindow(content, length: status.size, capacity: Self.windowLength).digest()
        self.init(status: status, digest: digest, parts: LargeLayout.parts(of: map), newDigest: nil)
    }

    private init(status: ContentStatus, digest: ContentDigest, parts: [LargeLayout.Part], newDigest: ContentDigest?) {
        self.status = status
        self.digest = digest
        self.parts = parts
        self.newDigest = newDigest
    }

    private static let windowLength = 1 << 18

    private static func parts(
        of map: SparseMap, _ copies: [CopiedRange], _ old: DeduplicationIndex.Counterpart
    ) -> [LargeLayout.Part] {
        var parts = PartList()
        var rest = copies[...]
        var at: UInt64 = 0
        for hole in map.holes + [map.size..<map.size] {
            while let copy = rest.first, copy.start < hole.lowerBound {
                let own = copy.clamped(to: at..<hole.lowerBound)
                parts.appendNew(at..<own.start)
                parts.append(own, of: old)
                at = own.end
                // The rest of it follows the hole.
                if copy.end > hole.lowerBound { break }
                rest.removeFirst()
            }
            parts.appendNew(at..<hole.lowerBound)
            parts.appendZeros(hole.length)
            at = hole.upperBound
        }
        return parts.parts
    }
}

/// Compares the parts that were found for a file with the file, and digests both. The parts that are referred to must have the file's
/// bytes, even if the search was wrong, the capsule is damaged, or the file was written to in the meantime.
private enum PartComparison {
    private struct Batch: Sendable {
        let start: UInt64
        let parts: [LargeLayout.Part]
    }

    private struct Compared: Sendable {
        let buffer: ByteBuffer
        var pieces: [StreamPiece] = []
        var new: [StreamPiece] = []
        var isSame = true
    }

    // A member of gzip, and a buffer of the pool.
    private static let batchLength: UInt64 = 1 << 18

    /// Several threads read. The bytes are digested in order.
    /// - Returns: the digests of all parts and of the new ones; nil if a part that is not new has other bytes than the file.
    static func digests(
        of parts: [LargeLayout.Part], in content: any OpenContent, _ old: DeduplicationIndex.Counterpart, threads: Int
    ) throws(CapsuleError) -> (whole: ContentDigest, new: ContentDigest)? {
        var batches = batches(of: parts)[...]
        let pool = BufferPool()
        let (whole, new) = (OrderedDigest(), OrderedDigest())
        var isSame = true
        let makeReader = old.makeReader
        try OrderedPipeline<Batch, Compared>.run(
            threads: threads,
            make: { batches.popFirst() },
            worker: {
                let reader = makeReader()
                return { (batch) throws(CapsuleError) in try compare(batch, with: content, reader, Compared(buffer: pool.take()))
                }
            },
            take: { (compared) throws(CapsuleError) in
                isSame = isSame && compared.isSame
                try whole.update(compared.pieces, of: compared.buffer)
                try new.update(compared.new, of: compared.buffer)
                pool.give(compared.buffer)
                return .proceed
            })
        return isSame ? (whole.finish(), new.finish()) : nil
    }

    private static func batches(of parts: [LargeLayout.Part]) -> [Batch] {
        var batches: [Batch] = []
        var (own, start, end) = ([LargeLayout.Part](), UInt64(0), UInt64(0))
        func add(_ part: LargeLayout.Part, _ length: UInt64) {
            own.append(part)
            end += length
            guard end - start >= batchLength else { return }
            batches.append(Batch(start: start, parts: own))
            (own, start) = ([], end)
        }
        for part in parts {
            switch part {
            case .stored(let extent): add(part, extent.length)
            case .new(let range):
                for at in stride(from: range.lowerBound, to: range.upperBound, by: Int(batchLength)) {
                    let piece = at..<min(range.upperBound, at + batchLength)
                    add(.new(piece), piece.length)
                }
            }
        }
        return batches + [Batch(start: start, parts: own)]
    }

    private static func compare(
        _ batch: Batch, with content: any OpenContent, _ reader: MemberReader, _ empty: Compared
    ) throws(CapsuleError) -> Compared {
        try CapsuleError.checkInterruption()
        var (found, at) = (empty, batch.start)
        for part in batch.parts {
            let place = found.buffer.count
            switch part {
            case .new(let range):
                at = range.upperBound
                found.pieces.append(.stream(place, length: range.length))
                found.new.append(found.pieces[found.pieces.count - 1])
                try append(range, of: content, to: found.buffer)
            case .stored(let extent):
                let range = at..<at + extent.length
                at = range.upperBound
                if extent.member == nil {
                    found.pieces.append(.stored(extent))
                    if try !areZeros(range, of: content) { found.isSame = false }
                    continue
                }
                found.pieces.append(.stream(place, length: extent.length))
                try append(range, of: content, to: found.buffer)
                let bytes = try reader.bytes(of: extent)
                found.isSame = found.isSame && RawBytes.areEqual(bytes, found.buffer.bytes(in: place..<found.buffer.count))
            }
        }
        return found
    }

    /// Appends a range of a file. Bytes that the file does not have any more are zeros. Its changed status shows that.
    private static func append(_ range: Range<UInt64>, of content: any OpenContent, to buffer: ByteBuffer) throws(CapsuleError) {
        let length = Int(range.length)
        let count = try buffer.append(capacity: length) { (room) throws(CapsuleError) in
            // The buffer may have more space than was asked for.
            try content.read(at: range.lowerBound, into: UnsafeMutableRawBufferPointer(rebasing: room[..<length]))
        }
        buffer.appendZeros(length - count)
    }

    private static func areZeros(_ range: Range<UInt64>, of content: any OpenContent) throws(CapsuleError) -> Bool {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 64)
        defer { room.deallocate() }
        var areZeros = true
        let isWhole = try content.forEachPiece(in: range, by: room) { (_, _, bytes) throws(CapsuleError) in
            if let bytes, !SparseMap.isZeros(bytes) { areZeros = false }
        }
        return isWhole && areZeros
    }
}

/// Parts in order, with adjacent new parts joined.
private struct PartList {
    private(set) var parts: [LargeLayout.Part] = []

    mutating func append(_ copy: CopiedRange, of old: DeduplicationIndex.Counterpart) {
        if copy.length == 0 { return }
        var at = copy.start
        for placed in old.extents.from(copy.source) {
            if placed.offset >= copy.sourceEnd { break }
            let own = placed.range.clamped(to: copy.source..<copy.sourceEnd)
            if let member = placed.member {
                let inner = placed.extent.inner + UInt32(own.lowerBound - placed.offset)
                parts.append(.stored(StoredExtent(member: member, inner: inner, length: own.length)))
            } else {
                // Zeros that are not whole blocks here are stored as bytes.
                appendNew(at..<at + own.length)
            }
            at += own.length
        }
    }

    mutating func appendZeros(_ length: UInt64) {
        if length > 0 { parts.append(.stored(.zeros(length))) }
    }

    mutating func appendNew(_ range: Range<UInt64>) {
        if range.isEmpty { return }
        if case .new(let last)? = parts.last, last.upperBound == range.lowerBound {
            parts[parts.count - 1] = .new(last.lowerBound..<range.upperBound)
        } else {
            parts.append(.new(range))
        }
    }
}
