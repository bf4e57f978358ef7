import CapsuleCore
import Synchronization
import Testing

@testable import CapsuleContainers

@Suite struct WorkerThreadsTests {
    /// Calls itself until the stack has grown by `bytes`, and returns the number of calls.
    private static func grow(by bytes: Int, from start: UInt? = nil) -> Int {
        var local = 0
        let here = withUnsafePointer(to: &local) { UInt(bitPattern: $0) }
        let first = start ?? here
        if first - here >= bytes { return 1 }
        return grow(by: bytes, from: first) + 1
    }

    /// Apple systems give a thread 512 KiB unless it asks for more, which is too little for deep property lists. On Linux the
    /// default is enough, so this test can fail only if `small_stack.c` makes it as small.
    @Test func workersHaveAsMuchStackAsAMainThread() {
        let depths = Mutex<[Int: Int]>([:])
        WorkerThreads.run(4) { thread in
            // The size of the caller's own stack can't be chosen.
            let depth = thread == 0 ? 0 : Self.grow(by: 6 << 20)
            depths.withLock { $0[thread] = depth }
        }
        let found = depths.withLock { $0 }
        #expect(found.keys.sorted() == [0, 1, 2, 3])
        #expect(found.filter { $0.value > 1_000 }.count == 3)
    }

    @Test(arguments: [1, 2]) func workBesideEndsBeforeTheResult(threads: Int) throws {
        let both = try WorkerThreads.run(threads: threads) {
            2
        } _: {
            1
        }
        #expect(both.own == 1 && both.other == 2)
        let ended = Atomic(false)
        #expect(throws: CapsuleError.self) {
            try WorkerThreads.run(threads: threads) {
                ended.store(true, ordering: .relaxed)
            } _: { () throws(CapsuleError) -> Int in
                throw CapsuleError("is gone")
            }
        }
        #expect(ended.load(ordering: .relaxed) == (threads == 2))
    }
}
