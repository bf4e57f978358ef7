import CapsuleFileSystem

/// Records that are put aside until they are wanted, in a file without a name: in memory they would cost a third of what the
/// entries do. What can't be put aside is lost.
struct StatCacheNotes {
    private let spool: SpoolFile?
    private var buffer: [StatCacheRecord] = []
    private var written: UInt64 = 0
    private var hasFailed = false

    private static let bufferCount = 1 << 10

    init(_ spool: SpoolFile?) {
        self.spool = spool
        buffer.reserveCapacity(Self.bufferCount)
    }

    var isEmpty: Bool { written == 0 && buffer.isEmpty }

    mutating func append(_ record: StatCacheRecord) {
        if hasFailed { return }
        buffer.append(record)
        if buffer.count >= Self.bufferCount { flush() }
    }

    private mutating func flush() {
        let isWritten = buffer.withUnsafeBytes { bytes in
            guard let spool else { return false }
            return (try? spool.write(bytes, at: written)) != nil
        }
        if isWritten { written += UInt64(buffer.count * MemoryLayout<StatCacheRecord>.stride) }
        hasFailed = !isWritten
        buffer.removeAll(keepingCapacity: true)
    }

    /// Calls `body` with each record, in the order they came.
    mutating func forEach(_ body: (StatCacheRecord) -> Void) {
        let last = buffer
        var offset: UInt64 = 0
        let stride = MemoryLayout<StatCacheRecord>.stride
        while offset < written, let spool {
            let count = min(Self.bufferCount, Int(written - offset) / stride)
            let records = [StatCacheRecord](unsafeUninitializedCapacity: count) { room, filled in
                let bytes = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[..<(count * stride)])
                if (try? spool.read(at: offset, into: bytes)) == bytes.count { filled = count }
            }
            if records.isEmpty { return }
            for record in records { body(record) }
            offset += UInt64(count * stride)
        }
        for record in last { body(record) }
    }
}
