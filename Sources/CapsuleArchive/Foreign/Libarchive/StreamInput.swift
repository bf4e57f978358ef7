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

    /// The bytes of the last read, valid until the next one.
    private var last = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The bytes before ``last`` since ``beginKeeping()``.
    private let kept = ByteBuffer(capacity: 0)
    private var isKeeping = false

    init(_ source: any ByteSource) {
        self.source = source
    }

    func read() throws(ArchiveError) -> UnsafeRawBufferPointer {
        if isKeeping { kept.append(last) }
        let bytes = try source.next()
        last = bytes
        hasEnded = bytes.isEmpty
        count += UInt64(bytes.count)
        if count > limit, let limitError { throw limitError }
        return bytes
    }

    /// Keeps all bytes from the last read on, until ``stopKeeping()``. Does nothing if bytes are being kept.
    func beginKeeping() { isKeeping = true }

    /// Forgets the kept bytes, and keeps no more.
    func stopKeeping() {
        isKeeping = false
        kept.removeAll()
    }

    /// The number of kept bytes, without those of the last read.
    var keptCount: Int { kept.count }

    /// Calls `body` with the kept bytes from a position of the stream on.
    ///
    /// - Returns: nil for a position that was not kept.
    func withKept<Outcome>(
        from position: UInt64, _ body: (UnsafeRawBufferPointer) throws(ArchiveError) -> Outcome
    ) throws(ArchiveError) -> Outcome? {
        let lastStart = count - UInt64(last.count)
        if position >= lastStart {
            guard position <= count else { return nil }
            return try body(UnsafeRawBufferPointer(rebasing: last[Int(position - lastStart)...]))
        }
        let keptStart = lastStart - UInt64(kept.count)
        guard position >= keptStart else { return nil }
        kept.append(last)
        defer { kept.truncate(to: kept.count - last.count) }
        return try body(kept.bytes(in: Int(position - keptStart)..<kept.count))
    }

    func seek(_ offset: Int64, from origin: SeekOrigin) -> Int64? { nil }
}
