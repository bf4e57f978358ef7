import CDeflate
import CZlib

/// Makes the bytes of a zip's entries. One for each thread.
package final class ZipDeflater {
    /// How hard to compress, 1 to 12; nil is 6 for what is compressed at once and 4 for the pieces of large files.
    private let level: Int?
    private let whole: Deflater
    private let stream: UnsafeMutablePointer<z_stream>

    package init(level: Int?) {
        self.level = level
        whole = Deflater(level: Int32(clamping: level ?? 6))
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // −15: the largest window, no wrapper. 8: the default's memory.
        let status = deflateInit2_(
            stream, Int32(clamping: min(max(level ?? 4, 1), 9)), Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { fatalError("no memory for a compressor") }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Appends all of an entry's bytes, stored where that is no longer.
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

    /// Appends a piece of an entry that is made of several; pieces know nothing of each other, so that any thread makes any.
    ///
    /// - Parameter isLast: whether the stream ends with it.
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
        // Not the last piece: it ends at a whole byte, with an empty stored block behind it.
        buffer.append(room: Int(deflateBound(stream, UInt(bytes.count))) + 16) { room in
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

    /// Whether trying to compress is a waste of time.
    private static func isIncompressible(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let parts = IncompressibleRuns.split(bytes)
        let compressible = parts.reduce(0) { $0 + ($1.isIncompressible ? 0 : $1.range.count) }
        return compressible < bytes.count / 16
    }
}

/// What a zip says of an entry's bytes.
package struct ZipContent: Sendable {
    package enum Method: UInt16, Sendable {
        case stored = 0
        case deflated = 8
    }

    package var method: Method
    /// Of the bytes as they are.
    var crc: UInt32
    package var size: UInt64
    /// What they take in the zip.
    package var stored: UInt64

    /// No bytes yet.
    package init(_ method: Method) {
        self.method = method
        crc = 0
        size = 0
        stored = 0
    }

    /// Takes in what follows.
    package mutating func append(_ next: ZipContent) {
        crc = UInt32(truncatingIfNeeded: crc32_combine(UInt(crc), UInt(next.crc), Int(next.size)))
        size += next.size
        stored += next.stored
    }
}
