import CapsuleSystem

extension CompressedData {
    private static let firstRoom = 4_096
    /// The most bytes to inflate in one search, as a multiple of the longest stream.
    private static let mostStreams = 16

    /// Calls `take` with what each stream of gzip or zlib in the data inflates to, wherever it begins and whatever follows it, until `take`
    /// returns false.
    /// - Parameter limit: the length of the longest stream.
    /// - Returns: false if `take` returned it, or if there is more to inflate.
    package static func forEachStream(in data: UnsafeRawBufferPointer, limit: Int, _ take: ([UInt8]) -> Bool) -> Bool {
        var budget = limit * mostStreams
        for first in [UInt8(0x1F), 0x78] {
            var place = 0
            while let start = ByteSearch.first(first, in: data, from: place) {
                let rest = UnsafeRawBufferPointer(rebasing: data[start...])
                place = start + 1
                guard isStream(rest) else { continue }
                guard let (outcome, used) = Inflaters.withOne({ inflate(stream: rest, $0, limit: limit) }) else { return false }
                budget -= used
                switch outcome {
                case .success(let (bytes, consumed)):
                    place = start + max(1, consumed)
                    if !take(bytes) { return false }
                case .failure(.tooSmall): return false
                case .failure(.damaged): break
                }
                if budget < 0 { return false }
            }
        }
        return true
    }

    /// Inflates data that is a raw deflate stream as a whole, which Apple's Compression framework calls zlib. Returns nil for other data, for a
    /// text, and for a result of more than `limit` bytes.
    package static func inflateBare(_ data: [UInt8], limit: Int) -> [UInt8]? {
        let isPlain = data.prefix(fewestBytes).allSatisfy { 0x09..<0x80 ~= $0 }
        guard data.count >= fewestBytes, !isPlain, data[0] >> 1 & 3 != 3, data.withUnsafeBytes({ Wrapping($0) == .none }) else {
            return nil
        }
        return inflate(data, limit: limit)
    }

    private static let fewestBytes = 8

    /// - Returns: the bytes of the stream, and the number of bytes that all attempts inflated. What only looks like a stream ends soon, and
    ///   counts as none.
    private static func inflate(
        stream: UnsafeRawBufferPointer, _ inflater: OpaquePointer, limit: Int
    ) -> (Result<(bytes: [UInt8], consumed: Int), Failure>, used: Int) {
        var (room, used) = (firstRoom, 0)
        while true {
            let outcome = inflate(stream, Wrapping(stream), inflater, capacity: room)
            if case .success(let found) = outcome { used += found.bytes.count }
            guard case .failure(.tooSmall) = outcome else { return (outcome, used) }
            used += room
            if room >= limit { return (outcome, used) }
            room = min(8 * room, limit)
        }
    }

    /// Returns true for the beginning of a stream as gzip and zlib write it.
    private static func isStream(_ data: UnsafeRawBufferPointer) -> Bool {
        guard data.count > 2 else { return false }
        if data[0] == 0x1F { return data[1] == 0x8B && data[2] == 8 }
        return [0x01, 0x5E, 0x9C, 0xDA].contains(data[1]) && data[2] >> 1 & 3 != 3
    }
}
