import CZstd

/// A zstd compressor of whole frames with content size and checksum (RFC 8878).
final class ZstdCompressor {
    private let context: OpaquePointer

    /// - Parameter level: 1 to 19.
    init(level: Int32) {
        guard let context = ZSTD_createCCtx() else { fatalError("no memory for a compressor") }
        self.context = context
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, min(max(level, 1), 19))
        ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 1)
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    }

    deinit {
        ZSTD_freeCCtx(context)
    }

    /// Appends one frame that holds `bytes`.
    func append(_ bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        buffer.append(room: ZSTD_compressBound(bytes.count)) { output in
            let length = ZSTD_compress2(context, output.baseAddress, output.count, bytes.baseAddress, bytes.count)
            // With room for the bound the only failure is memory that has run out.
            guard ZSTD_isError(length) == 0 else { fatalError("no memory to compress") }
            return length
        }
    }
}
