import CZstd
import CapsuleCore

/// What the frames of a zstd file hold, one behind the other, their checksums checked (RFC 8878).
final class ZstdSource: ByteSource {
    private let input: any ByteSource
    private let path: HostPath
    /// Its window is limited to 128 MiB, so that a frame can't ask for more memory.
    private let context: OpaquePointer
    private let buffer = ByteBuffer(capacity: ZstdSource.pieceLength)
    private var pending = UnsafeRawBufferPointer(start: nil, count: 0)
    private var isInFrame = false
    private var failure: ArchiveError?
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

    func next() throws(ArchiveError) -> UnsafeRawBufferPointer {
        if let failure { throw failure }
        buffer.removeAll()
        do throws(ArchiveError) {
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

    private func decompressSome() throws(ArchiveError) {
        var from = ZSTD_inBuffer(src: pending.baseAddress, size: pending.count, pos: 0)
        var result = 0
        buffer.append(room: Self.pieceLength) { room in
            var to = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
            result = ZSTD_decompressStream(context, &to, &from)
            return ZSTD_isError(result) == 0 ? to.pos : 0
        }
        if ZSTD_isError(result) != 0 {
            let reason = String(cString: ZSTD_getErrorName(result)).lowercased()
            throw ArchiveError(.damaged, "the zstd stream is damaged: \(reason)", path: path)
        }
        // Without input only what the decoder still holds can come.
        if pending.isEmpty, buffer.count == 0 { throw ArchiveError(.damaged, "the zstd stream is truncated", path: path) }
        pending = UnsafeRawBufferPointer(rebasing: pending.dropFirst(from.pos))
        isInFrame = result != 0
    }
}
