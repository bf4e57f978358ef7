import CSystem

/// A thread whose stack is large enough for any work.
///
/// Apple's systems give other threads than the main one 512 KiB by default.
package struct DeepThread {
    /// The size of the stack in bytes, the same as a main thread has on Linux and macOS.
    private static let stackSize = 8 << 20

    private final class Start {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private var thread = capsule_thread()

    /// Starts a thread. Returns nil if the system allows no more threads.
    package init?(_ body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(body))
        let error = capsule_start_thread(
            &thread, Self.stackSize,
            { context in
                if let context { Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, start.toOpaque())
        guard error == 0 else {
            start.release()
            return nil
        }
    }

    /// Waits until the work is done. Called once.
    package func join() { capsule_join_thread(thread) }
}
