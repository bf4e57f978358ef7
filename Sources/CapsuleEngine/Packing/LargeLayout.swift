import CapsuleArchive
import CapsuleCore

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
