import Foundation
import Synchronization

/// Somebody whom permissions stop: not root.
package enum Unprivileged {
    private static let user: UInt32 = 65_534

    /// Runs `body` in a thread that the file system takes for another user's (setfsuid(2)), if this is root.
    package static func run<Outcome: Sendable>(_ body: @escaping @Sendable () throws -> Outcome) throws -> Outcome {
        if geteuid() != 0 { return try body() }
        let outcome = Mutex<Result<Outcome, any Error>?>(nil)
        let thread = Thread {
            guard let symbol = dlsym(nil, "setfsuid") else { return }
            let become = unsafeBitCast(symbol, to: (@convention(c) (UInt32) -> Int32).self)
            _ = become(Self.user)
            let result = Result { try body() }
            outcome.withLock { $0 = result }
        }
        thread.start()
        while !thread.isFinished { usleep(200) }
        guard let result = outcome.withLock({ $0 }) else { throw SupportError("no other user to be had here") }
        return try result.get()
    }

    /// Gives a tree to that user, if this is root.
    package static func give(_ path: String) throws {
        guard geteuid() == 0 else { return }
        let run = try Program.run("chown", ["-Rh", "\(user)", path])
        guard run.status == 0 else { throw SupportError(run.errors) }
    }
}
