import Foundation

/// The result of a program that was run to its end.
package struct Program: Sendable {
    /// The exit status; 128 + n if signal n ended the program.
    package let status: Int32
    package let output: [UInt8]
    package let errors: String

    package var text: String { String(decoding: output, as: UTF8.self) }

    /// Runs a program, which is looked up in PATH, and waits for it.
    ///
    /// - Parameters:
    ///   - directory: the working directory.
    ///   - environment: variables to add to those of this process. Unless they set XDG_CACHE_HOME, the program has no cache.
    ///   - input: the path of a file for standard input.
    package static func run(
        _ name: String, _ arguments: [String], in directory: String? = nil, environment: [String: String] = [:],
        input: String = "/dev/null"
    ) throws -> Program {
        let captured = try TemporaryDirectory()
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, captured["out"], O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, captured["err"], O_WRONLY | O_CREAT | O_TRUNC, 0o600)

        // There is no portable way to spawn a process in another directory, so the shell changes the directory.
        let words = ["sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", directory ?? ".", name] + arguments
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        // Never uses the user's own cache: no directory can be made below a device.
        let own = ["XDG_CACHE_HOME": "/dev/null/cache", "PATH": ToolPath.current]
        let merged = ProcessInfo.processInfo.environment.merging(own) { _, new in new }.merging(environment) { _, new in new }
        var variables: [UnsafeMutablePointer<CChar>?] = merged.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var child = pid_t()
        let failure = posix_spawnp(&child, "sh", &actions, nil, &arguments, &variables)
        guard failure == 0 else { throw SupportError("cannot run \(name): \(String(cString: strerror(failure)))") }
        var state: Int32 = 0
        while waitpid(child, &state, 0) == -1 {
            guard errno == EINTR else { throw SupportError("cannot wait for \(name)") }
        }
        let status = state & 0x7F == 0 ? (state >> 8) & 0xFF : 128 + (state & 0x7F)
        return Program(
            status: status, output: try Self.bytes(of: captured["out"]),
            errors: String(decoding: try Self.bytes(of: captured["err"]), as: UTF8.self))
    }

    /// Returns the bytes of a file; none if it does not exist.
    private static func bytes(of path: String) throws -> [UInt8] {
        FileManager.default.fileExists(atPath: path) ? try Files.read(path) : []
    }
}

/// Reads and writes whole files, for tests.
package enum Files {
    package static func read(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    package static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    package static func write(_ text: String, to path: String) throws {
        try write(Array(text.utf8), to: path)
    }

    /// Returns true if anything has that name, including a dangling link.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
