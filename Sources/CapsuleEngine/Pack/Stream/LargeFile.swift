import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// A file with data members of its own, which several threads make at once and which is digested in order.
final class LargeFile: Sendable {
    struct Ending: Sendable {
        let digest: ContentDigest
        /// True if the bytes that were stored are those that were digested.
        let isSound: Bool
    }

    private enum Digest: Sendable {
        /// The digest is computed from the bytes that are read, and from the holes.
        case ofAllRead
        /// The digest is known, and the bytes that are read must have the digest `ofRead`.
        case known(ContentDigest, ofRead: ContentDigest)
    }

    let entry: Int
    let position: Int
    let content: any OpenContent
    let status: ContentStatus
    let attributes: ExtendedAttributes.Reading?
    /// True if an earlier file of the same version has the same content, so that the content is not stored again.
    let isDuplicate: Bool
    private let layout: LargeLayout
    private let digest: Digest
    private let sliceLength: UInt64
    private let ordered = OrderedDigest()

    private init(
        number: Int, position: Int, content: any OpenContent, status: ContentStatus, layout: LargeLayout, digest: Digest,
        sliceLength: Int, isDuplicate: Bool
    ) throws(CapsuleError) {
        entry = number
        self.position = position
        self.content = content
        self.status = status
        attributes = try content.attributes()
        self.layout = layout
        self.digest = digest
        self.sliceLength = UInt64(sliceLength)
        self.isDuplicate = isDuplicate
    }

    convenience init(
        _ entry: TreeEntry, number: Int, position: Int, content: any OpenContent, path: [UInt8], sliceLength: Int
    ) throws(CapsuleError) {
        let status = try content.status()
        let map = try Self.map(of: content, size: status.size)
        var described = entry
        described.size = status.size
        described.modified = status.modified
        described.mode = status.mode
        let header = ByteBuffer(capacity: 4_096)
        TarHeader.append(described, path: path, map: map, to: header)
        let layout = LargeLayout(
            header: header, parts: LargeLayout.parts(of: map), padding: TarHeader.padding(after: map.storedLength))
        try self.init(
            number: number, position: position, content: content, status: status, layout: layout, digest: .ofAllRead,
            sliceLength: sliceLength, isDuplicate: false)
    }

    /// Creates a file of a later version. The stream contains only what the capsule does not have.
    /// - Parameter extents: the extents of the whole content in the capsule; nil if the capsule does not have it.
    convenience init(
        _ prepared: LargePreparation, number: Int, position: Int, content: any OpenContent, extents: [StoredExtent]?,
        isDuplicate: Bool, sliceLength: Int
    ) throws(CapsuleError) {
        let parts: [LargeLayout.Part] = isDuplicate ? [] : extents?.map { .stored($0) } ?? prepared.parts
        let digest: Digest
        if isDuplicate || extents != nil {
            digest = .known(prepared.digest, ofRead: SHA256Hasher.digest(of: []))
        } else {
            digest = prepared.newDigest.map { .known(prepared.digest, ofRead: $0) } ?? .ofAllRead
        }
        try self.init(
            number: number, position: position, content: content, status: prepared.status, layout: LargeLayout(parts: parts),
            digest: digest, sliceLength: sliceLength, isDuplicate: isDuplicate)
    }

    convenience init(
        whole content: any OpenContent, number: Int, position: Int, sliceLength: Int
    ) throws(CapsuleError) {
        let status = try content.status()
        let parts = LargeLayout.parts(of: try Self.map(of: content, size: status.size))
        try self.init(
            number: number, position: position, content: content, status: status, layout: LargeLayout(parts: parts),
            digest: .ofAllRead, sliceLength: sliceLength, isDuplicate: false)
    }

    /// Returns the first bytes of the file, enough to detect its format.
    func start() throws(CapsuleError) -> [UInt8] {
        try content.start(16)
    }

    /// The number of slices. It is at least one, even if nothing of the file is in the stream.
    var slices: Int { max(1, Int((layout.length + sliceLength - 1) / sliceLength)) }

    /// Fills `buffer` with one slice of the file's stream, and digests the file's bytes in it.
    /// - Returns: the pieces of the slice, as places in the buffer, and for the last slice the ending.
    func fill(_ buffer: ByteBuffer, slice: Int) throws(CapsuleError) -> (pieces: [StreamPiece], ending: Ending?) {
        let start = UInt64(slice) * sliceLength
        let end = min(layout.length, start + sliceLength)
        var pieces: [StreamPiece] = []
        let read = Result { () throws(CapsuleError) in
            try CapsuleError.checkInterruption()
            pieces = try layout.fill(buffer, start..<end) { (offset, length, buffer) throws(CapsuleError) in
                try append(length, at: offset, to: buffer)
            }
        }
        var ending: Ending?
        // This happens even after an error, because later slices wait for their turn.
        try ordered.withTurn(slice) { (hasher) throws(CapsuleError) in
            guard case .success = read else { return }
            try update(hasher, pieces, of: buffer)
            if end == layout.length { ending = self.ending(hasher.finish()) }
        }
        try read.get()
        return (pieces, ending)
    }

