import CapsuleFileSystem

/// A stream of bytes, counted against what an archive may expand to.
final class StreamInput: LibarchiveInput {
    private let source: any ByteSource
    private(set) var hasEnded = false
    /// How many bytes came so far.
    private(set) var count: UInt64 = 0
    /// How many may come; set anew for each part of an archive.
    var limit = UInt64.max
    /// What to say when more come.
    var limitError: ArchiveError?

    init(_ source: any ByteSource) {
        self.source = source
    }

    func read() throws(ArchiveError) -> UnsafeRawBufferPointer {
        let bytes = try source.next()
        hasEnded = bytes.isEmpty
        count += UInt64(bytes.count)
        if count > limit, let limitError { throw limitError }
        return bytes
    }

    func seek(_ offset: Int64, from origin: SeekOrigin) -> Int64? { nil }
}
