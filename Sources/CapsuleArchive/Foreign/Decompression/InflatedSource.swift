import CZlib
import CapsuleCore

/// What the members of a gzip file hold, one behind the other, their CRCs checked (RFC 1952): libarchive lets a wrong one pass.
final class InflatedSource: ByteSource {
    private let input: any ByteSource
    private let path: HostPath
    private let stream: UnsafeMutablePointer<z_stream>
    private let buffer = ByteBuffer(capacity: InflatedSource.pieceLength)
    private var state = State.member
    private static let pieceLength = 1 << 18

    private enum State {
        /// In a member.
        case member
        /// Behind one.
        case between
        case ended
        case failed(ArchiveError)
    }

    init(_ input: any ByteSource, path: HostPath) {
        self.input = input
        self.path = path
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15: the largest window. 16: a gzip wrapper, header and trailer checked.
        let status = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { fatalError("no memory for a decompressor") }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func next() throws(ArchiveError) -> UnsafeRawBufferPointer {
        buffer.removeAll()
        do throws(ArchiveError) {
            try fill()
        } catch {
            state = .failed(error)
            // What came out whole before is good, and may be all that the reader wants.
            if buffer.count == 0 { throw error }
        }
        return buffer.bytes
    }

    private func fill() throws(ArchiveError) {
        while buffer.count == 0 {
            switch state {
            case .member: try inflateSome()
            case .between: try beginMember()
            case .ended: return
            case .failed(let error): throw error
            }
        }
    }

    /// Takes more input if there is none; false at its end.
    private func refill() throws(ArchiveError) -> Bool {
        if stream.pointee.avail_in > 0 { return true }
        let bytes = try input.next()
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(bytes.count)
        return !bytes.isEmpty
    }

    private func inflateSome() throws(ArchiveError) {
        guard try refill() else { throw ArchiveError(.damaged, "the gzip stream is truncated", path: path) }
        var status = Z_OK
        buffer.append(room: Self.pieceLength) { room in
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
            throw ArchiveError(.damaged, "the gzip stream is damaged: \(reason)", path: path)
        }
    }

    /// Another member, zeros that fill up a tape's block, or the end.
    private func beginMember() throws(ArchiveError) {
        while try refill() {
            guard let byte = stream.pointee.next_in?.pointee else { break }
            if byte == 0x1F {
                inflateReset(stream)
                state = .member
                return
            }
            guard byte == 0 else { throw ArchiveError(.trailing, "the gzip stream is followed by extra bytes", path: path) }
            stream.pointee.next_in += 1
            stream.pointee.avail_in -= 1
        }
        state = .ended
    }
}
