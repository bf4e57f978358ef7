import CapsuleFileSystem

/// Takes in the bytes of an archive's files one after the other.
struct ForeignContentWriter {
    private let spool: SpoolFile
    private var runs: [ForeignContent.Run] = []
    private var starts: [Int] = []
    /// What goes to ``spool`` at ``written``.
    private let buffer = ByteBuffer(capacity: ForeignContentWriter.bufferLength)
    private var written: UInt64 = 0
    private static let bufferLength = 1 << 20

    init() throws(ArchiveError) {
        spool = try ArchiveError.wrapping { () throws(FileSystemError) in try SpoolFile() }
    }

    /// How many files have begun.
    var files: Int { starts.count }

    /// What follows is another file's.
    mutating func beginFile() {
        starts.append(runs.count)
    }

    /// Takes in a stretch of the file that began last; those before it lie before it.
    mutating func append(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(ArchiveError) {
        var at = 0
        while at < bytes.count {
            // Cut where the packer looks for holes, so that what it will leave out is not written at all.
            let place = offset + UInt64(at)
            let count = Int(min(UInt64(bytes.count - at), SparseMap.blockLength - place % SparseMap.blockLength))
            let piece = UnsafeRawBufferPointer(rebasing: bytes[at..<at + count])
            at += count
            if count >= Int(ForeignLimits.shortestHole), SparseMap.isZeros(piece) { continue }
            try appendData(piece, at: place)
        }
    }

    private mutating func appendData(_ piece: UnsafeRawBufferPointer, at offset: UInt64) throws(ArchiveError) {
        if let start = starts.last, runs.count > start {
            let end = runs[runs.count - 1].offset + runs[runs.count - 1].length
            // Gaps too short to be worth a run are filled.
            if offset - end < ForeignLimits.shortestHole {
                let gap = Int(offset - end)
                buffer.appendZeros(gap)
                runs[runs.count - 1].length += UInt64(gap + piece.count)
                try write(piece)
                return
            }
        }
        runs.append(ForeignContent.Run(offset: offset, place: written + UInt64(buffer.count), length: UInt64(piece.count)))
        try write(piece)
    }

    private mutating func write(_ piece: UnsafeRawBufferPointer) throws(ArchiveError) {
        buffer.append(piece)
        if buffer.count >= Self.bufferLength - Int(SparseMap.blockLength) { try flush() }
    }

    private mutating func flush() throws(ArchiveError) {
        let (spool, buffer, written) = (spool, buffer, written)
        try ArchiveError.wrapping { () throws(FileSystemError) in
            try Interruption.check()
            try spool.write(buffer.bytes, at: written)
        }
        self.written += UInt64(buffer.count)
        buffer.removeAll()
    }

    /// All files are in.
    consuming func finish() throws(ArchiveError) -> ForeignContent {
        try flush()
        return ForeignContent(spool, runs: runs, starts: starts + [runs.count])
    }
}
