import Foundation
import Synchronization

/// Runs work in a directory of its own, beside other tests in the same process.
package enum WorkingDirectory {
    /// Runs `body` with a working directory, on a thread of its own, and waits for it.
    ///
    /// On Linux, the thread and those that it starts get a working directory of their own (unshare(2)). Where the system has or allows
    /// no such call, the directory is that of the process, and only one `body` runs at a time.
    package static func with<Outcome: Sendable>(
        _ directory: String, _ body: @escaping @Sendable () throws -> Outcome
    ) throws -> Outcome {
        try onStack(of: 8 << 20) {
            if isOwn() { return try run(in: directory, body) }
            return try lock.withLock { _ in
                let before = FileManager.default.currentDirectoryPath
                defer { _ = chdir(before) }
                return try run(in: directory, body)
            }
        }
    }

    private static func run<Outcome>(in directory: String, _ body: () throws -> Outcome) throws -> Outcome {
        guard chdir(directory) == 0 else { throw SupportError("no working directory: errno \(errno)") }
        return try body()
    }

    private static let lock = Mutex(())

    /// Returns true if the calling thread has a working directory of its own from now on.
    private static func isOwn() -> Bool {
        #if os(Linux)
        // The C library declares neither the function nor the flag for Swift.
        typealias Unshare = @convention(c) (Int32) -> Int32
        return dlsym(nil, "unshare").map { unsafeBitCast($0, to: Unshare.self)(0x200) == 0 } ?? false
        #else
        return false
        #endif
    }
}
