import CDeflate

/// A libdeflate compressor of raw deflate streams (RFC 1951).
final class Deflater {
    private let compressor: OpaquePointer

    /// - Parameter level: 1 to 12.
    init(level: Int32) {
        // Fails only for a level out of range, which the clamp rules out, or when memory has run out.
        guard let compressor = libdeflate_alloc_compressor(min(max(level, 1), 12)) else {
            fatalError("no memory for a compressor")
        }
        self.compressor = compressor
    }

    deinit {
        libdeflate_free_compressor(compressor)
    }

    /// Appends the stream that inflates to `bytes`.
    func append(_ bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        // Never more than stored blocks take.
        let bound = libdeflate_deflate_compress_bound(compressor, bytes.count)
        buffer.append(room: bound) { output in
            libdeflate_deflate_compress(compressor, bytes.baseAddress, bytes.count, output.baseAddress, output.count)
        }
    }
}
