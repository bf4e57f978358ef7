import CSystem
package import CapsuleCore

/// A program that turns its standard input into its standard output. If it is released before its end, it is asked to end,
/// and killed after a second. Only one thread at a time may use it.
package final class FilterProcess {
    package let program: HostPath
    private let process: pid_t
    private var hasEnded = false
    private var input: OwnedDescriptor?
    private let errors: OwnedDescriptor
    /// The longest line of standard error that is kept in one piece.
    private static let longestLine = 4_096
    /// The most waits of 10 ms for a program that is asked to end.
    private static let mostWaits = 100

    /// Starts the program: posix_spawn(3).
    /// - Parameters:
    ///   - source: the descriptor of the file that it reads; nil for what ``write(_:)`` gives it.
    ///   - output: the descriptor of the file that it writes.
    package init(
        _ program: HostPath, _ arguments: [[UInt8]], reading source: Int32?, writing output: Int32
    ) throws(CapsuleError) {
        let complaints = try Pipe(program)
        if let source {
            process = try ChildProcess.spawn(
                program, arguments, descriptors: [(source, 0), (output, 1), (complaints.writing.raw, 2)])
            input = nil
        } else {
            let feed = try Pipe(program)
            process = try ChildProcess.spawn(
                program, arguments, descriptors: [(feed.reading.raw, 0), (output, 1), (complaints.writing.raw, 2)])
            input = feed.consumed(keepingReader: false)
        }
        errors = complaints.consumed(keepingReader: true)
        self.program = program
    }

    deinit {
        if hasEnded { return }
        // It may ask for a passphrase: the echo of the terminal is then off, and it needs a moment to turn it on again.
        var status: Int32 = 0
        for _ in 0..<Self.mostWaits {
            // Again and again: a signal just before it reads is lost.
            kill(process, SIGTERM)
            if waitpid(process, &status, WNOHANG) != 0 { return }
            usleep(10_000)
        }
        kill(process, SIGKILL)
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
    }

    /// - Throws: with the code `brokenPipe` if the program has ended or closed its input.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(CapsuleError) {
        try Syscall.write(input?.raw ?? -1, bytes, path: program)
    }

    /// Ends the input, and waits for the end of the program. A request to stop ends the wait.
    /// - Parameter line: receives each line of standard error at once, without its end.
    package func finish(_ line: ([UInt8]) -> Void) throws(CapsuleError) -> ChildProcess.End {
        input = nil
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.longestLine, alignment: 16)
        defer { buffer.deallocate() }
        var text: [UInt8] = []
        while true {
            try Interruption.check()
            var wait = pollfd(fd: errors.raw, events: Int16(POLLIN), revents: 0)
            // A signal that arrives just before poll(2) does not end it.
            guard try Syscall.repeating("read its output", program, { poll(&wait, 1, 200) }) > 0 else { continue }
            let count = try Syscall.readSome(errors.raw, into: buffer, path: program)
            text += buffer[..<count]
            while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                line(Array(text[..<end]))
                text.removeSubrange(...end)
            }
            if !text.isEmpty, count == 0 || text.count >= Self.longestLine {
                line(text)
                text = []
            }
            if count == 0 { break }
        }
        var status: Int32 = 0
        _ = try Syscall.repeating("wait for it", program) { waitpid(process, &status, 0) }
        hasEnded = true
        return ChildProcess.End(status)
    }
}
