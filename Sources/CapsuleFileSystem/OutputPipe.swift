import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A pipe (pipe(2)) into which another program writes, and what came out of it.
final class OutputPipe {
    private var reader: OwnedDescriptor?
    private var writer: OwnedDescriptor?
    /// All that was written so far.
    private(set) var bytes: [UInt8] = []

    init(_ program: HostPath) throws(FileSystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw FileSystemError(errno: errno, "run", program) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reader = OwnedDescriptor(adopting: ends[0])
        writer = OwnedDescriptor(adopting: ends[1])
    }

    /// The end for the program; −1 once it is closed.
    var writing: Int32 { writer?.raw ?? -1 }

    /// Leaves writing to the program: the pipe ends when it does.
    func closeWriting() { writer = nil }

    func closeReading() { reader = nil }

    /// Takes in what comes through several pipes until all have ended (poll(2)): a program that waits for room in one would never
    /// go on with the other.
    static func drain(_ pipes: [OutputPipe], limit: Int, _ program: HostPath) throws(FileSystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            // poll(2) passes over a negative descriptor.
            var waits = pipes.map { pollfd(fd: $0.reader?.raw ?? -1, events: Int16(POLLIN), revents: 0) }
            guard waits.contains(where: { $0.fd >= 0 }) else { return }
            _ = try Syscall.repeating("read its output", program) { poll(&waits, nfds_t(waits.count), -1) }
            for (pipe, wait) in zip(pipes, waits) where wait.revents != 0 {
                let count = try Syscall.readSome(wait.fd, into: buffer, path: program)
                if count == 0 { pipe.closeReading() }
                guard pipe.bytes.count + count <= limit else { throw .tooLarge("read its output", program) }
                pipe.bytes += UnsafeRawBufferPointer(rebasing: buffer[..<count])
            }
        }
    }
}
