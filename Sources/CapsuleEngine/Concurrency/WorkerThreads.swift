#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Threads of our own for work that blocks: Swift's cooperative pool must not.
enum WorkerThreads {
    /// Runs `body` on `count` threads, one of them the caller's, and comes back when all are done.
    static func run(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
        var threads: [pthread_t] = []
        for number in 1..<max(1, count) {
            if let thread = start({ body(number) }) { threads.append(thread) }
        }
        body(0)
        for thread in threads { pthread_join(thread, nil) }
    }

    /// In bytes; as much as a main thread has on Linux and macOS.
    private static let stackSize = 8 << 20

    private final class Start {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// nil where the system gives no more threads: the others then do the work.
    private static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
        let context = Unmanaged.passRetained(Start(body)).toOpaque()
        // Apple systems give a thread 512 KiB by default.
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        #if canImport(Darwin)
        var thread: pthread_t?
        let failed =
            pthread_create(
                &thread, &attributes,
                {
                    Unmanaged<Start>.fromOpaque($0).takeRetainedValue().body(); return nil
                }, context) != 0
        #else
        var thread = pthread_t()
        let failed =
            pthread_create(
                &thread, &attributes,
                { argument in
                    if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body() }
                    return nil
                }, context) != 0
        #endif
        if failed {
            Unmanaged<Start>.fromOpaque(context).release()
            return nil
        }
        return thread
    }
}
