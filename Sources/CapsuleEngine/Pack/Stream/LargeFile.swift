import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem
import CapsuleHashing

/// A file with data members of its own, made by several threads at once, digested in order.
final class LargeFile: Sendable {
    /// What its last slice comes to.
    struct Ending: Sendable {
        let digest: ContentDigest
        /// Whether what was read to be stored is what the digest was made of.
        let isSound: Bool
    }

    /// What its digest is.
    private enum Digest: Sendable {
        /// To be made of what is read, and of the holes.
        case ofAllRead
        /// Known; what is read must have a digest of its own.
        case known(ContentDigest, ofRead: ContentDigest)
    }

    /// Its place among the entries.
    let entry: Int
    /// Its place in the order of the stream.
    let position: Int
    let content: any OpenContent
    /// When it was opened.
    let status: ContentStatus
    let attributes: ExtendedAttributes.Reading?
    /// Whether an earlier file of the same version has the same content, which is not stored again.
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

    /// A file of an archive: looks for holes, and makes the file's header.
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

    /// A file of a later version: only what the capsule does not have is in the stream.
    ///
    /// - Parameter extents: where the capsule has its whole content; nil where it has not.
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

    /// A file of a later version that is stored whole.
    convenience init(
        whole content: any OpenContent, number: Int, position: Int, sliceLength: Int
    ) throws(CapsuleError) {
        let status = try content.status()
        let parts = LargeLayout.parts(of: try Self.map(of: content, size: status.size))
        try self.init(
            number: number, position: position, content: content, status: status, layout: LargeLayout(parts: parts),
            digest: .ofAllRead, sliceLength: sliceLength, isDuplicate: false)
    }

    /// Its first bytes: enough to tell what it is.
    func start() throws(CapsuleError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
        defer { buffer.deallocate() }
        return Array(buffer.prefix(try content.read(at: 0, into: buffer)))
    }

    /// How many jobs it takes: one also where nothing of it is in the stream.
    var slices: Int { max(1, Int((layout.length + sliceLength - 1) / sliceLength)) }

    /// Fills `buffer` with one slice of the file's stream and digests what of the file is in it.
    ///
    /// - Returns: the slice's pieces, as places in the buffer; and for the last slice how the file ends.
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
        // In turn even after an error: those behind wait for it.
        try ordered.take(slice) { (hasher) throws(CapsuleError) in
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

    /// Reads; where the file has become shorter, zeros stand in, and the changed status tells.
    private func append(_ length: UInt64, at offset: UInt64, to buffer: ByteBuffer) throws(CapsuleError) {
        let wanted = Int(length)
        let count = try buffer.append(room: wanted) { (room) throws(CapsuleError) in try content.read(at: offset, into: room) }
        buffer.appendZeros(wanted - count)
    }
}

extension LargeFile {
    /// Finds whole blocks of zeros; a block of data costs one short read, a hole that the file system knows costs none.
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

/// How a large file's own stretch of stream is made up: a header, and what of the file is in it, up to the padding.
struct LargeLayout: Sendable {
    /// A stretch of the file's bytes.
    enum Part: Sendable {
        /// Bytes of the file that are to be stored.
        case new(Range<UInt64>)
        /// Zeros, or what the capsule has already.
        case stored(StoredExtent)
    }

    private let header: ByteBuffer
    /// What of the file is in the stream, in order.
    private let data: [Range<UInt64>]
    /// What of the file is elsewhere: before each stretch of ``data``, and behind the last.
    private let gaps: [[StreamPiece]]
    /// Where each stretch of data begins in the stream.
    private let starts: [UInt64]
    /// All of it, in bytes.
    let length: UInt64

    /// - Parameters:
    ///   - header: what stands before the file's bytes.
    ///   - padding: how many zeros stand behind them.
    init(header: ByteBuffer = ByteBuffer(capacity: 0), parts: [Part], padding: Int = 0) {
        var data: [Range<UInt64>] = []
        var gaps: [[StreamPiece]] = [[]]
        for part in parts {
            switch part {
            case .new(let range):
                data.append(range)
                gaps.append([])
            case .stored(let extent):
                gaps[gaps.count - 1].append(StreamPiece(extent))
            }
        }
        var at = UInt64(header.count)
        starts = data.map { range in
            defer { at += range.upperBound - range.lowerBound }
            return at
        }
        length = at + UInt64(padding)
        self.header = header
        self.data = data
        self.gaps = gaps
    }

    /// What a file is made of when only whole blocks of zeros are left out.
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

    /// Appends a stretch of the stream to `buffer`.
    ///
    /// - Parameter read: appends bytes of the file.
    /// - Returns: the pieces of the file in it and before it, and behind it where the stretch is the last.
    func fill(
        _ buffer: ByteBuffer, _ range: Range<UInt64>,
        read: (_ offset: UInt64, _ length: UInt64, ByteBuffer) throws(CapsuleError) -> Void
    ) throws(CapsuleError) -> [StreamPiece] {
        var pieces: [StreamPiece] = []
        if range.lowerBound < UInt64(header.count) {
            buffer.append(header.bytes(in: Int(range.lowerBound)..<min(header.count, Int(range.upperBound))))
        }
        var number = firstData(endingAfter: range.lowerBound)
        // What lies before a stretch of data belongs to the slice in which that begins.
        while number < data.count, starts[number] < range.upperBound {
            let own = data[number]
            let start = starts[number]
            if start >= range.lowerBound { pieces += gaps[number] }
            let from = max(range.lowerBound, start)
            let count = min(range.upperBound, start + (own.upperBound - own.lowerBound)) - from
            pieces.append(StreamPiece(.stream(buffer.count), length: count))
            try read(own.lowerBound + (from - start), count, buffer)
            number += 1
        }
        if range.upperBound == length {
            pieces += gaps[data.count]
            buffer.appendZeros(Int(range.upperBound - range.lowerBound) - buffer.count)
        }
        return pieces
    }

    /// The first stretch of data that ends after a place in the stream.
    private func firstData(endingAfter place: UInt64) -> Int {
        var low = 0
        var high = data.count
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] + (data[middle].upperBound - data[middle].lowerBound) <= place {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
