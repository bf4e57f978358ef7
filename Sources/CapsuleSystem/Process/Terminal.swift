import CSystem
import CapsuleCore

/// Facts about the terminal, the environment and the machine.
package enum Terminal {
    /// Returns true if a descriptor is a terminal (isatty(3)).
    package static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// Returns the terminal's width in columns (TIOCGWINSZ), or nil if it has none.
    package static func width(of descriptor: Int32) -> Int? { size(of: descriptor).flatMap { $0.columns > 0 ? $0.columns : nil } }

    /// Returns the terminal's height in lines (TIOCGWINSZ), or nil if it has none.
    package static func height(of descriptor: Int32) -> Int? { size(of: descriptor).flatMap { $0.lines > 0 ? $0.lines : nil } }

    private static func size(of descriptor: Int32) -> (columns: Int, lines: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

}

/// The machine that the program runs on: its environment, its processors and its clock.
package enum Host {
    /// Returns the value of an environment variable (getenv(3)).
    package static func environment(_ name: String) -> [UInt8]? {
        guard let value = getenv(name) else { return nil }
        return [UInt8](UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }

    /// All environment variables that are UTF-8. If a name occurs twice, the first counts, as with getenv(3).
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

    /// The number of processors that are online (sysconf(3)), at least 1.
    package static var processors: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// The current time, in seconds since 1970.
    package static var now: Int64 { Int64(time(nil)) }
}

/// Shows long output on a terminal, a page at a time.
package enum Pager {
    /// The pager when `PAGER` is not set.
    private static let standard = Array("less".utf8)
    /// The options for less when `LESS` is not set: end if everything fits, show colors, and leave the text on the screen.
    private static let lessOptions = Array("LESS=FRX".utf8)

    /// The command in `PAGER`, or less; nil if `PAGER` is empty or `cat`.
    private static var command: [UInt8]? {
        guard let wanted = Host.environment("PAGER") else { return standard }
        return wanted.isEmpty || wanted == Array("cat".utf8) ? nil : wanted
    }

    /// Shows a text that is longer than the terminal, and waits until the user leaves the pager.
    ///
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

    /// Runs a command with the shell, with a descriptor as its standard input.
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

/// Memory that was freed but still belongs to the process.
package enum Memory {
    /// Returns free memory to the system, where the C library does not do so by itself (malloc_trim(3)). Takes a millisecond for some
    /// megabytes. Useful after many small allocations were freed and before large ones are made.
    package static func trim() { capsule_trim_memory() }
}
