import CapsuleCore
import CapsuleSystem

/// An input of libarchive.
protocol LibarchiveInput: AnyObject {
    var hasEnded: Bool { get }
    /// Returns the next bytes, which are valid until the next call, or no bytes at the end.
    func read() throws(CapsuleError) -> UnsafeRawBufferPointer
    /// Moves to a position and returns it, or returns nil if the input can only be read in order.
    func seek(_ offset: Int64, from origin: SeekOrigin) -> Int64?
}

enum SeekOrigin {
    case start, here, end
}

/// A part of a file, with random access.
final class FileInput: LibarchiveInput {
    private let file: CapsuleFile
    private let start: UInt64
    private let length: Int64
    private var position: Int64 = 0
    private let buffer = ByteBuffer(capacity: FileInput.pieceLength)
    private static let pieceLength = 1 << 16

    /// Always false: libarchive can seek in this input, so it detects and reports missing bytes itself.
    let hasEnded = false

    init(_ file: CapsuleFile, from start: UInt64 = 0, length: UInt64) {
        self.file = file
        self.start = start
        self.length = Int64(clamping: min(length, file.length - min(start, file.length)))
    }

    func read() throws(CapsuleError) -> UnsafeRawBufferPointer {
        buffer.removeAll()
        let count = Int(min(Int64(Self.pieceLength), max(0, length - position)))
        let (offset, buffer) = (start + UInt64(position), buffer)
        try Interruption.check()
        try file.read(at: offset, count: count, into: buffer)
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

/// A stream of bytes, with a limit on their number.
final class StreamInput: LibarchiveInput {
    private let source: any ByteSource
    private(set) var hasEnded = false
    private(set) var count: UInt64 = 0
    /// The number of bytes that may be read. It is set again for each part of an archive.
    var limit = UInt64.max
    var limitError: CapsuleError?
    private var last = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The bytes before ``last`` since ``beginKeeping()``.
    private let kept = ByteBuffer(capacity: 0)
    private var isKeeping = false

    init(_ source: any ByteSource) {
        self.source = source
    }

    func read() throws(CapsuleError) -> UnsafeRawBufferPointer {
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

    func stopKeeping() {
        isKeeping = false
        kept.removeAll()
    }

    var keptCount: Int { kept.count }

    /// Calls `body` with the kept bytes from a position of the stream on.
    /// - Returns: nil for a position that was not kept.
    func withKept<Outcome>(
        from position: UInt64, _ body: (UnsafeRawBufferPointer) throws(CapsuleError) -> Outcome
    ) throws(CapsuleError) -> Outcome? {
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
