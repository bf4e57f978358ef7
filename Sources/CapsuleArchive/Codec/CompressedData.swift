import CDeflate

/// Data that was compressed separately: with zlib, with gzip, or as a raw deflate stream, which Apple's Compression framework
/// calls zlib.
package enum CompressedData {
    /// The wrapping of a deflate stream.
    enum Wrapping {
        case zlib, gzip, none

        /// Detects the wrapping from the beginning of the data. (RFC 1950, section 2.2; RFC 1952, section 2.3)
        init(_ data: UnsafeRawBufferPointer) {
            if data.count >= 2, data[0] == 0x1F, data[1] == 0x8B {
                self = .gzip
            } else if data.count >= 2, data[0] & 0x0F == 8, (Int(data[0]) << 8 | Int(data[1])) % 31 == 0 {
                self = .zlib
            } else {
                self = .none
            }
        }
    }

    /// zlib's default level.
    private static let level: Int32 = 6
    private static let leastRoom = 4_096
    private static let largestRatio = 1_032

    /// Returns the decompressed bytes, of gzip those of all members. Returns nil if the data is not compressed or damaged, if other bytes
    /// follow it, or if the result is longer than `limit` bytes.
    package static func inflate(_ data: [UInt8], limit: Int) -> [UInt8]? {
        guard limit >= 0 else { return nil }
        return Inflaters.withOne { inflater in inflate(data, inflater, limit: limit) } ?? nil
    }

    private static func inflate(_ data: [UInt8], _ inflater: OpaquePointer, limit: Int) -> [UInt8]? {
        data.withUnsafeBytes { data in
            var (all, place): ([UInt8], Int) = ([], 0)
            repeat {
                let rest = UnsafeRawBufferPointer(rebasing: data[place...])
                let isFirst = place == 0
                guard isFirst || Wrapping(rest) == .gzip,
                    let (bytes, consumed) = member(rest, inflater, limit: limit - all.count), consumed > 0
                else { return nil }
                if isFirst { all = bytes } else { all += bytes }
                place += consumed
            } while place < data.count
            return all
        }
    }

    private static func member(
        _ data: UnsafeRawBufferPointer, _ inflater: OpaquePointer, limit: Int
    ) -> (bytes: [UInt8], consumed: Int)? {
        let wrapping = Wrapping(data)
        let largest = min(limit, (data.count + 64) * largestRatio)
        var capacity = min(max(4 * data.count, leastRoom), largest)
        while true {
            switch inflate(data, wrapping, inflater, capacity: capacity) {
            case .success(let found): return found
            case .failure(.tooSmall) where capacity < largest: capacity = min(2 * capacity, largest)
            case .failure: return nil
            }
        }
    }

    enum Failure: Error {
        case tooSmall, damaged
    }

    static func inflate(
        _ data: UnsafeRawBufferPointer, _ wrapping: Wrapping, _ inflater: OpaquePointer, capacity: Int
    ) -> Result<(bytes: [UInt8], consumed: Int), Failure> {
        var (status, consumed) = (LIBDEFLATE_BAD_DATA, 0)
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            let inflate =
                switch wrapping {
                case .zlib: libdeflate_zlib_decompress_ex
                case .gzip: libdeflate_gzip_decompress_ex
                case .none: libdeflate_deflate_decompress_ex
                }
            var written = 0
            status = inflate(inflater, data.baseAddress, data.count, output.baseAddress, capacity, &consumed, &written)
            count = status == LIBDEFLATE_SUCCESS ? written : 0
        }
        if status == LIBDEFLATE_INSUFFICIENT_SPACE { return .failure(.tooSmall) }
        return status == LIBDEFLATE_SUCCESS ? .success((bytes, consumed)) : .failure(.damaged)
    }

    package static func deflate(_ bytes: [UInt8], like data: [UInt8]) -> [UInt8]? {
        guard let compressor = libdeflate_alloc_compressor(level) else { return nil }
        defer { libdeflate_free_compressor(compressor) }
        let (bound, compress) =
            switch data.withUnsafeBytes({ Wrapping($0) }) {
            case .zlib: (libdeflate_zlib_compress_bound(compressor, bytes.count), libdeflate_zlib_compress)
            case .gzip: (libdeflate_gzip_compress_bound(compressor, bytes.count), libdeflate_gzip_compress)
            case .none: (libdeflate_deflate_compress_bound(compressor, bytes.count), libdeflate_deflate_compress)
            }
        return bytes.withUnsafeBytes { bytes in
            [UInt8](unsafeUninitializedCapacity: bound) { output, count in
                count = compress(compressor, bytes.baseAddress, bytes.count, output.baseAddress, bound)
            }
        }
    }
}
