import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleSystem
import Synchronization

/// The parts of a new content that an old content has as well, found in one pass over both. It is meant for contents with few
/// changes.
///
/// Both are compared from their beginnings to the first difference, and from there at the same distance from their ends. Contents
/// of the same length are compared from one end to the other. Several threads read and compare windows, which are digested in
/// order. So the digest is that of the bytes that were compared, even if another process writes to the content meanwhile.
struct AlignedDelta: Sendable {
    /// The SHA-256 digest of the new content.
    let digest: ContentDigest
    /// The pieces in the order of the new content. Together they cover it.
    let pieces: [ContentDelta.Piece]
    /// The parts of the new content that no match covers, or only one that is too short, with their offsets.
    let kept: [(start: UInt64, bytes: [UInt8])]

    /// - Returns: nil if more differs than is worth keeping in memory. A ``ContentDelta`` then finds the parts that moved.
    init?(
        from old: any OpenContent, length oldLength: UInt64, to new: any OpenContent, length: UInt64, jobs: Int,
        tuning: DeltaTuning = .standard
    ) throws(CapsuleError) {
        let comparison = AlignedDeltaMatcher(old, length: oldLength, new, length: length, tuning)
        guard try comparison.run(jobs: jobs) else { return nil }
        digest = comparison.digest
        pieces = ContentDelta.pieces(comparison.matches, length: length, shortest: tuning.shortestMatch)
        kept = comparison.kept
    }

    /// Returns the SHA-256 digest of consecutive ranges of the new content; nil if they are not completely in the parts that were
    /// kept.
    func digest(of stretches: some Sequence<Range<UInt64>>) -> ContentDigest? {
        var hasher = SHA256Hasher()
        for stretch in stretches {
            var at = stretch.lowerBound
            for (start, bytes) in kept where start <= at && at < min(stretch.upperBound, start + UInt64(bytes.count)) {
                let end = min(stretch.upperBound, start + UInt64(bytes.count))
                bytes.withUnsafeBytes {
                    hasher.update(UnsafeRawBufferPointer(rebasing: $0[Int(at - start)..<Int(end - start)]))
                }
                at = end
            }
            if at < stretch.upperBound { return nil }
        }
        return hasher.finish()
    }
}

/// Compares the contents for an ``AlignedDelta``. Its state belongs to the pipeline's taker, which one thread at a time runs.
private final class AlignedDeltaMatcher: @unchecked Sendable {
    private let old: any OpenContent
    private let new: any OpenContent
    private let oldLength: UInt64
    private let length: UInt64
    private let tuning: DeltaTuning
    private let buffers = BufferPool()

    private(set) var matches: [ContentMatch] = []
    private(set) var kept: [(start: UInt64, bytes: [UInt8])] = []
    private(set) var digest = ContentDigest.zero
    private var hasher = SHA256Hasher()
    /// The number of bytes of the new content that were taken.
    private var taken: UInt64 = 0
    private var keptLength = 0
    private let hasStopped = Atomic(false)

    /// The number of bytes that are compared at once. Several windows are in memory.
    private let windowLength: UInt64
    /// The most bytes of differences to keep in memory.
    static let mostKept = 64 << 10

    init(
        _ old: any OpenContent, length oldLength: UInt64, _ new: any OpenContent, length: UInt64, _ tuning: DeltaTuning
    ) {
        self.old = old
        self.oldLength = oldLength
        self.new = new
        self.length = length
        self.tuning = tuning
        windowLength = UInt64(tuning.windowLength / 4)
    }

    /// Compares both contents. Returns false if it gave up.
    func run(jobs: Int) throws(CapsuleError) -> Bool {
        let isSameLength = length == oldLength
        try compare(to: min(length, oldLength), back: 0, jobs: jobs, isWhole: isSameLength)
        if !isSameLength, keptLength <= Self.mostKept {
            // An insertion at the end, or one that would reach back before the old content's beginning, has nothing to be compared
            // with.
            guard taken + oldLength >= length else { return false }
            hasStopped.store(false, ordering: .relaxed)
            try compare(to: length, back: Int64(length) - Int64(oldLength), jobs: jobs, isWhole: true)
        }
        guard taken == length, keptLength <= Self.mostKept else { return false }
        digest = hasher.finish()
        return true
    }

    private struct Window: Sendable {
        let start: UInt64
        let bytes: ByteBuffer
        /// The ranges of the bytes that are equal in the old content.
        let equal: [Range<Int>]
    }

