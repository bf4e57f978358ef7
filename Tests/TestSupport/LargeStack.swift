import Foundation
import Synchronization

/// Runs `body` on a thread with 64 MiB of stack, and waits for it. On Apple's systems, threads have 512 KiB by default, and so do those
/// that run the tests.
///
/// The thread does not belong to a test: an expectation that fails on it fails the run without naming the test. So return or throw the
/// result, and check it outside.
package func onLargeStack<Outcome: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Outcome
) throws(Failure) -> Outcome {
    try onStack(of: 64 << 20, body)
}

/// Runs `body` on a thread with this many bytes of stack, and waits for it.
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

/// The smallest default stack of a thread, in bytes: that of Apple's systems.
package let leastStack = 512 << 10

/// The part of the deepest values, and of the smallest stack, that tests of depth use. A recursion that fails with the deepest value on
/// the smallest stack also fails with half that depth on half the stack.
package let depthDivisor = runsLongTests ? 1 : 2
