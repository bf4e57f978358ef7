import CapsuleFileSystem

/// A file's bytes as they are.
final class FileSource: ByteSource {
    private let file: CapsuleFile
    private let buffer = ByteBuffer(capacity: FileSource.pieceLength)
    private var offset: UInt64 = 0
    private static let pieceLength = 1 << 18

    init(_ file: CapsuleFile) {
        self.file = file
    }

    func next() throws(ArchiveError) -> UnsafeRawBufferPointer {
        buffer.removeAll()
        let (offset, buffer) = (offset, buffer)
        try ArchiveError.wrapping { () throws(FileSystemError) in
            try Interruption.check()
            try file.read(at: offset, count: Self.pieceLength, into: buffer)
        }
        self.offset += UInt64(buffer.count)
        return buffer.bytes
    }
}