    /// Compares the rest of the new content up to an offset with the bytes `back` bytes before it in the old one.
    ///
    /// - Parameter isWhole: true to continue after a difference.
    private func compare(to end: UInt64, back: Int64, jobs: Int, isWhole: Bool) throws(CapsuleError) {
        var next = taken
        let unit = Int(tuning.shortestMatch)
        try OrderedPipeline<Range<UInt64>, Window>.run(
            threads: max(1, jobs),
            make: { () throws(CapsuleError) in
                guard next < end, !self.hasStopped.load(ordering: .relaxed) else { return nil }
                try CapsuleError.checkInterruption()
                // The members of the old content are read whole, and begin at multiples of the window's length.
                let oldStart = UInt64(Int64(next) - back)
                let start = next
                next = min(end, start + self.windowLength - oldStart % self.windowLength)
                return start..<next
            },
            worker: { [old, new, buffers, windowLength] in
                let oldBytes = ByteBuffer(capacity: Int(windowLength))
                return { (range) throws(CapsuleError) in
                    let bytes = buffers.take()
                    try Self.read(range, of: new, to: bytes)
                    oldBytes.removeAll()
                    let oldStart = UInt64(Int64(range.lowerBound) - back)
                    try Self.read(oldStart..<oldStart + (range.upperBound - range.lowerBound), of: old, to: oldBytes)
                    let equal = Self.equalRanges(of: bytes.bytes, oldBytes.bytes, unit: unit)
                    return Window(start: range.lowerBound, bytes: bytes, equal: equal)
                }
            },
            take: { (window) throws(CapsuleError) in
                if !self.hasStopped.load(ordering: .relaxed) { self.consume(window, back: back, isWhole: isWhole) }
                self.buffers.give(window.bytes)
                return .proceed
            })
    }

    /// Reads a range. If the content turns out to be shorter, the missing bytes are zeros.
    private static func read(_ range: Range<UInt64>, of content: any OpenContent, to buffer: ByteBuffer) throws(CapsuleError) {
        let wanted = Int(range.upperBound - range.lowerBound)
        let count = try buffer.append(capacity: wanted) { (room) throws(CapsuleError) in
            try content.read(at: range.lowerBound, into: room)
        }
        buffer.appendZeros(wanted - count)
    }

    /// Returns the ranges at which two buffers of the same length are equal. After a difference, the search goes on at the next
    /// whole unit.
    private static func equalRanges(
        of new: UnsafeRawBufferPointer, _ old: UnsafeRawBufferPointer, unit: Int
    ) -> [Range<Int>] {
        var equal: [Range<Int>] = []
        var at = 0
        while at < new.count {
            let common = EqualBytes.prefix(
                UnsafeRawBufferPointer(rebasing: new[at...]), UnsafeRawBufferPointer(rebasing: old[at...]))
            if common > 0 { equal.append(at..<at + common) }
            at += common
            if at == new.count { break }
            let next = min(new.count, (at / unit + 1) * unit)
            // Equal bytes just before that belong to the next range.
            at =
                next
                - EqualBytes.suffix(
                    UnsafeRawBufferPointer(rebasing: new[at..<next]), UnsafeRawBufferPointer(rebasing: old[at..<next]))
        }
        return equal
    }

    private func consume(_ window: Window, back: Int64, isWhole: Bool) {
        var end = window.bytes.count
        if !isWhole, window.equal.first != 0..<end {
            // The rest is compared at the other distance.
            end = window.equal.first.map { $0.lowerBound == 0 ? $0.upperBound : 0 } ?? 0
            hasStopped.store(true, ordering: .relaxed)
        }
        hasher.update(window.bytes.bytes(in: 0..<end))
        var at = 0
        for range in window.equal where range.upperBound <= end {
            keep(at..<range.lowerBound, of: window)
            matches.appendJoining(
                ContentMatch(
                    start: window.start + UInt64(range.lowerBound),
                    old: UInt64(Int64(window.start) + Int64(range.lowerBound) - back), length: UInt64(range.count)))
            // The match may turn out to be too short to be a piece.
            if range.count < Int(tuning.shortestMatch) { keep(range, of: window) }
            at = range.upperBound
        }
        keep(at..<end, of: window)
        taken = window.start + UInt64(end)
        if keptLength > Self.mostKept { hasStopped.store(true, ordering: .relaxed) }
    }

    private func keep(_ range: Range<Int>, of window: Window) {
        if range.isEmpty { return }
        keptLength += range.count
        kept.append((window.start + UInt64(range.lowerBound), Array(window.bytes.bytes(in: range))))
    }
}
