import CapsuleArchive
import CapsuleCore
import CapsuleHashing

/// Reads and compresses. One for each thread.
final class ZipWorker {
    private let container: OpenedContainer
    private let reader: any ContentReader
    private let deflater: ZipDeflater
    private let buffers: BufferPool
    private let scratch = ByteBuffer(capacity: 1 << 20)
    private var hasher = SHA256Hasher()

    init(_ container: OpenedContainer, reader: any ContentReader, level: Int?, buffers: BufferPool) {
        self.container = container
        self.reader = reader
        self.buffers = buffers
        deflater = ZipDeflater(level: level)
    }

    func perform(_ job: ZipJob) throws(CapsuleError) -> ZipStretch {
        try CapsuleError.checkInterruption()
        var stretch = ZipStretch(job: job, bytes: buffers.take())
        switch job {
        case .whole(let numbers):
            for number in numbers { stretch.contents.append(try makeWhole(number, to: stretch.bytes)) }
        case .piece(let piece):
            let raw = buffers.take()
            try read(piece.number, piece.range, to: raw)
            stretch.contents = [deflater.append(piece: raw.bytes, as: piece.method, isLast: piece.isLast, to: stretch.bytes)]
            stretch.raw = raw
        }
        return stretch
    }

    private func makeWhole(_ number: Int, to buffer: ByteBuffer) throws(CapsuleError) -> ZipContent {
        let entry = container.entries[number]
        scratch.removeAll()
        switch entry.kind {
        case .directory: break
        case .link: scratch.append(entry.target)
        case .file, .identity:
            try read(number, 0..<entry.size, to: scratch)
            if container.isDigested, hasher.digest(of: scratch.bytes) != entry.digest { throw .wrongDigest(of: entry) }
            return deflater.append(whole: scratch.bytes, to: buffer)
        }
        return deflater.append(piece: scratch.bytes, as: .stored, isLast: true, to: buffer)
    }

    private func read(_ number: Int, _ range: Range<UInt64>, to buffer: ByteBuffer) throws(CapsuleError) {
        let before = buffer.count
        try reader.forEachPiece(of: number, in: range) { _, length, bytes in
            if let bytes { buffer.append(bytes) } else { buffer.appendZeros(Int(length)) }
        }
        guard buffer.count - before == range.count else {
            throw CapsuleError("its content is truncated", path: HostPath(container.entries[number].path.bytes))
        }
    }
}
