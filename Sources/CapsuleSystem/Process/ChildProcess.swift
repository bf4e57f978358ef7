import CSystem
package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
import MachO.dyld
#endif

/// A program that is run to its end, with this one's environment.
package enum ChildProcess {
    /// What a program printed, and how it ended.
    package struct Outcome: Sendable {
        /// Its exit status; 128 + n if signal n ended it.
        package let status: Int32
        /// What it wrote to standard output.
        package let output: [UInt8]
        /// What it wrote to standard error.
        package let errors: [UInt8]
    }

    /// Runs a program, which is looked for in PATH unless its name has a slash. posix_spawn(3) and waitpid(2).
    ///
    /// - Parameters:
    ///   - arguments: without the program's own name.
    ///   - sharesOutput: whether it has our standard output; if not, what it prints goes to standard error. With it, a polite
    ///     request to end that only we get is passed on.
    /// - Returns: its exit status; 128 + n if signal n ended it.
    package static func run(
        _ program: HostPath, _ arguments: [[UInt8]], sharesOutput: Bool = false
    ) throws(FileSystemError) -> Int32 {
        let process = try spawn(program, arguments, descriptors: sharesOutput ? [] : [(2, 1)])
        Interruption.passOn(to: process)
        defer { Interruption.passOn(to: nil) }
        var status: Int32 = 0
        // To its end, even if we are to stop: what it still does is not ours to leave behind.
        while waitpid(process, &status, 0) == -1 {
            if errno != EINTR { throw FileSystemError(errno: errno, "wait for it", program) }
        }
        return exitStatus(status)
    }

    /// Runs a program, which is looked for in PATH unless its name has a slash, and takes in what it prints.
    ///
    /// - Parameters:
    ///   - arguments: without the program's own name.
    ///   - limit: bytes of output, and of errors, that are taken in; a program that prints more is an error.
    package static func output(
        of program: HostPath, _ arguments: [[UInt8]], limit: Int
    ) throws(FileSystemError) -> Outcome {
        let output = try OutputPipe(program)
        let errors = try OutputPipe(program)
        let process = try spawn(program, arguments, descriptors: [(output.writing, 1), (errors.writing, 2)])
        output.closeWriting()
        errors.closeWriting()
        var failure: FileSystemError?
        do throws(FileSystemError) {
            try OutputPipe.drain([output, errors], limit: limit, program)
        } catch {
            failure = error
        }
        // Whoever writes on gets SIGPIPE, and ends.
        output.closeReading()
        errors.closeReading()
        let status = try wait(for: process, program)
        if let failure { throw failure }
        return Outcome(status: status, output: output.bytes, errors: errors.bytes)
    }

    private static func wait(for process: pid_t, _ program: HostPath) throws(FileSystemError) -> Int32 {
        var status: Int32 = 0
        _ = try Syscall.repeating("wait for it", program) { waitpid(process, &status, 0) }
        return exitStatus(status)
    }

    /// As shells tell what waitpid(2) found.
    private static func exitStatus(_ status: Int32) -> Int32 {
        status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    /// - Parameter descriptors: which of ours are which of the program's.
    private static func spawn(
        _ program: HostPath, _ arguments: [[UInt8]], descriptors: [(own: Int32, its: Int32)]
    ) throws(FileSystemError) -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        guard posix_spawn_file_actions_init(&actions) == 0 else { throw FileSystemError(errno: ENOMEM, "run", program) }
        defer { posix_spawn_file_actions_destroy(&actions) }
        guard posix_spawnattr_init(&attributes) == 0 else { throw FileSystemError(errno: ENOMEM, "run", program) }
        defer { posix_spawnattr_destroy(&attributes) }
        for (own, its) in descriptors { posix_spawn_file_actions_adddup2(&actions, own, its) }
        // What is ignored here would be ignored there.
        var defaults = Interruption.defaultsForPrograms
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

        let words = ([program.bytes] + arguments).map { $0.map { CChar(bitPattern: $0) } + [0] }
        var copies: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        // The list ends at its first nil: a word without memory would take all that follow it with it.
        guard copies.allSatisfy({ $0 != nil }) else { throw FileSystemError(errno: ENOMEM, "run", program) }
        copies.append(nil)
        var process: pid_t = 0
        let failure = try Syscall.withCString(program.bytes, "run") { (name) throws(FileSystemError) in
            posix_spawnp(&process, name, &actions, &attributes, &copies, capsule_environment())
        }
        guard failure == 0 else { throw FileSystemError(errno: failure, "run", program) }
        return process
    }
}

/// A pipe (pipe(2)) into which another program writes, and what came out of it.
private final class OutputPipe {
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

/// Where programs are.
package enum ProgramPath {
    /// The file that this process runs, links resolved; nil where the system does not tell.
    package static var own: HostPath? {
        #if canImport(Darwin)
        var length: UInt32 = 0
        _ = _NSGetExecutablePath(nil, &length)
        var room = [CChar](repeating: 0, count: Int(length) + 1)
        guard _NSGetExecutablePath(&room, &length) == 0 else { return nil }
        return try? RealPath.resolve(HostPath(room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }))
        #else
        return try? RealPath.resolve(HostPath("/proc/self/exe"))
        #endif
    }

    /// What a shell runs for a name without a slash: the first file in PATH that may be executed (access(2)).
    ///
    /// Relative directories in PATH are passed over: they are another place with each command.
    package static func find(_ name: String) -> HostPath? {
        for part in (Terminal.environment("PATH") ?? []).split(separator: UInt8(ascii: ":")) where part.first == UInt8(ascii: "/")
        {
            let path = HostPath(Array(part)).appending(Array(name.utf8))
            guard let status = try? Syscall.statusIfThere(path, following: true), status.kind == .file else { continue }
            if (path.bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer({ text in
                text.baseAddress.map { access($0, X_OK) == 0 } ?? false
            }) {
                return path
            }
        }
        return nil
    }
}
