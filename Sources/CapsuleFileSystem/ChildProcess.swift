import CSystem
package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A program that is run to its end, with this one's environment; what it prints goes to standard error.
package enum ChildProcess {
    /// posix_spawn(3) and waitpid(2).
    ///
    /// - Parameter arguments: without the program's own name.
    /// - Returns: its exit status; 128 + n if signal n ended it.
    package static func run(_ program: HostPath, _ arguments: [[UInt8]]) throws(FileSystemError) -> Int32 {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        guard posix_spawn_file_actions_init(&actions) == 0 else { throw FileSystemError(errno: ENOMEM, "run", program) }
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, 2, 1)

        let words = ([program.bytes] + arguments).map { $0.map { CChar(bitPattern: $0) } + [0] }
        var copies = words.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        var process: pid_t = 0
        let failure = try Syscall.withCString(program.bytes, "run") { (name) throws(FileSystemError) in
            posix_spawn(&process, name, &actions, nil, &copies, capsule_environment())
        }
        guard failure == 0 else { throw FileSystemError(errno: failure, "run", program) }
        var status: Int32 = 0
        _ = try Syscall.repeating("wait for", program) { waitpid(process, &status, 0) }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
}
