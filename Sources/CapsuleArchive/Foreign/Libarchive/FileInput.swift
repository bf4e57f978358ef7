import CapsuleFileSystem

/// A part of a file, read at any place.
final class FileInput: LibarchiveInput {
    private let file: CapsuleFile
    /// Where in the file the part begins.
    private let start: UInt64
    private let length: Int64
    private var position: Int64 = 0
    private let buffer = ByteBuffer(capacity: FileInput.pieceLength)
    private static let pieceLength = 1 << 16

    /// Whoever may go to any place is told of the end there, and says himself what is missing.
    let hasEnded = false

    init(_ file: CapsuleFile, from start: UInt64 = 0, length: UInt64) {
        self.file = file
        self.start = start
        self.length = Int64(clamping: min(length, file.length - min(start, file.length)))
    }

    func read() throws(ArchiveError) -> UnsafeRawBufferPointer {
        buffer.removeAll()
        let count = Int(min(Int64(Self.pieceLength), max(0, length - position)))
        let (offset, buffer) = (start + UInt64(position), buffer)
        try ArchiveError.wrapping { () throws(FileSystemError) in
            try Interruption.check()
            try file.read(at: offset, count: count, into: buffer)
        }
        position += Int64(buffer.count)
        return buffer.bytes
    }

    func seek(_ offset: Int64, from origin: SeekOrigin) -> Int64? {
        let base: Int64 =
            switch origin {
            case .start: 0
            case .here: position
            case .end: length
            }
        let (place, overflow) = base.addingReportingOverflow(offset)
        guard !overflow, place >= 0, place <= length else { return nil }
        position = place
        return place
    }
}
