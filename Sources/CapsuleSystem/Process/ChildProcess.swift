import CSystem
package import CapsuleCore
import Synchronization

#if canImport(MachO)
import MachO.dyld
#endif

/// Runs programs to their end, with the environment of this process.
package enum ChildProcess {
    /// A program that another thread starts meanwhile would get the pipe of this one, which then ends with both.
    private static let starting = Mutex(())

    /// The output of a program and its exit status.
    package struct Outcome: Sendable {
        /// The exit status; 128 + n if signal n ended the program.
        package let status: Int32
        package let output: [UInt8]
        package let errors: [UInt8]
    }

    /// The way in which a program ended.
    package struct End: Sendable {
        package let status: Int32
        package let signal: Int32?

        /// - Parameter status: the status of waitpid(2).
        init(_ status: Int32) {
            signal = status & 0x7F == 0 ? nil : status & 0x7F
            self.status = signal.map { 128 + $0 } ?? (status >> 8) & 0xFF
        }
    }

    /// Runs a program: posix_spawn(3) and waitpid(2). It is looked up in PATH unless its name has a slash.
    /// - Parameters:
    ///   - sharesOutput: true if the program writes to our standard output; if false, its output goes to standard error. In both cases a
    ///     signal that asks only this process to end is passed on.
    ///   - variables: environment variables that it gets besides ours, or in place of them.
    @discardableResult
    package static func run(
        _ program: HostPath, _ arguments: [[UInt8]], sharesOutput: Bool = false, with variables: [String: [UInt8]] = [:]
    ) throws(CapsuleError) -> End {
        let process = try spawn(program, arguments, descriptors: sharesOutput ? [] : [(2, 1)], with: variables)
        Interruption.passOn(to: process)
        defer { Interruption.passOn(to: nil) }
        var status: Int32 = 0
        // Waits for the end even after a request to stop: nothing that the program still does may be left running.
        while waitpid(process, &status, 0) == -1 {
            if errno != EINTR { throw CapsuleError(errno: errno, "wait for it", program) }
        }
        return End(status)
    }

    /// Runs a program and collects its output. It is looked up in PATH unless its name has a slash.
    /// - Parameters:
    ///   - input: the bytes of its standard input, at most 512, which every pipe holds; nil if it shares ours.
    ///   - limit: the most bytes that are accepted of standard output and of standard error, each; more is an error.
    ///   - seconds: the longest time that it may run, after which it is killed; nil for any.
    ///   - variables: environment variables that it gets besides ours, or in place of them.
    /// - Throws: ``CapsuleError``, with the code `time` if the program ran too long.
    package static func output(
        of program: HostPath, _ arguments: [[UInt8]], input: [UInt8]? = nil, limit: Int, seconds: Double? = nil,
        with variables: [String: [UInt8]] = [:]
    ) throws(CapsuleError) -> Outcome {
        let deadline = seconds.map { ContinuousClock.now + .seconds($0) }
        let (process, output, errors) = try starting.withLock { (_) throws(CapsuleError) in
            let output = try OutputPipe(program)
            let errors = try OutputPipe(program)
            let source = try input.map { (bytes) throws(CapsuleError) in try OutputPipe(program, holding: bytes) }
            var descriptors = [(output.writing, Int32(1)), (errors.writing, 2)]
            if let source { descriptors.append((source.reading, 0)) }
            let process = try spawn(program, arguments, descriptors: descriptors, with: variables)
            source?.closeReading()
            output.closeWriting()
            errors.closeWriting()
            return (process, output, errors)
        }
        var failure: CapsuleError?
        do throws(CapsuleError) {
            try OutputPipe.drain([output, errors], limit: limit, until: deadline, program)
        } catch {
            failure = error
        }
        // A program that writes more gets SIGPIPE and ends.
        output.closeReading()
        errors.closeReading()
        var status: Int32 = 0
        if failure == nil, let deadline {
            status = try end(of: process, program, by: deadline)
        } else {
            if deadline != nil { kill(process, SIGKILL) }
            _ = try Syscall.repeating("wait for it", program) { waitpid(process, &status, 0) }
        }
        if let failure { throw failure }
        return Outcome(status: End(status).status, output: output.bytes, errors: errors.bytes)
    }

    /// Waits for the end of a program, and kills it at the deadline or if the user asks to stop.
    /// - Returns: the status of waitpid(2).
    private static func end(
        of process: pid_t, _ program: HostPath, by deadline: ContinuousClock.Instant
    ) throws(CapsuleError) -> Int32 {
        var status: Int32 = 0
        do throws(CapsuleError) {
            while try Syscall.repeating("wait for it", program, { waitpid(process, &status, WNOHANG) }) == 0 {
                try Interruption.check()
                guard ContinuousClock.now < deadline else { throw OutputPipe.tooLong(program) }
                usleep(1_000)
            }
            return status
        } catch {
            kill(process, SIGKILL)
            _ = try? Syscall.repeating("wait for it", program) { waitpid(process, &status, 0) }
            throw error
        }
    }

    /// - Parameters:
    ///   - descriptors: the descriptors of this process and the numbers that they get in the program.
    ///   - secrets: the beginning of the names of environment variables that the program does not get; empty for none.
    ///   - variables: environment variables that it gets besides ours, or in place of them.
    static func spawn(
        _ program: HostPath, _ arguments: [[UInt8]], descriptors: [(own: Int32, its: Int32)], hiding secrets: String = "",
        with variables: [String: [UInt8]] = [:]
    ) throws(CapsuleError) -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        guard posix_spawn_file_actions_init(&actions) == 0 else { throw CapsuleError(errno: ENOMEM, "run", program) }
        defer { posix_spawn_file_actions_destroy(&actions) }
        guard posix_spawnattr_init(&attributes) == 0 else { throw CapsuleError(errno: ENOMEM, "run", program) }
        defer { posix_spawnattr_destroy(&attributes) }
        for (own, its) in descriptors { posix_spawn_file_actions_adddup2(&actions, own, its) }
        // The program would inherit ignored signals.
        var defaults = Interruption.defaultsForPrograms
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

        let words = ([program.bytes] + arguments).map { $0.map { CChar(bitPattern: $0) } + [0] }
        let settings = variables.map { (Array("\($0.key)=".utf8) + $0.value).map { CChar(bitPattern: $0) } + [0] }
        let copies: [UnsafeMutablePointer<CChar>?] = (words + settings).map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        // The list ends at its first nil: a word that could not be allocated would drop all that follow it.
        guard copies.allSatisfy({ $0 != nil }) else { throw CapsuleError(errno: ENOMEM, "run", program) }
        var list = Array(copies.prefix(words.count)) + [nil]
        var process: pid_t = 0
        let hidden = [secrets].filter { !$0.isEmpty } + variables.keys.map { "\($0)=" }
        var environment = Array(copies.dropFirst(words.count)) + environment(hiding: hidden)
        let failure = try Syscall.withCString(program.bytes, "run") { (name) throws(CapsuleError) in
            posix_spawnp(&process, name, &actions, &attributes, &list, &environment)
        }
        guard failure == 0 else { throw CapsuleError(errno: failure, "run", program) }
        return process
    }

    /// - Parameter beginnings: what the entries that are left out begin with.
    private static func environment(hiding beginnings: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var entries: [UnsafeMutablePointer<CChar>?] = []
        guard var place = capsule_environment() else { return [nil] }
        while let entry = place.pointee {
            if !beginnings.contains(where: { strncmp(entry, $0, $0.utf8.count) == 0 }) { entries.append(entry) }
            place += 1
        }
        return entries + [nil]
    }
}

