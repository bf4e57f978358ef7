import Foundation
import Synchronization

/// Runs `body` on a thread with 64 MiB of stack, and waits for it: threads of Apple systems have 512 KiB, and so has the pool
/// that tests run on there.
///
/// The thread belongs to no test: an expectation that fails on it fails the run without saying which test it was. What is found
/// out there is returned or thrown, and expected outside.
package func onLargeStack<Outcome: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Outcome
) throws(Failure) -> Outcome {
    try onStack(of: 64 << 20, body)
}

/// Runs `body` on a thread with so many bytes of stack, and waits for it.
package func onStack<Outcome: Sendable, Failure: Error>(
    of bytes: Int, _ body: @escaping @Sendable () throws(Failure) -> Outcome
) throws(Failure) -> Outcome {
    let outcome = Mutex<Result<Outcome, Failure>?>(nil)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        let result = Result { () throws(Failure) in try body() }
        outcome.withLock { $0 = result }
        done.signal()
    }
    thread.stackSize = bytes
    thread.start()
    done.wait()
    guard let result = outcome.withLock({ $0 }) else { fatalError("the thread ended without a result") }
    return try result.get()
}

/// The stack of a thread that nobody made larger, on the systems that give it least: Apple's.
package let leastStack = 512 << 10
