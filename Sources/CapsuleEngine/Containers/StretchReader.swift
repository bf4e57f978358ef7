import CapsuleArchive
import CapsuleCore

/// Reads a stretch of a large file at any time and digests it in its turn. One for each thread.
final class StretchReader {
    private let reader: any ContentReader
    /// What a stretch holds, kept until it is its turn.
    private let buffer = ByteBuffer(capacity: 1 << 18)
    private var pieces: [StreamPiece] = []

    init(_ reader: any ContentReader) {
        self.reader = reader
    }

    /// Reads, hands out the bytes, waits for the turn and digests.
    ///
    /// - Returns: the whole file's digest after the last stretch.
    func read(
        _ number: Int, _ range: Range<UInt64>, turn: Int, isLast: Bool, of digest: OrderedDigest,
        _ body: (_ offset: UInt64, _ bytes: UnsafeRawBufferPointer) throws(CapsuleError) -> Void
    ) throws(CapsuleError) -> ContentDigest? {
        pieces.removeAll()
        buffer.removeAll()
        let outcome = Result { () throws(CapsuleError) in
            try CapsuleError.checkInterruption()
            try reader.forEachPiece(of: number, in: range) { (offset, length, bytes) throws(CapsuleError) in
                pieces.append(StreamPiece(bytes == nil ? .zeros : .stream(buffer.count), length: length))
                guard let bytes else { return }
                buffer.append(bytes)
                try body(offset, bytes)
            }
        }
        var whole: ContentDigest?
        // The turn must be taken whatever happened before it: those behind wait.
        try digest.take(turn) { (digest) throws(CapsuleError) in
            guard case .success = outcome else { return }
            try digest.update(pieces, of: buffer)
            if isLast { whole = digest.finish() }
        }
        try outcome.get()
        return whole
    }
}