/// A pipe (pipe(2)) to or from another program, and the bytes that were read from it.
private final class OutputPipe {
    private var reader: OwnedDescriptor?
    private var writer: OwnedDescriptor?
    private(set) var bytes: [UInt8] = []

    init(_ program: HostPath) throws(CapsuleError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw CapsuleError(errno: errno, "run", program) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reader = OwnedDescriptor(adopting: ends[0])
        writer = OwnedDescriptor(adopting: ends[1])
    }

    /// Creates a pipe that another program reads these bytes from. There must be no more than a pipe holds.
    convenience init(_ program: HostPath, holding input: [UInt8]) throws(CapsuleError) {
        try self.init(program)
        try input.withRawBytes { (bytes) throws(CapsuleError) in try Syscall.write(writing, bytes, path: program) }
        closeWriting()
    }

    var reading: Int32 { reader?.raw ?? -1 }
    var writing: Int32 { writer?.raw ?? -1 }

    /// Closes our copy of the writing end, so that the pipe ends when the program closes its own.
    func closeWriting() { writer = nil }

    func closeReading() { reader = nil }

    /// Reads from several pipes until all have ended (poll(2)). Read one after the other, a program that is blocked on one full pipe would
    /// never continue with the other.
    static func drain(
        _ pipes: [OutputPipe], limit: Int, until deadline: ContinuousClock.Instant?, _ program: HostPath
    ) throws(CapsuleError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            // poll(2) skips a negative descriptor.
            var waits = pipes.map { pollfd(fd: $0.reader?.raw ?? -1, events: Int16(POLLIN), revents: 0) }
            guard waits.contains(where: { $0.fd >= 0 }) else { return }
            let ready = try Syscall.repeating("read its output", program) {
                poll(&waits, nfds_t(waits.count), deadline?.millisecondsLeft ?? -1)
            }
            if ready == 0 { throw tooLong(program) }
            for (pipe, wait) in zip(pipes, waits) where wait.revents != 0 {
                let count = try Syscall.readSome(wait.fd, into: buffer, path: program)
                if count == 0 { pipe.closeReading() }
                guard pipe.bytes.count + count <= limit else { throw .tooLarge("read its output", program) }
                pipe.bytes += UnsafeRawBufferPointer(rebasing: buffer[..<count])
            }
        }
    }
}

