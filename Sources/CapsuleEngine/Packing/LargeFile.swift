import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// A file with data members of its own, made by several threads at once, digested in order.
final class LargeFile: Sendable {
    /// Its place among the entries.
    let entry: Int
    /// Its place in the order of the stream.
    let position: Int
    let content: any OpenContent
    /// When it was opened.
    let status: ContentStatus
    let attributes: ExtendedAttributes.Reading?
    let map: SparseMap
    private let header: ByteBuffer
    private let data: [Range<UInt64>]
    /// Where each stretch of data begins in the file's own stream.
    private let starts: [UInt64]
    private let sliceLength: UInt64
    private let streamLength: UInt64
    private let ordered = OrderedDigest()

    /// Opens the file, looks for holes, and makes its header.
    init(
        _ entry: TreeEntry, number: Int, position: Int, content: any OpenContent, path: [UInt8], sliceLength: Int
    ) throws(CapsuleError) {
        self.entry = number
        self.position = position
        self.content = content
        status = try content.status()
        attributes = try content.attributes()
        map = try Self.map(of: content, size: status.size)
        var described = entry
        described.size = status.size
        described.modified = status.modified
        described.mode = status.mode
        header = ByteBuffer(capacity: 4_096)
        TarHeader.append(described, path: path, map: map, to: header)
        data = map.data
        var starts: [UInt64] = []
        var at = UInt64(header.count)
        for range in data {
            starts.append(at)
            at += range.upperBound - range.lowerBound
        }
        self.starts = starts
        streamLength = at + UInt64(TarHeader.padding(after: map.storedLength))
        self.sliceLength = UInt64(sliceLength)
    }

    /// Its first bytes: enough to tell what it is.
    func start() throws(CapsuleError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
        defer { buffer.deallocate() }
        return Array(buffer.prefix(try content.read(at: 0, into: buffer)))
    }

    /// How many jobs it takes.
    var slices: Int { Int((streamLength + sliceLength - 1) / sliceLength) }

    /// Finds whole blocks of zeros; a block of data costs one short read, a hole that the file system knows costs none.
    private static func map(of content: any OpenContent, size: UInt64) throws(CapsuleError) -> SparseMap {
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

    /// Fills `buffer` with one slice of the file's stream and digests what of the file is in it.
    ///
    /// - Returns: the slice's extents, as places in the buffer; and for the last slice the file's digest.
    func fill(_ buffer: ByteBuffer, slice: Int) throws(CapsuleError) -> (pieces: [StreamPiece], digest: ContentDigest?) {
        let start = UInt64(slice) * sliceLength
        let end = min(streamLength, start + sliceLength)
        var pieces: [StreamPiece] = []
        let read = Result { () throws(CapsuleError) in
            try CapsuleError.checkInterruption()
            pieces = try fill(buffer, from: start, to: end)
        }
        var digest: ContentDigest?
        // In turn even after an error: those behind wait for it.
        try ordered.take(slice) { (hasher) throws(CapsuleError) in
            guard case .success = read else { return }
            try hasher.update(pieces, of: buffer)
            if end == streamLength { digest = hasher.finish() }
        }
        try read.get()
        return (pieces, digest)
    }

    private func fill(_ buffer: ByteBuffer, from start: UInt64, to end: UInt64) throws(CapsuleError) -> [StreamPiece] {
        var pieces: [StreamPiece] = []
        if start < UInt64(header.count) {
            buffer.append(header.bytes(in: Int(start)..<min(header.count, Int(end))))
        }
        var number = firstRange(endingAfter: start)
        // The hole before a range belongs to the slice in which the range begins.
        while number < data.count, starts[number] < end {
            let range = data[number]
            let rangeStart = starts[number]
            if rangeStart >= start {
                appendHole(from: number == 0 ? 0 : data[number - 1].upperBound, to: range.lowerBound, &pieces)
            }
            let from = max(start, rangeStart)
            let length = min(end, rangeStart + (range.upperBound - range.lowerBound)) - from
            pieces.append(StreamPiece(place: buffer.count, length: length))
            try append(length, at: range.lowerBound + (from - rangeStart), to: buffer)
            number += 1
        }
        if end == streamLength {
            appendHole(from: data.last?.upperBound ?? 0, to: map.size, &pieces)
            buffer.appendZeros(Int(end - start) - buffer.count)
        }
        return pieces
    }

    private func appendHole(from start: UInt64, to end: UInt64, _ pieces: inout [StreamPiece]) {
        if end > start { pieces.append(StreamPiece(place: nil, length: end - start)) }
    }

    /// The first stretch of data that ends after a place in the stream.
    private func firstRange(endingAfter place: UInt64) -> Int {
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

    /// Reads; where the file has become shorter, zeros stand in, and the changed status tells.
    private func append(_ length: UInt64, at offset: UInt64, to buffer: ByteBuffer) throws(CapsuleError) {
        let wanted = Int(length)
        let count = try buffer.append(room: wanted) { (room) throws(CapsuleError) in try content.read(at: offset, into: room) }
        buffer.appendZeros(wanted - count)
    }
}
