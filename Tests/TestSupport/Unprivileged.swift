import Foundation
import Synchronization

/// Runs code as a user who is subject to permissions, not as root.
package enum Unprivileged {
    private static let user: UInt32 = 65_534

    /// If this is root, runs `body` in a thread that has another user's access to files (setfsuid(2)).
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

    /// If this is root, makes that user the owner of a tree.
    package static func give(_ path: String) throws {
        guard geteuid() == 0 else { return }
        let run = try Program.run("chown", ["-Rh", "\(user)", path])
        guard run.status == 0 else { throw SupportError(run.errors) }
    }
}
