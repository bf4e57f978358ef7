import CZlib
import CZstd
import CapsuleCore
import CapsuleSystem

/// A source of bytes that are read once, from the first to the last.
protocol ByteSource: AnyObject {
    /// Returns the next bytes, which are valid until the next call, or no bytes at the end. After an error it throws the same
    /// error again.
    func next() throws(CapsuleError) -> UnsafeRawBufferPointer
}

/// The bytes of a file.
final class FileSource: ByteSource {
    private let file: CapsuleFile
    private let buffer = ByteBuffer(capacity: FileSource.pieceLength)
    private var offset: UInt64 = 0
    private static let pieceLength = 1 << 18

    init(_ file: CapsuleFile) {
        self.file = file
    }

    func next() throws(CapsuleError) -> UnsafeRawBufferPointer {
        buffer.removeAll()
        let (offset, buffer) = (offset, buffer)
        try Interruption.check()
        try file.read(at: offset, count: Self.pieceLength, into: buffer)
        self.offset += UInt64(buffer.count)
        return buffer.bytes
    }
}

/// The decompressed members of a gzip file, one after the other. Their CRCs are checked (RFC 1952), because libarchive ignores
/// wrong ones.
final class InflatedSource: ByteSource {
    private let input: any ByteSource
    private let path: HostPath
    private let stream: UnsafeMutablePointer<z_stream>
    private let buffer = ByteBuffer(capacity: InflatedSource.pieceLength)
    private var state = State.member
    private static let pieceLength = 1 << 18

    private enum State {
        case member
        case between
        case ended
        case failed(CapsuleError)
    }

    init(_ input: any ByteSource, path: HostPath) {
        self.input = input
        self.path = path
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 selects the largest window. 16 selects a gzip wrapper, whose header and trailer are checked.
        let status = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { fatalError("no memory for a decompressor") }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func next() throws(CapsuleError) -> UnsafeRawBufferPointer {
        buffer.removeAll()
        do throws(CapsuleError) {
            try fill()
        } catch {
            state = .failed(error)
            // The bytes before the error are valid, and may be all that the reader needs.
            if buffer.count == 0 { throw error }
        }
        return buffer.bytes
    }

    private func fill() throws(CapsuleError) {
        while buffer.count == 0 {
            switch state {
            case .member: try inflateSome()
            case .between: try beginMember()
            case .ended: return
            case .failed(let error): throw error
            }
        }
    }

    private func refill() throws(CapsuleError) -> Bool {
        if stream.pointee.avail_in > 0 { return true }
        let bytes = try input.next()
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(bytes.count)
        return !bytes.isEmpty
    }

    private func inflateSome() throws(CapsuleError) {
        guard try refill() else { throw CapsuleError(.damaged, "the gzip stream is truncated", path: path) }
        var status = Z_OK
        buffer.append(capacity: Self.pieceLength) { room in
            stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(room.count)
            status = inflate(stream, Z_NO_FLUSH)
            return room.count - Int(stream.pointee.avail_out)
        }
        switch status {
        case Z_OK, Z_BUF_ERROR: return
        case Z_STREAM_END: state = .between
        default:
            let reason = stream.pointee.msg.map { String(cString: $0) } ?? "error \(status)"
            throw CapsuleError(.damaged, "the gzip stream is damaged: \(reason)", path: path)
        }
    }

    private func beginMember() throws(CapsuleError) {
        while try refill() {
            guard let byte = stream.pointee.next_in?.pointee else { break }
            if byte == 0x1F {
                inflateReset(stream)
                state = .member
                return
            }
            guard byte == 0 else { throw CapsuleError(.trailing, "the gzip stream is followed by extra bytes", path: path) }
            stream.pointee.next_in += 1
            stream.pointee.avail_in -= 1
        }
        state = .ended
    }
}

/// The decompressed frames of a zstd file, one after the other. Their checksums are checked (RFC 8878).
final class ZstdSource: ByteSource {
    private let input: any ByteSource
    private let path: HostPath
    /// The decompressor. Its window is limited to 128 MiB, which limits the memory that a frame can use.
    private let context: OpaquePointer
    private let buffer = ByteBuffer(capacity: ZstdSource.pieceLength)
    private var pending = UnsafeRawBufferPointer(start: nil, count: 0)
    private var isInFrame = false
    private var failure: CapsuleError?
    private static let pieceLength = 1 << 18

    init(_ input: any ByteSource, path: HostPath) {
        guard let context = ZSTD_createDCtx() else { fatalError("no memory for a decompressor") }
        self.input = input
        self.path = path
        self.context = context
    }

    deinit {
        ZSTD_freeDCtx(context)
    }

    func next() throws(CapsuleError) -> UnsafeRawBufferPointer {
        if let failure { throw failure }
        buffer.removeAll()
        do throws(CapsuleError) {
            while buffer.count == 0 {
                if pending.isEmpty { pending = try input.next() }
                if pending.isEmpty, !isInFrame { break }
                try decompressSome()
            }
        } catch {
            failure = error
            throw error
        }
        return buffer.bytes
    }

    private func decompressSome() throws(CapsuleError) {
        var from = ZSTD_inBuffer(src: pending.baseAddress, size: pending.count, pos: 0)
        var result = 0
        buffer.append(capacity: Self.pieceLength) { room in
            var to = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
            result = ZSTD_decompressStream(context, &to, &from)
            return ZSTD_isError(result) == 0 ? to.pos : 0
        }
        if ZSTD_isError(result) != 0 {
            let reason = String(cString: ZSTD_getErrorName(result)).lowercased()
            throw CapsuleError(.damaged, "the zstd stream is damaged: \(reason)", path: path)
        }
        // Without input, only bytes that the decoder still holds can be returned.
        if pending.isEmpty, buffer.count == 0 { throw CapsuleError(.damaged, "the zstd stream is truncated", path: path) }
        pending = UnsafeRawBufferPointer(rebasing: pending.dropFirst(from.pos))
        isInFrame = result != 0
    }
}

/// The output of libarchive's xz or bzip2 filter for a file.
final class FilteredSource: ByteSource {
    private let reader: LibarchiveReader
    private var isOpen = false
    private var failure: CapsuleError?

    init(_ input: any ByteSource, _ filter: LibarchiveReader.Filter, file: CapsuleFile) throws(CapsuleError) {
        reader = try LibarchiveReader.open(.raw, filter: filter, from: StreamInput(input), file: file)
    }

    func next() throws(CapsuleError) -> UnsafeRawBufferPointer {
        if let failure { throw failure }
        do throws(CapsuleError) {
            if !isOpen {
                // The raw format has a single entry with the whole content.
                guard try reader.nextHeader() != nil else { return UnsafeRawBufferPointer(start: nil, count: 0) }
                isOpen = true
            }
            return try reader.nextBlock()?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)
        } catch {
            failure = error
            throw error
        }
    }
}
