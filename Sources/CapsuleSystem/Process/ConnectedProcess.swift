import CSystem
package import CapsuleCore

/// A program that runs beside this process, with a pipe to its standard input and one from its standard output. It is killed when it is
/// not used any more, and must end by itself when its input does. Only one thread at a time may use it.
package final class ConnectedProcess {
    package let program: HostPath
    private let process: pid_t
    private let input: OwnedDescriptor
    private let output: OwnedDescriptor

    /// Starts the program: posix_spawn(3). Its standard error is that of this process.
    /// - Parameter secrets: the beginning of the names of environment variables that the program does not get.
    package init(_ program: HostPath, hiding secrets: String) throws(CapsuleError) {
        let there = try Pipe(program)
        let back = try Pipe(program)
        process = try ChildProcess.spawn(
            program, [], descriptors: [(there.reading.raw, 0), (back.writing.raw, 1)], hiding: secrets)
        self.program = program
        input = there.consumed(keepingReader: false)
        output = back.consumed(keepingReader: true)
    }

    deinit {
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(CapsuleError) {
        try Syscall.write(input.raw, bytes, path: program)
    }

    /// Waits for output (poll(2)), and reads some of it.
    /// - Parameter milliseconds: the longest wait. A request to stop ends it, too.
    /// - Returns: the number of bytes; 0 at the end of the output; nil if there was none in time.
    package func read(into buffer: UnsafeMutableRawBufferPointer, milliseconds: Int) throws(CapsuleError) -> Int? {
        var left = milliseconds
        while true {
            try Interruption.check()
            // A signal that arrives just before poll(2) does not end it.
            let step = min(left, 200)
            var wait = pollfd(fd: output.raw, events: Int16(POLLIN), revents: 0)
            let count = poll(&wait, 1, Int32(step))
            if count > 0 { return try Syscall.readSome(output.raw, into: buffer, path: program) }
            if count < 0, errno != EINTR { throw CapsuleError(errno: errno, "read its output", program) }
            left -= step
            if left <= 0 { return nil }
        }
    }
}

struct Pipe: ~Copyable {
    let reading: OwnedDescriptor
    let writing: OwnedDescriptor

    init(_ program: HostPath) throws(CapsuleError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw CapsuleError(errno: errno, "run", program) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reading = OwnedDescriptor(adopting: ends[0])
        writing = OwnedDescriptor(adopting: ends[1])
    }

    /// Returns one end and closes the other.
    consuming func consumed(keepingReader: Bool) -> OwnedDescriptor {
        keepingReader ? reading : writing
    }
}
