import CapsuleRuntime
import Dispatch
import Foundation
import Testing

/// Tests that a service is created only once, and only when it is used.
@Suite struct LazilyTests {
    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0
        func next() -> Int {
            lock.withLock {
                count += 1
                return count
            }
        }
        var value: Int { lock.withLock { count } }
    }

    @Test func isMadeAtTheFirstUse() {
        let counter = Counter()
        let service = Lazily { counter.next() }
        #expect(service.valueIfMade == nil)
        #expect(counter.value == 0)
        #expect(service.value == 1)
        #expect(service.value == 1)
        #expect(service.valueIfMade == 1)
    }

    @Test func isMadeOnceWhoeverAsks() {
        let counter = Counter()
        let service = Lazily { counter.next() }
        DispatchQueue.concurrentPerform(iterations: 64) { _ in _ = service.value }
        #expect(service.value == 1)
        #expect(counter.value == 1)
    }
}
