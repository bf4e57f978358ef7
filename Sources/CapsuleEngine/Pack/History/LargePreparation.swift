import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing

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

    /// If its counterpart in the newest version is damaged, the file is prepared without it.
    init(_ content: any OpenContent, number: Int, in stored: DeduplicationIndex) throws(CapsuleError) {
        let old = stored.counterpart(of: number)
        do throws(CapsuleError) {
            self = try LargePreparation(content, old: old)
        } catch {
            guard old != nil, error.code != .interrupted else { throw error }
            try stored.examineCounterpart(of: number)
            self = try LargePreparation(content, old: nil)
        }
    }

    init(_ content: any OpenContent, old: DeduplicationIndex.Counterpart?) throws(CapsuleError) {
        let status = try content.status()
        let map = try LargeFile.map(of: content, size: status.size)
        if status.size > Self.shortestCompared, let old, old.size > 0, old.size / Self.largestRatio < status.size {
            let delta = try ContentDelta(from: old.content, length: old.size, to: content, length: status.size)
            let parts = Self.parts(of: map, delta.pieces, old)
            // The parts that are referred to must have the expected bytes, even if the file was written to in the meantime.
            let (whole, new) = try Self.digests(of: parts, in: content, old)
            if whole == delta.digest {
                self.init(status: status, digest: whole, parts: parts, newDigest: new)
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
        of map: SparseMap, _ pieces: [ContentDelta.Piece], _ old: DeduplicationIndex.Counterpart
    ) -> [LargeLayout.Part] {
        var parts = PartList()
        var cursor = PieceCursor(pieces)
        var at: UInt64 = 0
        for hole in map.holes + [map.size..<map.size] {
            while at < hole.lowerBound, let piece = cursor.next(upTo: hole.lowerBound - at) {
                parts.append(piece, at: at, old)
                at += piece.length
            }
            parts.appendZeros(hole.upperBound - hole.lowerBound)
            while at < hole.upperBound, let piece = cursor.next(upTo: hole.upperBound - at) { at += piece.length }
        }
        return parts.parts
    }

    private static func digests(
        of parts: [LargeLayout.Part], in content: any OpenContent, _ old: DeduplicationIndex.Counterpart
    ) throws(CapsuleError) -> (whole: ContentDigest, new: ContentDigest) {
        var whole = SHA256Hasher()
        var new = SHA256Hasher()
        let reader = old.makeReader()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: windowLength, alignment: 64)
        defer { buffer.deallocate() }
        for part in parts {
            switch part {
            case .new(let range):
                var at = range.lowerBound
                while at < range.upperBound {
                    let room = UnsafeMutableRawBufferPointer(
                        rebasing: buffer[..<Int(min(range.upperBound - at, UInt64(buffer.count)))])
                    let count = try content.read(at: at, into: room)
                    if count < room.count {
                        UnsafeMutableRawBufferPointer(rebasing: room[count...]).initializeMemory(as: UInt8.self, repeating: 0)
                    }
                    whole.update(UnsafeRawBufferPointer(room))
                    new.update(UnsafeRawBufferPointer(room))
                    at += UInt64(room.count)
                }
            case .stored(let extent):
                guard let member = extent.member else {
                    try whole.updateZeros(extent.length)
                    continue
                }
                let place = Extent(member: 1, inner: extent.inner, length: extent.length)
                whole.update(try reader.bytes(of: place, in: member))
            }
        }
        return (whole.finish(), new.finish())
    }
}

/// Parts in order, with adjacent new parts joined.
private struct PartList {
    private(set) var parts: [LargeLayout.Part] = []

    mutating func append(_ piece: ContentDelta.Piece, at offset: UInt64, _ old: DeduplicationIndex.Counterpart) {
        switch piece {
        case .new(let range):
            appendNew(range)
        case .old(let range):
            var at = offset
            for placed in old.extents.from(range.lowerBound) {
                if placed.offset >= range.upperBound { break }
                let own = placed.range.clamped(to: range)
                let length = own.upperBound - own.lowerBound
                if let member = placed.member {
                    let inner = placed.extent.inner + UInt32(own.lowerBound - placed.offset)
                    parts.append(.stored(StoredExtent(member: member, inner: inner, length: length)))
                } else {
                    // Zeros that are not whole blocks here are stored as bytes.
                    appendNew(at..<at + length)
                }
                at += length
            }
        }
    }

    mutating func appendZeros(_ length: UInt64) {
        if length > 0 { parts.append(.stored(.zeros(length))) }
    }

    private mutating func appendNew(_ range: Range<UInt64>) {
        if case .new(let last)? = parts.last, last.upperBound == range.lowerBound {
            parts[parts.count - 1] = .new(last.lowerBound..<range.upperBound)
        } else {
            parts.append(.new(range))
        }
    }
}

/// Iterates over pieces, and splits them where needed.
private struct PieceCursor {
    private let pieces: [ContentDelta.Piece]
    private var number = 0
    /// The length of the part of the piece at ``number`` that was already returned.
    private var passed: UInt64 = 0

    init(_ pieces: [ContentDelta.Piece]) { self.pieces = pieces }

    /// Returns the next piece, or as much of it as `limit` allows; nil after the last piece.
    mutating func next(upTo limit: UInt64) -> ContentDelta.Piece? {
        guard number < pieces.count else { return nil }
        let piece = pieces[number]
        let length = min(limit, piece.length - passed)
        let start = piece.range.lowerBound + passed
        passed += length
        if passed == piece.length { (number, passed) = (number + 1, 0) }
        return piece.with(start..<start + length)
    }
}

extension ContentDelta.Piece {
    fileprivate var range: Range<UInt64> {
        switch self {
        case .old(let range), .new(let range): range
        }
    }

    fileprivate var length: UInt64 { range.upperBound - range.lowerBound }

    fileprivate func with(_ range: Range<UInt64>) -> ContentDelta.Piece {
        switch self {
        case .old: .old(range)
        case .new: .new(range)
        }
    }
}
