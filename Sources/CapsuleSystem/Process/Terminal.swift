import CSystem
import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What is known of the terminal.
package enum Terminal {
    /// isatty(3)
    package static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// The terminal's width in columns (TIOCGWINSZ); nil where there is none.
    package static func width(of descriptor: Int32) -> Int? { size(of: descriptor).flatMap { $0.columns > 0 ? $0.columns : nil } }

    /// The terminal's height in lines (TIOCGWINSZ); nil where there is none.
    package static func height(of descriptor: Int32) -> Int? { size(of: descriptor).flatMap { $0.lines > 0 ? $0.lines : nil } }

    private static func size(of descriptor: Int32) -> (columns: Int, lines: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// getenv(3), for the variables that design or system give a meaning.
    package static func environment(_ name: String) -> [UInt8]? {
        guard let value = getenv(name) else { return nil }
        return [UInt8](UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }

    /// All variables of the environment that are UTF-8; of a name that comes twice the first counts, as with getenv(3).
    package static var wholeEnvironment: [String: String] {
        var values: [String: String] = [:]
        guard var place = capsule_environment() else { return values }
        while let entry = place.pointee {
            let bytes = UnsafeRawBufferPointer(start: entry, count: strlen(entry))
            if let equals = bytes.firstIndex(of: UInt8(ascii: "=")),
                let name = String(validating: bytes[..<equals], as: UTF8.self),
                let value = String(validating: bytes[(equals + 1)...], as: UTF8.self), values[name] == nil
            {
                values[name] = value
            }
            place += 1
        }
        return values
    }

    /// How many processors may be used (sysconf(3)).
    package static var processors: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Seconds since 1970, now.
    package static var now: Int64 { Int64(time(nil)) }
}

/// The program that shows long output on a terminal, a page at a time.
package enum Pager {
    /// What is run where the user names nothing.
    private static let standard = Array("less".utf8)
    /// What less is to do where the user says nothing: end if all fits, show colors, and leave the text on the screen.
    private static let lessOptions = Array("LESS=FRX".utf8)

    /// The command of `PAGER`, else less; nil where the user wants none.
    private static var command: [UInt8]? {
        guard let wanted = Terminal.environment("PAGER") else { return standard }
        return wanted.isEmpty || wanted == Array("cat".utf8) ? nil : wanted
    }

    /// Shows a text that is longer than the terminal, and waits until the user has seen it.
    ///
    /// - Returns: whether it was shown; if not, for want of a pager, it is still to be written.
    package static func show(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let height = Terminal.height(of: 1), let command else { return false }
        guard text.lazy.filter({ $0 == UInt8(ascii: "\n") }).prefix(height).count == height else { return false }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let input = OwnedDescriptor(adopting: ends[0])
        var output: OwnedDescriptor? = OwnedDescriptor(adopting: ends[1])
        guard let process = spawn(command, input: input.raw) else { return false }
        // ^C is the pager's to understand while it runs.
        let before = signal(SIGINT, SIG_IGN)
        defer { signal(SIGINT, before) }
        // A pager that is left early reads no more, which is no failure.
        if let raw = output?.raw { try? Syscall.write(raw, text, path: HostPath("the pager")) }
        output = nil
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        // The shell's status for a command that it can't find, or can't run (POSIX.1-2017, 2.8.2).
        let exit = status & 0x7F == 0 ? (status >> 8) & 0xFF : 0
        return exit != 126 && exit != 127
    }

    /// Runs a command by the shell with a descriptor as its standard input.
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
        // What is ignored here would be ignored there.
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
        if Terminal.environment("LESS") == nil { environment.append(extra) }
        environment.append(nil)
        return posix_spawn(&process, "/bin/sh", &actions, &attributes, &copies, &environment) == 0 ? process : nil
    }
}

/// Memory that was freed and is still the process's.
package enum UnusedMemory {
    /// Gives it back to the system, where the C library does not by itself (malloc_trim(3)). Takes a millisecond for some
    /// megabytes: of use where much was freed that came in small pieces, and much is wanted in large ones.
    package static func giveBack() { capsule_trim_memory() }
}
