import CSystem
import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

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
