import CDeflate
import CZstd

/// A libdeflate compressor for raw deflate streams (RFC 1951).
final class Deflater {
    private let compressor: OpaquePointer

    /// Creates a compressor.
    ///
    /// - Parameter level: the level, 1 to 12.
    init(level: Int32) {
        // Fails only for an invalid level, which the clamping rules out, or if memory is exhausted.
        guard let compressor = libdeflate_alloc_compressor(min(max(level, 1), 12)) else {
            fatalError("no memory for a compressor")
        }
        self.compressor = compressor
    }

    deinit {
        libdeflate_free_compressor(compressor)
    }

    /// Appends a stream that inflates to `bytes`.
    func append(_ bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        // The result is never longer than stored blocks.
        let bound = libdeflate_deflate_compress_bound(compressor, bytes.count)
        buffer.append(capacity: bound) { output in
            libdeflate_deflate_compress(compressor, bytes.baseAddress, bytes.count, output.baseAddress, output.count)
        }
    }
}

/// A zstd compressor for whole frames with content size and checksum (RFC 8878).
final class ZstdCompressor {
    private let context: OpaquePointer

    /// Creates a compressor.
    ///
    /// - Parameter level: the level, 1 to 19.
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

    /// Appends one frame that contains `bytes`.
    func append(_ bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        buffer.append(capacity: ZSTD_compressBound(bytes.count)) { output in
            let length = ZSTD_compress2(context, output.baseAddress, output.count, bytes.baseAddress, bytes.count)
            // The buffer has the size of the bound, so compression fails only if memory is exhausted.
            guard ZSTD_isError(length) == 0 else { fatalError("no memory to compress") }
            return length
        }
    }
}

/// Writes stored blocks of deflate (RFC 1951, section 3.2.4), for bytes that don't compress.
enum StoredDeflate {
    private static let blockLength = 65_535

    /// Appends stored blocks.
    ///
    /// - Parameter isLast: true if the stream ends with these blocks.
    static func append(_ bytes: UnsafeRawBufferPointer, isLast: Bool = true, to buffer: ByteBuffer) {
        var at = 0
        repeat {
            let length = min(blockLength, bytes.count - at)
            buffer.append(UInt8(isLast && at + length == bytes.count ? 1 : 0))
            buffer.append(UInt16(length))
            buffer.append(~UInt16(length))
            buffer.append(UnsafeRawBufferPointer(rebasing: bytes[at..<at + length]))
            at += length
        } while at < bytes.count
    }
}

/// Finds the parts of a stream that no compressor makes smaller, such as most media of an app.
///
/// The first 1 KiB of each 4 KiB block is counted by byte value. For n random bytes the sum of the squared counts is about n +
/// n(n−1)/256. For texts and tables it is much higher. A run of at least 16 KiB whose blocks are below 1.25 × that sum is stored.
enum IncompressibleRuns {
    struct Part: Equatable {
        let range: Range<Int>
        let isIncompressible: Bool
    }

    static let blockLength = 4_096
    static let shortestRun = 16_384
    private static let sampleLength = 1_024
    private static let threshold = (sampleLength + sampleLength * (sampleLength - 1) / 256) * 5 / 4

    /// Returns the parts of the stream in order. Together they cover all of it.
    static func split(_ stream: UnsafeRawBufferPointer) -> [Part] {
        guard stream.count >= shortestRun else { return [Part(range: 0..<stream.count, isIncompressible: false)] }
        var parts: [Part] = []
        var compressibleStart = 0
        var runStart: Int?
        func close(_ end: Int) {
            if let start = runStart, end - start >= shortestRun {
                if start > compressibleStart { parts.append(Part(range: compressibleStart..<start, isIncompressible: false)) }
                parts.append(Part(range: start..<end, isIncompressible: true))
                compressibleStart = end
            }
            runStart = nil
        }
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 4 * 256) { counts in
            var block = 0
            while block + blockLength <= stream.count {
                if isIncompressible(UnsafeRawBufferPointer(rebasing: stream[block..<block + sampleLength]), counts) {
                    if runStart == nil { runStart = block }
                } else {
                    close(block)
                }
                block += blockLength
            }
            close(block)
        }
        if compressibleStart < stream.count {
            parts.append(Part(range: compressibleStart..<stream.count, isIncompressible: false))
        }
        return parts
    }

    private static func isIncompressible(_ sample: UnsafeRawBufferPointer, _ counts: UnsafeMutableBufferPointer<UInt16>) -> Bool {
        counts.update(repeating: 0)
        // Four tables are used, so that the count of a repeated byte does not depend on the previous one.
        var index = 0
        while index < sampleLength {
            counts[Int(sample[index])] &+= 1
            counts[256 + Int(sample[index + 1])] &+= 1
            counts[512 + Int(sample[index + 2])] &+= 1
            counts[768 + Int(sample[index + 3])] &+= 1
            index += 4
        }
        var sum: UInt32 = 0
        for value in 0..<256 {
            let count = UInt32(counts[value] &+ counts[256 + value] &+ counts[512 + value] &+ counts[768 + value])
            sum &+= count &* count
        }
        return sum < UInt32(threshold)
    }
}
