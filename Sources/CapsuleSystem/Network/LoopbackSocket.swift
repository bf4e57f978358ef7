package import CapsuleCore

/// A socket that listens on 127.0.0.1, which only programs on this machine reach.
package final class LoopbackListener: Sendable {
    private static let path = HostPath("127.0.0.1")
    /// In microseconds.
    private static let pause: UInt32 = 10_000

    package let port: UInt16
    private let socket: OwnedDescriptor

    /// - Parameter port: 0 for a free one.
    /// - Throws: `CapsuleError` with errno EADDRINUSE if another program listens there.
    package init(port: UInt16) throws(CapsuleError) {
        var port = port
        let path = HostPath("127.0.0.1:\(port)")
        let raw = try Syscall.repeating("listen", path) { capsule_listen_on_loopback(&port) }
        socket = OwnedDescriptor(adopting: raw)
        self.port = port
    }

    /// Waits for a connection (poll(2), accept(2)).
    /// - Returns: nil if none came in this time, or the one that came is gone again.
    package func accept(milliseconds: Int32) throws(CapsuleError) -> LoopbackConnection? {
        var wait = pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, milliseconds) > 0 else { return nil }
        let raw = capsule_accept(socket.raw)
        if raw >= 0 { return LoopbackConnection(adopting: raw) }
        let number = errno
        if [EINTR, EAGAIN, ECONNABORTED, EPROTO].contains(number) { return nil }
        if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(number) {
            // The connection stays in line until others have ended.
            usleep(Self.pause)
            return nil
        }
        throw CapsuleError(errno: number, "accept a connection", Self.path)
    }
}

/// A connection from a program on this machine. Only one thread at a time may use it.
package final class LoopbackConnection: @unchecked Sendable {
    private static let path = HostPath("the connection")

    private let socket: OwnedDescriptor

    fileprivate init(adopting raw: Int32) { socket = OwnedDescriptor(adopting: raw) }

    /// Waits for bytes and reads some.
    /// - Returns: the number of bytes; 0 at the end of what the other side sends.
    /// - Throws: `CapsuleError` with the code `time` at the deadline.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, until deadline: ContinuousClock.Instant
    ) throws(CapsuleError) -> Int {
        try transfer("read", Int16(POLLIN), until: deadline) { capsule_read($0, buffer.baseAddress, buffer.count) }
    }

    /// - Throws: `CapsuleError` with the code `time` at the deadline.
    package func write(_ bytes: UnsafeRawBufferPointer, until deadline: ContinuousClock.Instant) throws(CapsuleError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            done += try transfer("write", Int16(POLLOUT), until: deadline) { capsule_write($0, rest.baseAddress, rest.count) }
        }
    }

    /// Ends the connection: what was sent arrives, even if the other side is still sending what is not read. (RFC 9112, section 9.6)
    package func finish(until deadline: ContinuousClock.Instant, discardingUpTo limit: Int) {
        guard capsule_end_sending(socket.raw) == 0 else { return }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 16)
        defer { buffer.deallocate() }
        var discarded = 0
        while discarded < limit, let count = try? read(into: buffer, until: deadline), count > 0 { discarded += count }
    }

    private func transfer(
        _ operation: String, _ event: Int16, until deadline: ContinuousClock.Instant, _ call: (Int32) -> Int
    ) throws(CapsuleError) -> Int {
        while true {
            let count = call(socket.raw)
            if count >= 0 { return count }
            let number = errno
            guard [EAGAIN, EWOULDBLOCK, EINTR].contains(number) else { throw CapsuleError(errno: number, operation, Self.path) }
            guard ContinuousClock.now < deadline else { throw CapsuleError(.time, "took too long", path: Self.path) }
            var wait = pollfd(fd: socket.raw, events: event, revents: 0)
            _ = poll(&wait, 1, deadline.millisecondsLeft)
        }
    }
}