    private func update(_ hasher: OrderedDigest, _ pieces: [StreamPiece], of buffer: ByteBuffer) throws(CapsuleError) {
        switch digest {
        case .ofAllRead: try hasher.update(pieces, of: buffer)
        case .known: try hasher.update(pieces.filter { $0.place != nil }, of: buffer)
        }
    }

    private func ending(_ found: ContentDigest) -> Ending {
        switch digest {
        case .ofAllRead: Ending(digest: found, isSound: true)
        case .known(let digest, let ofRead): Ending(digest: digest, isSound: found == ofRead)
        }
    }

    /// Appends bytes of the file. If the file has become shorter, zeros are appended instead, and its changed status shows that.
    private func append(_ length: UInt64, at offset: UInt64, to buffer: ByteBuffer) throws(CapsuleError) {
        let wanted = Int(length)
        let count = try buffer.append(capacity: wanted) { (room) throws(CapsuleError) in try content.read(at: offset, into: room)
        }
        buffer.appendZeros(wanted - count)
    }
}

extension LargeFile {
    /// Returns the blocks of zeros in a file. A block of data costs one short read, and a hole that the file system knows costs
    /// none.
    static func map(of content: any OpenContent, size: UInt64) throws(CapsuleError) -> SparseMap {
        var map = SparseMap(size: size)
        let block = SparseMap.blockLength
        if let holes = content.holes() {
            for hole in holes {
                let start = (hole.lowerBound + block - 1) / block * block
                map.addHole(start..<max(start, hole.upperBound / block * block))
            }
            return map
        }
        var at: UInt64 = 0
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(block), alignment: 64)
        defer { room.deallocate() }
        let peek = UnsafeMutableRawBufferPointer(rebasing: room[..<64])
        while at + block <= size {
            if at % (1 << 30) == 0 { try CapsuleError.checkInterruption() }
            guard try content.read(at: at, into: peek) == peek.count else { break }
            if !SparseMap.isZeros(UnsafeRawBufferPointer(peek)) {
                at += block
                continue
            }
            let end = min(size, content.nextData(from: at)) / block * block
            if end > at {
                map.addHole(at..<end)
                at = end
                continue
            }
            guard try content.read(at: at, into: room) == room.count else { break }
            if SparseMap.isZeros(UnsafeRawBufferPointer(room)) { map.addHole(at..<at + block) }
            at += block
        }
        return map
    }
}

/// The layout of a large file's own part of the stream: a header, the file's bytes that are stored, and the padding.
struct LargeLayout: Sendable {
    enum Part: Sendable {
        case new(Range<UInt64>)
        /// Zeros, or bytes that the capsule already has.
        case stored(StoredExtent)
    }

    private let header: ByteBuffer
    /// The ranges of the stream that have bytes of the file, and the places of these in the file.
    private let data: [CopiedRange]
    /// The pieces of the file that are elsewhere: before each range in ``data``, and after the last one.
    private let gaps: [[StreamPiece]]
    let length: UInt64

    /// - Parameters:
    ///   - header: the bytes before those of the file.
    ///   - padding: the number of zeros after them.
    init(header: ByteBuffer = ByteBuffer(capacity: 0), parts: [Part], padding: Int = 0) {
        var data: [CopiedRange] = []
        var gaps: [[StreamPiece]] = [[]]
        var at = UInt64(header.count)
        for part in parts {
            switch part {
            case .new(let range):
                data.append(CopiedRange(start: at, source: range.lowerBound, length: range.length))
                at += range.length
                gaps.append([])
            case .stored(let extent):
                gaps[gaps.count - 1].append(.stored(extent))
            }
        }
        length = at + UInt64(padding)
        self.header = header
        self.data = data
        self.gaps = gaps
    }

    /// Returns the parts of a file in which only whole blocks of zeros are left out.
    static func parts(of map: SparseMap) -> [Part] {
        var parts: [Part] = []
        var at: UInt64 = 0
        for range in map.data {
            if range.lowerBound > at { parts.append(.stored(.zeros(range.lowerBound - at))) }
            parts.append(.new(range))
            at = range.upperBound
        }
        if at < map.size { parts.append(.stored(.zeros(map.size - at))) }
        return parts
    }

    /// Appends a range of the stream to `buffer`.
    /// - Returns: the pieces of the file in the range and before it, and those after it if the range is the last.
    func fill(
        _ buffer: ByteBuffer, _ range: Range<UInt64>,
        read: (_ offset: UInt64, _ length: UInt64, ByteBuffer) throws(CapsuleError) -> Void
    ) throws(CapsuleError) -> [StreamPiece] {
        var pieces: [StreamPiece] = []
        if range.lowerBound < UInt64(header.count) {
            buffer.append(header.bytes(in: Int(range.lowerBound)..<min(header.count, Int(range.upperBound))))
        }
        var number = data.indexOfFirst(notBefore: { $0.end <= range.lowerBound })
        // The pieces before a range of data belong to the slice in which that range begins.
        while number < data.count, data[number].start < range.upperBound {
            if data[number].start >= range.lowerBound { pieces += gaps[number] }
            let own = data[number].clamped(to: range)
            pieces.append(.stream(buffer.count, length: own.length))
            try read(own.source, own.length, buffer)
            number += 1
        }
        if range.upperBound == length {
            pieces += gaps[data.count]
            buffer.appendZeros(Int(range.length) - buffer.count)
        }
        return pieces
    }
}
