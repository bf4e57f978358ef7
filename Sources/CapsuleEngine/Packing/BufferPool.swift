import CapsuleArchive

/// Buffers that go from the threads that fill them to the one that writes them out, and back.
final class BufferPool: Sendable {
    private let monitor = Monitor()
    nonisolated(unsafe) private var free: [ByteBuffer] = []

    /// An empty buffer.
    func take() -> ByteBuffer {
        monitor.locked { free.popLast() } ?? ByteBuffer(capacity: 1 << 18)
    }

    /// Gives a buffer back.
    func give(_ buffer: ByteBuffer) {
        buffer.removeAll()
        monitor.locked { free.append(buffer) }
    }
}
