import CSystem
package import CapsulePropertyList

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

    package func join() { capsule_join_thread(thread) }

    /// Lets it end by itself. Nothing can wait for it any more.
    package func detach() { capsule_detach_thread(thread) }
}

extension DeepThread {
    /// The depth up to which work stays on the caller's thread. In a debug build, a level takes up to 8 KiB.
    private static let shallow = 32

    /// Returns the result of recursive work on some values, which runs on a thread of its own if they are nested deeply.
    package static func run<Value, Failure: Error>(
        for values: [PlistValue?], _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard values.contains(where: { $0.map { $0.depth > shallow } ?? false }) else { return try body() }
        let result: Result<Value, Failure>? = withoutActuallyEscaping(body) { body in
            // The caller waits, so that only one thread uses them.
            nonisolated(unsafe) let body = body
            nonisolated(unsafe) var result: Result<Value, Failure>?
            DeepThread { result = Result(catching: body) }?.join()
            return result
        }
        guard let result else { return try body() }
        return try result.get()
    }
}

extension PlistValue {
    package var depth: Int {
        var deepest = 0
        switch self {
        case .array(let elements):
            for position in elements.indices { deepest = max(deepest, elements[position].depth) }
        case .dictionary(let entries):
            for position in entries.indices { deepest = max(deepest, entries[position].value.depth) }
        default:
            return 0
        }
        return deepest + 1
    }
}
