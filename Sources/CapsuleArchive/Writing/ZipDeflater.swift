import CDeflate
import CZlib

/// Compresses the content of a zip's entries. Each thread needs its own.
package final class ZipDeflater {
    /// The compression level, 1 to 12. If it is nil, content that is compressed at once uses 6, and pieces of large files use 4.
    private let level: Int?
    private let whole: Deflater
    private let stream: UnsafeMutablePointer<z_stream>

    package init(level: Int?) {
        self.level = level
        whole = Deflater(level: Int32(clamping: level ?? 6))
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // −15 selects the largest window and no wrapper, 8 the default memory.
        let status = deflateInit2_(
            stream, Int32(clamping: min(max(level ?? 4, 1), 9)), Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { fatalError("no memory for a compressor") }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Appends the whole content of an entry. Stores it uncompressed if that is not longer.
    package func append(whole bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer) -> ZipContent {
        let start = buffer.count
        var content = Self.content(of: bytes, .deflated)
        if !bytes.isEmpty, !Self.isIncompressible(bytes) { whole.append(bytes, to: buffer) }
        if buffer.count == start || buffer.count - start >= bytes.count {
            buffer.truncate(to: start)
            buffer.append(bytes)
            content.method = .stored
        }
        content.stored = UInt64(buffer.count - start)
        return content
    }

    /// Appends a piece of an entry that consists of several. Pieces are independent of each other, so any thread can make any of them.
    ///
    /// - Parameter isLast: true if the stream ends with this piece.
    package func append(
        piece bytes: UnsafeRawBufferPointer, as method: ZipContent.Method, isLast: Bool, to buffer: ByteBuffer
    ) -> ZipContent {
        let start = buffer.count
        var content = Self.content(of: bytes, method)
        switch method {
        case .stored:
            buffer.append(bytes)
        case .deflated:
            if !Self.isIncompressible(bytes) { deflate(bytes, isLast: isLast, to: buffer) }
            if buffer.count == start || buffer.count - start > bytes.count {
                buffer.truncate(to: start)
                StoredDeflate.append(bytes, isLast: isLast, to: buffer)
            }
        }
        content.stored = UInt64(buffer.count - start)
        return content
    }

    private func deflate(_ bytes: UnsafeRawBufferPointer, isLast: Bool, to buffer: ByteBuffer) {
        deflateReset(stream)
        // A piece that is not the last one ends at a byte boundary, after an empty stored block.
        buffer.append(capacity: Int(deflateBound(stream, UInt(bytes.count))) + 16) { room in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            stream.pointee.avail_in = UInt32(bytes.count)
            stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(room.count)
            _ = CZlib.deflate(stream, isLast ? Z_FINISH : Z_SYNC_FLUSH)
            return room.count - Int(stream.pointee.avail_out)
        }
    }

    private static func content(of bytes: UnsafeRawBufferPointer, _ method: ZipContent.Method) -> ZipContent {
        var content = ZipContent(method)
        content.crc = libdeflate_crc32(0, bytes.baseAddress, bytes.count)
        content.size = UInt64(bytes.count)
        return content
    }

    /// Returns true if compressing is not worth trying.
    private static func isIncompressible(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let parts = IncompressibleRuns.split(bytes)
        let compressible = parts.reduce(0) { $0 + ($1.isIncompressible ? 0 : $1.range.count) }
        return compressible < bytes.count / 16
    }
}

/// The properties of an entry's content that a zip stores.
package struct ZipContent: Sendable {
    package enum Method: UInt16, Sendable {
        case stored = 0
        case deflated = 8
    }

    package var method: Method
    /// The CRC-32 of the uncompressed bytes.
    var crc: UInt32
    package var size: UInt64
    /// The number of bytes in the zip.
    package var stored: UInt64

    /// Creates the properties of an empty content.
    package init(_ method: Method) {
        self.method = method
        crc = 0
        size = 0
        stored = 0
    }

    /// Appends the properties of the content that follows.
    package mutating func append(_ next: ZipContent) {
        crc = UInt32(truncatingIfNeeded: crc32_combine(UInt(crc), UInt(next.crc), Int(next.size)))
        size += next.size
        stored += next.stored
    }
}