extension ContinuousClock.Instant {
    /// The time until a deadline for poll(2), in milliseconds and rounded up; 0 after it.
    var millisecondsLeft: Int32 {
        let (seconds, attoseconds) = (self - ContinuousClock.now).components
        return Int32(clamping: max(0, seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1))
    }
}

extension OutputPipe {

    static func tooLong(_ program: HostPath) -> CapsuleError {
        CapsuleError(.time, "ran too long and was stopped", path: program)
    }
}

/// Finds the files of programs.
package enum ProgramPath {
    /// The executable of this process, with links resolved; nil if the system does not report it.
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

    /// Returns the file that a shell runs for a name without a slash: the first one in PATH that may be executed (access(2)).
    /// Relative directories in PATH are skipped, since they depend on the current directory.
    /// - Parameter path: the value of PATH.
    package static func find(_ name: String, in path: [UInt8] = Host.environment("PATH") ?? []) -> HostPath? {
        for part in path.split(separator: UInt8(ascii: ":")) where part.first == UInt8(ascii: "/") {
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

/// Shows long output on a terminal, a page at a time.
package enum Pager {
    private static let standard = Array("less".utf8)
    /// The options for less when `LESS` is not set: end if everything fits, show colors, and leave the text on the screen.
    private static let lessOptions = Array("LESS=FRX".utf8)

    /// The command in `PAGER`, or less; nil if `PAGER` is empty or `cat`.
    private static var command: [UInt8]? {
        guard let wanted = Host.environment("PAGER") else { return standard }
        return wanted.isEmpty || wanted == Array("cat".utf8) ? nil : wanted
    }

    /// Shows a text that is longer than the terminal, and waits until the user leaves the pager.
    /// - Returns: true if the text was shown; false if it fits on the screen or no pager could run, and the caller must write it.
    package static func show(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let height = Terminal.height(of: 1), let command else { return false }
        guard text.lazy.filter({ $0 == UInt8(ascii: "\n") }).prefix(height).count == height else { return false }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let input = OwnedDescriptor(adopting: ends[0])
        var output: OwnedDescriptor? = OwnedDescriptor(adopting: ends[1])
        guard let process = spawn(command, input: input.raw) else { return false }
        // The pager handles ^C while it runs.
        let before = signal(SIGINT, SIG_IGN)
        defer { signal(SIGINT, before) }
        // A pager that is left early stops reading, which is not a failure.
        if let raw = output?.raw { try? Syscall.write(raw, text, path: HostPath("the pager")) }
        output = nil
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        // The shell's status for a command that it can't run or can't find (POSIX.1-2017, 2.8.2).
        let exit = status & 0x7F == 0 ? (status >> 8) & 0xFF : 0
        return exit != 126 && exit != 127
    }

    private static func spawn(_ command: [UInt8], input: Int32) -> pid_t? {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { posix_spawn_file_actions_destroy(&actions) }
        guard posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        // The program would inherit ignored signals.
        var defaults = Interruption.defaultsForPrograms
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

        let arguments = [Array("sh".utf8), Array("-c".utf8), command].map { $0.map { CChar(bitPattern: $0) } + [0] }
        let option = lessOptions.map { CChar(bitPattern: $0) } + [0]
        var process: pid_t = 0
        var copies = arguments.map { strdup($0) } + [nil]
        defer { copies.forEach { free($0) } }
        let extra = strdup(option)
        defer { free(extra) }
        var environment: [UnsafeMutablePointer<CChar>?] = []
        if var place = capsule_environment() {
            while let entry = place.pointee {
                environment.append(entry)
                place += 1
            }
        }
        if Host.environment("LESS") == nil { environment.append(extra) }
        environment.append(nil)
        return posix_spawn(&process, "/bin/sh", &actions, &attributes, &copies, &environment) == 0 ? process : nil
    }
}
