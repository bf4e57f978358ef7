import CDeflate
import CZstd

/// How a metadata payload is spelled: coding u8 (0 raw, 1 deflate, 2 zstd), raw length u64, bytes.
enum PayloadCoding {
    private static let raw: UInt8 = 0
    private static let deflate: UInt8 = 1
    private static let zstd: UInt8 = 2
    private static let headerLength = 9
    /// Metadata is squeezed lightly: digests don't compress, and reading an index must be quick.
    private static let level: Int32 = 3

    /// The payload of `bytes`: the shorter of raw and compressed.
    static func encode(_ bytes: [UInt8], codec: MemberCodec) -> [UInt8] {
        let buffer = ByteBuffer(capacity: bytes.count + 1_024)
        bytes.withUnsafeBytes { input in
            switch codec {
            case .gzip: Deflater(level: level).append(input, to: buffer)
            case .zstd: ZstdCompressor(level: level).append(input, to: buffer)
            }
        }
        let compresses = buffer.count < bytes.count
        var payload: [UInt8] = [compresses ? (codec == .gzip ? deflate : zstd) : raw]
        payload.reserveCapacity(headerLength + min(buffer.count, bytes.count))
        payload.appendInteger(UInt64(bytes.count))
        if compresses { payload.append(contentsOf: buffer.bytes) } else { payload += bytes }
        return payload
    }

    /// The bytes of a payload; nil if it is damaged, or claims more than `limit` bytes.
    static func decode(_ payload: [UInt8], limit: UInt64) -> [UInt8]? {
        payload.withUnsafeBytes { input in
            guard input.count >= headerLength else { return nil }
            let length = UInt64(littleEndian: input.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
            let coded = UnsafeRawBufferPointer(rebasing: input[headerLength...])
            // Neither codec makes more than this of one byte; a claim beyond it costs no allocation.
            let largestRatio: UInt64 = input[0] == deflate ? 1_032 : 1 << 17
            guard length <= limit, input[0] != raw || length == UInt64(coded.count),
                length <= (UInt64(coded.count) + 64) * largestRatio
            else { return nil }
            switch input[0] {
            case raw: return Array(coded)
            case deflate: return inflate(coded, Int(length))
            case zstd: return decompress(coded, Int(length))
            default: return nil
            }
        }
    }

    private static func inflate(_ coded: UnsafeRawBufferPointer, _ length: Int) -> [UInt8]? {
        guard let inflater = libdeflate_alloc_decompressor() else { return nil }
        defer { libdeflate_free_decompressor(inflater) }
        var isWhole = false
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { output, count in
            var consumed = 0
            let status = libdeflate_deflate_decompress_ex(
                inflater, coded.baseAddress, coded.count, output.baseAddress, length, &consumed, nil)
            isWhole = status == LIBDEFLATE_SUCCESS && consumed == coded.count
            count = isWhole ? length : 0
        }
        return isWhole ? bytes : nil
    }

    private static func decompress(_ coded: UnsafeRawBufferPointer, _ length: Int) -> [UInt8]? {
        var isWhole = false
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { output, count in
            isWhole = ZSTD_decompress(output.baseAddress, length, coded.baseAddress, coded.count) == length
            count = isWhole ? length : 0
        }
        return isWhole ? bytes : nil
    }
}
